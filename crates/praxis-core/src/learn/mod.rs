//! What a finished task teaches.

pub mod experience;

pub mod look_back;
