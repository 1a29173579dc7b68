//! x

pub mod builtin;
