//! The binary under bad treatment: killed, starved, cut off, lied to. Nothing acknowledged is lost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests stop at the first surprise, their helpers too"
)]

mod rig;

mod approvals;

mod help;

mod strace;

mod kill;

mod orphans;

mod owner;

mod full;

mod record;

mod disk;

mod powerloss;

mod eio;

mod damage;

mod descriptors;

mod newer;

mod log;

mod http;

mod said;

mod schema;

mod commands;

mod questions;

mod form;

mod doctor;

mod terminal;

mod guide;

mod toolbox;

mod tool;

mod experience;

mod offline;

mod plan_cache;

mod flow;

mod flow_retry;

mod events;

mod example;

mod flow_kill;

mod flow_cancel;

mod flow_schema;

mod flow_minds;

mod intake;

mod hostile;

mod bad_input;

mod past;

mod library;

mod model;

mod model_standing;

mod raw;

mod goal_rig;

mod goal;

mod goal_continue;

mod goal_stop;

mod goal_asks;

mod goal_show;

mod goal_tools;

mod goal_test;

mod goal_waits;

mod goal_words;

mod goal_seed;
