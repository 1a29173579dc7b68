//! What comes in: documents, plans, parameters. Everything is checked here, once.

pub mod document;

pub mod problem;

pub mod plan;

pub mod check;
