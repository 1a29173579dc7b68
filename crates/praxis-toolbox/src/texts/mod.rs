//! Tools for text: fill in, find, replace, cut, count.
//!
//! - in: texts of at most 16 MiB
//! - out: texts, places in characters from zero, lines and columns from one
//! - never: reads a pattern or an expression: what is searched for is meant as it is written

mod bound;

pub(crate) mod render_text;

mod search;

pub(crate) mod find_in_text;

pub(crate) mod replace_text;

pub(crate) mod split_text;

pub(crate) mod text_statistics;
