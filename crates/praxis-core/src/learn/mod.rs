//! What a finished task teaches.

pub mod case;

pub mod wording;

mod slot;

mod constant;

mod promised;

pub mod template;

mod straight;

pub mod experience;

pub mod memory;

pub mod look_back;

mod by_rules;
