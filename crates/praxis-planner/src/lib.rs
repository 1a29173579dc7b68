//! Plans without a model: tools found by words, values read out of a request, tools put together to a plan, earlier
//! plans filled anew. Pure, like core.
//!
//! [`Lexical`] is what core calls, through its trait [`Planner`](praxis_core::planner::Planner).

// A new kind of value, status or fault must fail to compile until somebody says what it means everywhere.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod lexicon;

pub mod weights;

pub mod retrieve;

pub mod route;

pub mod offline;

mod lexical;

pub use lexical::LexicalPlanner;
