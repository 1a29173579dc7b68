//! The words that requests are read by: prepositions, months, units, verbs and the like, as data.
//!
//! - in: the files of `lexicon/` at the root of the repository, embedded
//! - out: lists of words, of characters, of words with what they mean; each is read once, when it is first needed
//! - never: decides what a word is good for: whoever reads a list says so
//!
//! A list is a section of a file: `[prepositions]` in `lexicon/en/phrases.txt` is `en::PREPOSITIONS`. Lists of one
//! language are in `en` and `zh`, the others in `any`. Adding a word is adding a line; `CONTRIBUTING.md` says how.

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
