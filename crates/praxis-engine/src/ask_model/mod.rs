//! Makes model calls: those of a goal (`goal.rs`), and those of steps (`step.rs`).

pub(crate) mod goal;

pub(crate) mod step;
