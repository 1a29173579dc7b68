//! Planning without a model: lexical tool search, extraction of values from a request, lexical plans, and plans of
//! earlier tasks filled with new values. Pure, like core.
//!
//! Core calls [`LexicalPlanner`] through its trait [`Planner`](praxis_core::planner::Planner).

// A new kind of value, status or fault must fail to compile until every match handles it.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod lexicon;

pub mod weights;

pub mod retrieve;

pub mod route;

pub mod offline;

mod lexical;

pub use lexical::LexicalPlanner;
