//! Small readers of words that slots and routes share: phrases found in a text, and pairs of names and values.

pub(crate) mod phrase;

pub mod pairs;
