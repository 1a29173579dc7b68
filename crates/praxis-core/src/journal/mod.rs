//! The facts of a task and the chain that binds them.

pub mod event;

pub mod chain;

pub mod stream;
