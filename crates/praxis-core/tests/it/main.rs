//! Praxis core as the manual describes it. Each test names its rows of the checklist.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests stop at the first surprise, their helpers too"
)]

mod layers;

mod world;

mod dataflow;

mod sync;

mod plan;

mod execute;

mod actions;

mod legality;

mod recover;

mod walls;

mod properties;
