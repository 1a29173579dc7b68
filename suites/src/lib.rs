//! Runs Praxis against public suites, whose data is not part of the repository.

pub mod report;

mod rig;

mod cases;

mod equal;

mod dataflow;

pub mod scheduler;

pub mod recorded;

pub mod conformance;

pub mod goals;

mod selection;

mod case_plans;

mod planning;

mod offline;

mod plan_cache;

mod run;

pub use run::{SuiteArgs, run};
