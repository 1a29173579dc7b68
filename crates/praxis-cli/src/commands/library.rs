//! Helpers of the prompt, scene and workflow commands.

use crate::context::CliContext;
use crate::failure::print_warnings;
use praxis_adapters::library::LoadedLibrary;
use std::path::Path;

/// Loads the library. Files with problems are not used; they are reported as warnings, and the command continues.
pub(crate) fn open(context: &CliContext) -> LoadedLibrary {
    let library = context.library();
    print_warnings(&library.problems, context.lang);
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
