//! What finished tasks taught: a file of lines, and what is known from it.

pub mod line;

pub mod file;

mod known;
