//! `cargo xtask messages`: every message that people read, one file per language, so that a native reader can go through it.
//!
//! - in: the string literals of the product crates, without tests, prompts and the lexicon
//! - out: `docs/messages/en.txt` and `docs/messages/zh.txt`, the same line in both for the same message
//! - never: runs the program; a message is its format string, with its holes as written

mod literals;

mod pairs;

use crate::tidy::tree::ModuleTree;
use crate::tidy::workspace;
use anyhow::{Context, bail};
use pairs::Message;
use std::fmt::Write;
use std::path::Path;

/// The folder of the snapshots.
const FOLDER: &str = "docs/messages";
/// Crates whose messages people read.
const CRATES: [&str; 8] = [
    "praxis-cli",
    "praxis-core",
    "praxis-planner",
    "praxis-engine",
    "praxis-adapters",
    "praxis-fence",
    "praxis-toolbox",
    "praxis-rehearsal",
];
/// Files whose Chinese strings are data: words that requests and tools are read by.
const DATA: [&str; 6] = [
    "/lexicon/",
    "/offline/values/",
    "/retrieve/",
    "/route/cues.rs",
    "/fault/class_words.rs",
    "/fault/argument_hints.rs",
];

/// Writes the snapshots, or, with `check`, fails if they are out of date.
pub(crate) fn run(root: &Path, check: bool) -> anyhow::Result<()> {
    let root = &root.canonicalize()?;
    for (language, text) in snapshots(root)? {
        let path = root.join(FOLDER).join(format!("{language}.txt"));
        if !check {
            std::fs::create_dir_all(root.join(FOLDER))?;
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        } else if std::fs::read_to_string(&path).unwrap_or_default() != text {
            bail!("{FOLDER}/{language}.txt is out of date: run `cargo xtask messages`");
        }
    }
    Ok(())
}

/// Builds both snapshots.
fn snapshots(root: &Path) -> anyhow::Result<[(&'static str, String); 2]> {
    let (mut en, mut zh) = (heading("English"), heading("Chinese"));
    for package in workspace::read(root)?.iter().filter(|it| CRATES.contains(&it.name.as_str())) {
        for file in package.root.iter().chain(&package.more_roots) {
            let mut files = ModuleTree::read(root, file)?.files;
            files.sort_by(|a, b| a.shown.cmp(&b.shown));
            for file in files.iter().filter(|file| !DATA.iter().any(|it| file.shown.contains(it))) {
                add_file(&file.shown, &pairs::messages(&file.parsed), (&mut en, &mut zh))?;
            }
        }
    }
    Ok([("en", en), ("zh", zh)])
}

fn heading(language: &str) -> String {
    format!(
        "# All messages in {language}, written by `cargo xtask messages`. A line is a message.\n"
    )
}

fn add_file(
    shown: &str,
    messages: &[Message],
    (en, zh): (&mut String, &mut String),
) -> anyhow::Result<()> {
    if messages.is_empty() {
        return Ok(());
    }
    writeln!(en, "\n## {shown}")?;
    writeln!(zh, "\n## {shown}")?;
    for message in messages {
        writeln!(en, "{}", line(&message.en))?;
        writeln!(zh, "{}", line(&message.zh))?;
    }
    Ok(())
}

/// A message on one line; a missing translation is a dash.
fn line(text: &str) -> String {
    if text.is_empty() { "—".to_owned() } else { text.replace('\n', "\\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_snapshots_of_all_messages_are_up_to_date() {
        run(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), true).unwrap();
    }
}
