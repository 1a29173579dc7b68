//! The end of a task, and the progress messages on the way.

pub mod ending;

pub mod message;
