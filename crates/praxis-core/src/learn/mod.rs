//! Learning from finished tasks.

pub mod case;

mod straight;

pub mod memory;

pub mod look_back;

mod by_rules;
