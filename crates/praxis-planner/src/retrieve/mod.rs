//! Finds what fits a text among thousands of documents: tools, and what earlier tasks did.
//!
//! - in: tools and past requests, kept up to date one by one; a goal in words
//! - out: the tools that it may need, each with a score and the words that speak for it
//! - never: reads a clock, asks a model, or depends on the order in which things were taught

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
