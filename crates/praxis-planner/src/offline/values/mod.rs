//! Finds the values in a text that could be arguments of a tool: numbers, dates, paths, names, lists and quotes.
//!
//! - in: a request as a person wrote it, in Chinese, English or both
//! - out: typed values with their positions; a longer reading and its parts may both be included
//! - never: reads a clock, knows a tool, or takes time out of proportion to the length of the text

mod found_value;

mod scan;

mod page;

mod quotes;

mod brackets;

mod addresses;

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
pub use found_value::{FoundValue, ValueKind};
pub use merge::values;
pub use units::leading_unit;
