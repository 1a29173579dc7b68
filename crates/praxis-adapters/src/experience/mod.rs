//! Experiences of finished tasks: a file of JSON lines, and its content in memory.

pub mod line;

pub mod file;

mod known;
