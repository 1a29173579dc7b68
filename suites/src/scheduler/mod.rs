//! Workflows as plans of sleeping steps: how near the engine comes to a list scheduler at 8 slots.
//!
//! - in: real workflows (tasks, parents, run times) and one generated
//! - out: makespan over reference, in virtual time exactly and on the real clock with a durable journal
//! - reference: the most urgent ready task first, by the longest chain to the end; ties as written

pub mod workflow;

pub mod ideal;

pub mod generate;

mod plan;

pub mod virtual_time;

mod real_time;

pub(crate) mod run;
