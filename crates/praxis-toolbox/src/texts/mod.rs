//! Tools for text: render, find, replace, split, count.
//!
//! - in: texts of at most 16 MiB
//! - out: texts; positions in characters from zero, lines and columns from one
//! - never: interprets a pattern or an expression; a search text is literal

mod bound;

pub(crate) mod render_text;

mod search;

pub(crate) mod find_in_text;

pub(crate) mod replace_text;

pub(crate) mod split_text;

pub(crate) mod text_statistics;
