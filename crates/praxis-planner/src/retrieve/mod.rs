//! Lexical search over thousands of documents: tools, past cases and past goals.
//!
//! - in: tools and past requests, updated one by one; a goal in words
//! - out: the tools that it may need, each with a score and the words that match
//! - never: reads a clock, asks a model, or depends on the order of updates

pub mod words;

mod sentences;

mod stem;

pub mod synonyms;

pub mod index;

pub mod rank;

pub mod catalog;

mod producers;

pub mod cases;

pub mod goals;

mod case_votes;

pub mod chain;

pub mod search;
