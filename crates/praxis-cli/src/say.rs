//! Output to stdout and stderr. Write errors are ignored: a closed pipe must not stop a task.

use std::io::Write;

/// Prints a line of the result on stdout.
macro_rules! out {
    ($($text:tt)*) => { $crate::say::print_out(&format!("{}\n", format_args!($($text)*))) };
}

/// Prints a line about the progress on stderr.
macro_rules! note {
    ($($text:tt)*) => { $crate::say::print_note(&format!("{}\n", format_args!($($text)*))) };
}

/// Prints text on stdout.
pub(crate) fn print_out(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Prints text on stderr.
pub(crate) fn print_note(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
