//! Plans as they come in: reading, checking and sorting, and the steps and nodes that they consist of.

pub mod reserved;

pub mod unanswered;

pub mod node;

pub mod plan;

pub mod rename;

pub mod check;
