//! What a task may spend, what it has spent, and the walls at which it stops.

pub mod ledger;

pub mod limit;

pub mod same;
