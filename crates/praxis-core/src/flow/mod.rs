//! Flows: plans that people write as text, with branches, loops and other flows in them.
//!
//! A file is read ([`read`]), looked through ([`check`]) and made a plan ([`compile`]): its nodes are steps whose
//! turn comes by ways, and what is inside a node are steps inside a step. Everything after that is the one executor.

pub mod file;

pub mod problems;

pub mod read;

mod fields;

mod names;

mod loops;

pub mod edges;

mod branches;

pub mod agents;

mod people;

pub mod check;

pub mod references;

mod position;

mod gives;

mod conditions;

mod parameters;

pub mod types;

pub mod compile;

pub mod inputs;

pub mod line;

pub mod write;

pub mod diff;

pub mod environment;

pub mod reader;

pub mod location;
