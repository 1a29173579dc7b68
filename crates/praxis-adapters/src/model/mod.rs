//! Language models behind OpenAI-compatible endpoints.

mod card;

mod wire;

mod heard;

mod client;

pub use card::{Card, Rung, Thoughts};
pub use client::{Bounds, Endpoint, OpenAi};
