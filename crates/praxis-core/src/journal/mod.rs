//! The facts of a task and the chain that binds them.

pub mod event;

mod blobs;

pub mod read;

pub mod chain;

pub mod stream;

pub mod stream_goal;

pub mod seed;

pub mod replay;

pub mod portrait;

pub mod snapshot;
