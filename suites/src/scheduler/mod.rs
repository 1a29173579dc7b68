//! The suite `scheduler`: workflows as plans of sleeping steps, compared with a list scheduler at 8 slots.
//!
//! - in: recorded workflows (tasks, parents, run times) and a generated one
//! - out: makespan over reference, exactly in virtual time, and on the real clock with a durable journal
//! - reference: the ready task with the longest chain to the end goes first; ties in the order of the data

pub mod workflow;

pub mod ideal;

pub mod generate;

mod plan;

pub mod virtual_time;

mod real_time;

pub(crate) mod run;
