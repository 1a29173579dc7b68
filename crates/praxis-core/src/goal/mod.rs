//! Everything a goal is pinned to at submission: its spec, plan reuse, earlier work and strategy.

pub mod strategy;

pub mod plan_reuse;

pub mod spec;

pub mod history;
