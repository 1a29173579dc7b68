//! Whole goals against recorded calls: an oracle model that knows the expected calls plans, and the recording
//! answers.
//!
//! - in: tasks of public suites with their expected calls and, if available, recorded results
//! - out: the rate of expected calls that are made, also after crashes; the gain from recovery, plan-ahead and a
//!   stable prefix
//! - never: measures the planning quality of a model; the oracle knows the answer

pub mod case;

pub(crate) mod written;

mod tau;

mod bfcl;

mod workbench;

pub mod told;

pub mod oracle;

pub mod recording;

pub mod pursue;

pub mod crash;

pub mod kill;

pub(crate) mod work;

pub mod errs;

pub mod chance;

pub mod prefix;

pub mod course;

pub mod pace;

pub mod react;

mod offered;

pub(crate) mod sealtools;

pub(crate) mod nested;

pub mod degradation;

pub mod speed;

pub mod replay;
