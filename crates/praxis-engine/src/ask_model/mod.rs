//! Asks models: what a goal needs to be worked out (`goal.rs`), and calls of steps that ask one (`step.rs`).

pub(crate) mod goal;

pub(crate) mod step;
