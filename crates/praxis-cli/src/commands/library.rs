//! What the commands about prompts, scenes and workflows share.

use crate::context::CliContext;
use crate::failure::MOST_COLUMNS;
use crate::view::text::harmless;
use praxis_adapters::library::LoadedLibrary;
use std::path::Path;

/// The library. A file with a problem is not in force: that is said, and no reason to stop.
pub(crate) fn open(context: &CliContext) -> LoadedLibrary {
    let library = context.library();
    for problem in &library.problems {
        let told = problem.told(context.lang);
        let head = context.say("warning", "警告");
        let line = format!("{head}[{}]: {}: {}", told.code, told.at, told.message);
        note!("{}", harmless(&line, MOST_COLUMNS));
        if let Some(next) = told.next {
            note!("{}", harmless(&format!("  next: {next}"), MOST_COLUMNS));
        }
    }
    library
}

/// Where something comes from, for programs.
pub(super) fn source(file: Option<&Path>) -> String {
    file.map_or_else(|| "embedded".to_owned(), |file| file.display().to_string())
}

/// The same for people.
pub(super) fn told_source(context: &CliContext, file: Option<&Path>) -> String {
    file.map_or_else(|| context.say("embedded", "内置"), |file| file.display().to_string())
}
