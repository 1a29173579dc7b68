//! The facts of a task and the chain that binds them.

pub mod event;

pub mod submission;

pub mod options;

pub mod outcome;

mod blobs;

pub mod read;

pub mod chain;

pub mod stream;

pub mod stream_goal;

pub mod seed;

pub mod seed_table;

pub mod change;

mod seed_task;

mod seed_flow;

mod seed_step;

mod seed_slot;

mod seed_envelope;

pub mod replay;

pub mod portrait;

pub mod snapshot;
