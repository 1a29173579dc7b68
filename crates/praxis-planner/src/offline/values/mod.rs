//! Finds in a text what could be given to a tool: numbers, dates, paths, names, lists, and what stands in quotes.
//!
//! - in: a request as a person wrote it, in Chinese, English or both
//! - out: typed values with the place where each stands; a longer reading and its parts may both be there
//! - never: reads a clock, knows a tool, or takes more time than the length of the text allows

mod said;

mod scan;

mod page;

mod quotes;

mod brackets;

mod marks;

mod ids;

mod dates;

mod months;

mod times;

mod moments;

mod relative;

mod numerals;

mod number_words;

mod units;

mod numbers;

mod names;

mod chinese;

mod words;

mod lists;

mod keys;

mod merge;

#[cfg(test)]
mod tests;

pub(super) use chinese::is_tie;
pub use merge::values;
pub use said::{FoundValue, ValueKind};
pub use units::leading_unit;
