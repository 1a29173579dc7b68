//! The suite `dataflow`: runs plans with known values, then checks that mutated plans are rejected.
//!
//! - in: gold plans of public suites, translated to plan documents
//! - out: the shares of correct values and references, and of mutated plans rejected with the right place
//! - never: uses the engine's resolution of references; expected values are computed here

mod case;

mod reference;

mod sample;

mod operators;

mod mathqa;

mod nestful;

mod nestful_specs;

pub(crate) mod nestools;

mod judge;

mod mutate;

pub(crate) mod run;

pub(crate) use case::{DeclaredTool, GoldPlan as Planned};

pub(crate) use nestful::planned;

pub(crate) use reference::placeholder;

pub(crate) use sample::{json_type, sample};
