//! Lines on stdout and stderr. Nobody reading is no reason to stop: a task goes on without its reader.

use std::io::Write;

/// A line of the result, on stdout.
macro_rules! out {
    ($($text:tt)*) => { $crate::say::print_out(&format!("{}\n", format_args!($($text)*))) };
}

/// A line about the work, on stderr.
macro_rules! note {
    ($($text:tt)*) => { $crate::say::print_note(&format!("{}\n", format_args!($($text)*))) };
}

/// Text on stdout.
pub(crate) fn print_out(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Text on stderr.
pub(crate) fn print_note(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
