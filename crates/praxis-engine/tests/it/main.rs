//! The simulator: every scenario is crashed after every event, taken up again, and must end the same.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests stop at the first surprise, their helpers too"
)]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks at the events it is about")]

mod ledger;

mod long_results;

mod planned_once;
mod scenario;

mod simulate;

mod crashes;

mod faults;

mod goal_rig;

mod goal_story;

mod goal_messages;

mod goals;

mod recall;

mod choices;

mod seed_stream;

mod cut_plans;

mod languages;

mod hostile;

mod expiry;

mod approvals;

mod golden;

mod drive;

mod snapshots;

mod pieces;

mod flows;

mod registry;

mod renew;
