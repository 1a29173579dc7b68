//! Praxis core as the manual describes it. Each test names its rows of the checklist.
#![allow(
    clippy::needless_pass_by_value,
    clippy::wildcard_enum_match_arm,
    clippy::format_collect,
    reason = "a test reads better with `json!` in place, and looks at the events it is about"
)]
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

mod account;

mod walls;

mod properties;

mod choice;

mod memory;

mod flow_check;

mod slot;

mod slot_words;

mod slot_properties;

mod example;

mod goal;

mod goal_choice;

mod tool_choice;

mod plan_cache;

mod thoughts;

mod endow;

mod golden;

mod snapshot;

mod quirks;

mod trim;

mod answers;

mod prompt;

mod route;

mod calls_page;
