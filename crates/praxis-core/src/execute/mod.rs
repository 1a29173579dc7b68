//! Runs a plan: starts steps, advances frames, fills parameters and applies approval policies.

pub mod frame;

mod agent;

pub mod own_calls;

pub mod slots;

pub mod approval;

pub mod model_step;

pub mod written;

pub mod twin;

pub mod gather;

pub mod started;
