//! Calls that ask a model: what is sent, what is set aside for it, and what its answer means.
//!
//! - in: the arguments of a step whose call asks a model, and what the task knows besides
//! - out: the request, the start of the call or the wall before it, the output
//! - never: asks

mod parts;

mod words;

mod digest;

mod llm;

mod slot;

pub(super) mod agent;

pub mod situation;

pub mod begin;
