//! `praxis prompt`: lists, shows and checks the prompt parts.

use super::library::{open, source, told_source};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::library_args::{Prompt as Args, PromptCommand};
use crate::view::text::{Paint, cut, pad, sanitize};
use praxis_adapters::library::{CheckedPrompts, LoadedLibrary, check_prompts};
use praxis_core::lang::Lang;
use praxis_core::problem::Problem;
use praxis_core::prompt::pack::unknown;
use praxis_core::prompt::{PARTS, PromptPart, part};
use serde_json::json;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

/// Maximum number of characters to print; a part has at most 64 KiB.
const MOST_CHARS: usize = 100_000;

pub(crate) fn run(context: &CliContext, args: &Args) -> Result<ExitCode, CommandFailure> {
    match &args.what {
        PromptCommand::List => {
            let library = open(context);
            for part in PARTS {
                list(context, &library, part);
            }
        }
        PromptCommand::Show { part: name } => {
            let absent = || CommandFailure { exit: Exit::NotFound, problems: vec![unknown(name)] };
            show(context, &open(context), part(name).ok_or_else(absent)?);
        }
        PromptCommand::Check { path: Some(path) } => check(context, path)?,
        PromptCommand::Check { path: None } => check_all(context)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(context: &CliContext, library: &LoadedLibrary, part: &PromptPart) {
    let (en, zh) =
        (library.file_of_part(Lang::En, part.name), library.file_of_part(Lang::Zh, part.name));
    if context.json {
        let stage = part.first_line().map(|line| line.replace("stage: ", ""));
        let sources = json!({"en": source(en), "zh": source(zh)});
        let line = json!({
            "part": part.name, "module": part.module(), "stage": stage, "holes": part.holes, "source": sources,
        });
        return out!("{line}");
    }
    let from = match (en, zh) {
        (None, None) => told_source(context, None),
        (en, zh) => format!("en {}, zh {}", told_source(context, en), told_source(context, zh)),
    };
    out!("{} {} {}", pad(part.name, 27), pad(&from, 8), part.holes.join(", "));
}

/// Prints only the text on stdout, so that it can be redirected to a file.
fn show(context: &CliContext, library: &LoadedLibrary, part: &PromptPart) {
    let text = library.pack(context.lang).map(|pack| pack.text(part.name)).unwrap_or_default();
    let file = library.file_of_part(context.lang, part.name);
    if context.json {
        let line = json!({
            "part": part.name, "lang": context.lang, "source": source(file), "holes": part.holes, "text": text,
        });
        return out!("{line}");
    }
    // A file gets every character; on a terminal control characters are escaped.
    if std::io::stdout().is_terminal() {
        out!("{}", sanitize(text, MOST_CHARS));
    } else {
        out!("{text}");
    }
}

fn check(context: &CliContext, path: &Path) -> Result<(), CommandFailure> {
    let checked = check_prompts(path).map_err(|problems| CommandFailure::refused(problems, ""))?;
    refuse_any(checked.iter().flat_map(|one| one.problems.clone()).collect())?;
    if checked.is_empty() {
        none(context);
    }
    for CheckedPrompts { path, part, .. } in &checked {
        good(context, part.unwrap_or_default(), path);
    }
    Ok(())
}

/// Checks the prompt files that are in use.
fn check_all(context: &CliContext) -> Result<(), CommandFailure> {
    let library = context.library();
    refuse_any(library.prompt_problems().to_vec())?;
    let mut count = 0;
    for (part, path) in library.prompt_files() {
        good(context, part, path);
        count += 1;
    }
    if count == 0 {
        none(context);
    }
    Ok(())
}

fn refuse_any(problems: Vec<Problem>) -> Result<(), CommandFailure> {
    if problems.is_empty() { Ok(()) } else { Err(CommandFailure::refused(problems, "")) }
}

fn good(context: &CliContext, part: &str, path: &Path) {
    if context.json {
        return out!("{}", json!({"part": part, "path": path.display().to_string(), "ok": true}));
    }
    let mark = Paint(context.colors).green("✔");
    out!("{mark} {} {}", pad(part, 27), cut(&path.display().to_string(), 200));
}

fn none(context: &CliContext) {
    note!(
        "{}",
        context.say(
            "no prompt files found; the built-in prompts are used",
            "没有找到提示词文件；使用内置提示词"
        )
    );
}
