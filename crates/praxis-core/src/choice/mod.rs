//! Chooses one of several branches by conditions that are plain data.
//!
//! - in: branches whose conditions have resolved references, and the default
//! - out: the chosen branch and the reason, or a typed fault that names branch, condition and reason
//! - asks: nobody; there is no expression language to parse
//! - never: drops an untestable condition, or compares a number as text

pub mod kind;

pub mod number;

pub mod operator;

pub mod condition;

pub mod fault;

pub mod check;

pub mod branch;

pub mod choose;
