//! Plans whose every value is known: run through the engine, then broken and refused.
//!
//! - in: gold plans of public suites, translated to plan documents
//! - out: how many values and references are right, how many broken plans are refused at their place
//! - never: looks at how the engine resolves a reference; what is expected is computed here

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
