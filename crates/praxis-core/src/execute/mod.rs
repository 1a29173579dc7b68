//! Running a plan: what stands where, what can start, and how a start is made.

pub mod step;

pub mod node;

pub mod frame;

mod agent;

pub mod reckon;

pub mod slots;

pub mod approval;

pub mod speak;

pub mod written;

pub mod steps;

pub mod agenda;

pub mod start;

pub mod twin;

pub mod gather;
