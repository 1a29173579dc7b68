//! What a finished task teaches.

pub mod case;

pub mod experience;

pub mod memory;

pub mod look_back;

mod by_rules;
