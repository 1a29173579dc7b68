//! The domain model and the decisions of Praxis. Pure: no clock, no randomness, no files, no network, no async.
//!
//! A task is a list of events, its journal. The state is a fold over the journal. `decide` reads the state and
//! returns the effects that should be in flight. Everything in this crate belongs to one of the three.
//!
//! The modules stand in a fixed order, drawn in `docs/ARCHITECTURE.md` and enforced by `cargo xtask tidy`: each
//! module uses only modules that stand before it.

// A new event, status or fault must not compile until every match handles it.
#![deny(clippy::wildcard_enum_match_arm)]

// Leaf modules.

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

// The parts of a task.

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

// Events, and the state that is folded from them.

pub mod journal;

pub mod flow;

pub mod state;

mod fold;

// The inputs of decisions.

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

// Replay and views.

pub mod replay;

pub mod view;

pub use fold::{IllegalEvent, MAX_LOSSES};
