//! The journal: events with their payloads, reading of stored events, and the checksum chain.

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
