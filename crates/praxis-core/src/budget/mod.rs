//! The budget of a task: its limits, and the amounts spent and reserved.

pub mod ledger;

pub mod limit;

pub mod same;
