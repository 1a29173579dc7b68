//! Chooses one of several branches by conditions that are data.
//!
//! - in: branches with conditions whose references are resolved, and the default
//! - out: the branch that is taken and why, or a typed fault that names branch, condition and reason
//! - asks: nobody; there is no language of expressions to be read
//! - never: drops a condition that cannot be tested, or takes a number for its text

pub mod kind;

pub mod number;

pub mod operator;

pub mod condition;

pub mod fault;

pub mod check;

pub mod branch;

pub mod choose;
