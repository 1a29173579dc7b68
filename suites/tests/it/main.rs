//! Tests against the public suites, which are skipped where the data is not.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests stop at the first surprise, their helpers too"
)]

mod goals;

mod dataflow;

mod case_plans;

mod offline;

mod plan_cache;

mod scheduler;

mod recorded;

mod conformance;
