//! Flows drawn.
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
mod flow_draw;
