//! Plans as they come in: written, checked, sorted, and the steps and nodes that they are made of.

pub mod reserved;

pub mod unanswered;

pub mod node;

pub mod plan;

pub mod rename;

pub mod check;
