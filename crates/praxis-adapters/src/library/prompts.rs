//! Reads the files that override prompt parts.

use super::files::{files, read_bounded, read_within, shown};
use praxis_core::document::{DocumentBreach, UnreadableDocument};
use praxis_core::lang::Lang;
use praxis_core::problem::Problem;
use praxis_core::prompt::pack::unknown;
use praxis_core::prompt::{check, part};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The maximum size of a prompt file in bytes.
pub const MOST_PROMPT_BYTES: u64 = 64 * 1024;

/// A checked prompt file and its problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPrompts {
    /// The path of the file.
    pub path: PathBuf,
    /// The part that the file overrides; `None` if there is no part of its name.
    pub part: Option<&'static str>,
    /// All problems of the file.
    pub problems: Vec<Problem>,
}

/// Returns the folder name of a language.
pub(super) fn folder_name(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "en",
        Lang::Zh => "zh",
    }
}

/// Reads the texts in `root/prompts/LANG`, each with its file. Empty files and files with problems are left out.
pub(super) fn texts(
    root: &Path,
    lang: Lang,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, (String, PathBuf)> {
    let mut texts = BTreeMap::new();
    let folder = root.join("prompts").join(folder_name(lang));
    for path in files(&folder, &["md"], problems) {
        match read_within(root, &path, MOST_PROMPT_BYTES).and_then(|bytes| text(&path, bytes)) {
            Err(problem) => problems.push(problem),
            // The shell creates an empty file before `praxis prompt show` writes to it.
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => match problems_of(&path, &text) {
                found if found.is_empty() => drop(texts.insert(stem(&path), (text, path))),
                found => problems.extend(found),
            },
        }
    }
    texts
}

/// Checks a file, or all files of a folder and of its subfolders `en`, `zh`, `prompts/en` and `prompts/zh`.
pub fn check_prompts(path: &Path) -> Result<Vec<CheckedPrompts>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut paths = vec![path.to_owned()];
    if path.is_dir() {
        let below = ["", "en", "zh", "prompts/en", "prompts/zh"];
        paths =
            below.iter().flat_map(|name| files(&path.join(name), &["md"], &mut problems)).collect();
    }
    let checked = paths.into_iter().map(|path| {
        let read = read_bounded(&path, MOST_PROMPT_BYTES).and_then(|bytes| text(&path, bytes));
        let problems = read.map_or_else(|problem| vec![problem], |text| problems_of(&path, &text));
        CheckedPrompts { part: part(&stem(&path)).map(|part| part.name), path, problems }
    });
    let checked = checked.collect();
    if problems.is_empty() { Ok(checked) } else { Err(problems) }
}

/// Returns the name of the part that a file is for: `planning.md`, `selection.replanning.md`.
fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Problem> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let why = DocumentBreach::NotUtf8(error.utf8_error().valid_up_to());
        UnreadableDocument { why, at: None }.problem(&shown(path))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n"))
}

fn problems_of(path: &Path, text: &str) -> Vec<Problem> {
    let name = stem(path);
    let found = part(&name).map_or_else(|| vec![unknown(&name)], |part| check(part, text));
    found.into_iter().map(|problem| problem.within(&shown(path))).collect()
}
