//! The words and decisions of Praxis. Pure: no clock, no randomness, no files, no network, no async.
//!
//! A task is a list of facts, the journal. State is a fold over it. `decide` looks at the state and
//! says which effects should be in flight. Everything here is one of these three.
//!
//! The modules stand in a fixed order, drawn in `docs/ARCHITECTURE.md` and held by `cargo xtask tidy`: each knows
//! only modules that stand before it.

// A new event, status or fault must fail to compile until somebody says what it means everywhere.
#![deny(clippy::wildcard_enum_match_arm)]

// Leaves.

pub mod ids;

pub mod time;

pub mod lang;

pub mod hash;

pub mod near;

pub mod mask;

pub mod field_error;

pub mod pointer;

pub mod payload;

pub mod document;

pub mod schema;

pub mod text;

// What tasks are made of.

pub mod dataflow;

pub mod problem;

pub mod choice;

pub mod ask;

pub mod slot;

pub mod call;

pub mod budget;

pub mod fault;

pub mod intake;

pub mod goal;

// Facts, and the state that they give.

pub mod journal;

pub mod flow;

pub mod state;

mod fold;

// What decisions stand on.

pub mod route;

pub mod planner;

pub mod prompt;

pub mod library;

pub mod effect;

pub mod inputs;

pub mod stage;

// Decisions.

pub mod evaluate;

pub mod learn;

pub mod plan;

pub mod recover;

pub mod execute;

pub mod finalize;

pub mod decide;

// Looking back.

pub mod replay;

pub mod view;

pub use fold::{IllegalEvent, MOST_LOSSES};
