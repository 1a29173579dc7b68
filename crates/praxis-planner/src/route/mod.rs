//! Relates a request to earlier work by its words.

mod cues;

pub mod strategy;
