//! The adapters against the conformance suites of their seams, on a real disk and a real network.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests stop at the first surprise, their helpers too"
)]

mod journal;

mod snapshots;

mod experience;

mod http;

mod sql;

mod model;

mod library;

mod model_ladder;

mod model_rungs;

mod model_raw;

mod model_thoughts;

mod model_probe;

mod model_secret;

mod models;

#[cfg(feature = "gateway")]
mod gateway;
mod model_faults;
