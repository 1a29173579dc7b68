//! What comes in: documents, plans, parameters. Everything is checked here, once.

pub mod document;

mod strict;

pub mod reason;

mod reason_words;

mod advice;

mod advice_flows;

mod advice_goals;

mod advice_models;

pub mod problem;

pub mod plan;

pub mod check;
