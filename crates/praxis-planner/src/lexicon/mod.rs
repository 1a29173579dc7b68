//! The words by which requests are parsed, as data: prepositions, months, units, verbs and so on.
//!
//! - in: the files of `lexicon/` at the root of the repository, embedded
//! - out: lists of words, of characters, and of words with meanings; each is parsed once, on first use
//! - never: decides the use of a word: that is up to the code that reads the list
//!
//! A list is a section of a file: `[prepositions]` in `lexicon/en/phrases.txt` is `en::PREPOSITIONS`. Lists of one
//! language are in `en` and `zh`, the others in `any`. To add a word, add a line; see `CONTRIBUTING.md`.

mod sections;

mod entry;

mod list;

pub mod en;

pub mod zh;

pub mod any;

#[cfg(test)]
mod tests;

pub use entry::{LexiconEntry, NameGroup, UnitSize, UnitWord, WordGroup};
pub use list::LexiconList;
