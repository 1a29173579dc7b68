//! The end of a task: how it ended, and what the user is told on the way.

pub mod ending;

pub mod message;
