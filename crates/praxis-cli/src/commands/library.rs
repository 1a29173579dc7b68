//! Helpers of the prompt, scene and workflow commands.

use crate::context::CliContext;
use crate::failure::MOST_COLUMNS;
use crate::view::text::sanitize;
use praxis_adapters::library::LoadedLibrary;
use std::path::Path;

/// Loads the library. Files with problems are not used; they are reported as warnings, and the command continues.
pub(crate) fn open(context: &CliContext) -> LoadedLibrary {
    let library = context.library();
    for problem in &library.problems {
        let told = problem.told(context.lang);
        let head = context.say("warning", "警告");
        let line = format!("{head}[{}]: {}: {}", told.code, told.at, told.message);
        note!("{}", sanitize(&line, MOST_COLUMNS));
        if let Some(next) = told.next {
            note!("{}", sanitize(&format!("  next: {next}"), MOST_COLUMNS));
        }
    }
    library
}

/// Returns the origin of an item for JSON output: its file, or `embedded`.
pub(super) fn source(file: Option<&Path>) -> String {
    file.map_or_else(|| "embedded".to_owned(), |file| file.display().to_string())
}

/// Returns the origin of an item for people.
pub(super) fn told_source(context: &CliContext, file: Option<&Path>) -> String {
    file.map_or_else(|| context.say("embedded", "内置"), |file| file.display().to_string())
}
