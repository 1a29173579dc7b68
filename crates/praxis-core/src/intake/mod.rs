//! What comes in: documents, plans, parameters. Everything is checked here, once.

pub mod plan;

pub mod check;
