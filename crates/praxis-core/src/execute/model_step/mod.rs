//! Calls that ask a model: the request, the tokens reserved for it, and the meaning of the reply.
//!
//! - in: the arguments of a step whose call asks a model, and its context in the task
//! - out: the request, the start of the call or the budget limit that was reached, the output
//! - never: asks the model itself

mod parts;

mod words;

mod digest;

mod llm;

mod slot;

pub(super) mod agent;

pub mod situation;

pub mod begin;
