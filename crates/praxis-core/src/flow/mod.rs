//! Flows: plans that people write as text, with branches, loops and calls of other flows.
//!
//! A file is read ([`read`]), checked ([`check`]) and compiled to a plan ([`compile`]): its nodes become steps that
//! start by their incoming edges, and nodes inside a node become steps inside a step. The plan then runs in the same
//! executor as any other.

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
