//! Where a request belongs, by its words.

mod cues;

pub mod strategy;
