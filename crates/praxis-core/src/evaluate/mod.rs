//! Whether the goal is reached.

pub mod judge;

pub mod result;

pub mod extract;

pub mod promise;
