//! Whole goals against recorded calls: a model that knows the right calls plans, and the recording answers.
//!
//! - in: tasks of public suites with their right calls and, where there are, recorded results
//! - out: whether the right calls are made, after crashes too; what recovery, planning ahead and a stable prefix bring
//! - never: tells how good a model plans; the one here knows the answer

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
