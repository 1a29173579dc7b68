//! The words and decisions of Praxis. Pure: no clock, no randomness, no files, no network, no async.
//!
//! A task is a list of facts, the journal. State is a fold over it. `decide` looks at the state and
//! says which effects should be in flight. Everything here is one of these three.

// A new event, status or fault must fail to compile until somebody says what it means everywhere.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod ids;

pub mod time;

pub mod payload;

pub mod mask;

pub mod fault;

pub mod intake;

pub mod call;

pub mod ask;

pub mod budget;

pub mod goal;

pub mod plan;

pub mod flow;

pub mod dataflow;

pub mod choice;

pub mod slot;

pub mod prompt;

pub mod route;

pub mod journal;

pub mod execute;

pub mod evaluate;

pub mod recover;

pub mod retrieve;

pub mod offline;

pub mod finalize;

pub mod learn;

pub mod state;

mod fold;

pub mod decide;

pub use fold::{Illegal, MOST_LOSSES};

pub mod near;

pub mod pointer;

pub mod document;

pub mod problem;

pub mod schema;

pub mod text;

pub mod lang;

pub mod field_error;

pub mod hash;
