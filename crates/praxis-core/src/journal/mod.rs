//! Facts: events with everything that they carry, how they are read, and the chain that binds them.

pub mod slot;

pub mod promise;

pub mod rung;

pub mod step_reflection;

pub mod task_reflection;

pub mod judgement;

pub mod selection;

pub mod case;

pub mod memory;

pub mod experience;

pub mod draft;

pub mod question;

pub mod options;

pub mod submission;

pub mod outcome;

pub mod event;

pub mod read;

mod blobs;

pub mod chain;
