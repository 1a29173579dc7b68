//! What a goal is pinned to when it is handed in: its brief, what it may use again, the work before it.

pub mod strategy;

pub mod plan_reuse;

pub mod spec;

pub mod history;
