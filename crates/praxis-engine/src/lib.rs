//! Drives tasks: performs effects through seams, streams, cancels, holds deadlines.
//! The only place that awaits decisions.

pub mod seams;

pub mod clock;

pub mod tools;

pub mod registry;

pub mod arrival;

pub mod driver;

mod take;

mod mind;

mod perform;

mod confer;

mod shelf;

mod large;

mod held;

mod snapshots;

mod trace;

mod roster;

pub mod engine;

pub mod submit;

pub mod pursue;

mod continued;

pub mod wake;

pub mod order;

mod retry;

pub mod renew;

pub mod refused;

pub mod fork;
