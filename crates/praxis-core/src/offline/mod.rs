//! Plans without a model: what a request says is found in its words, and tools are put together so that they serve it.

pub mod values;
