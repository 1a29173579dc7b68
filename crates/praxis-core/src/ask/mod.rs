//! What is asked of a model, and how its answer is read. Pure: bytes come from an adapter.

pub mod request;

pub mod reply;
