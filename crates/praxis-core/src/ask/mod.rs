//! What is asked of a model, and how its answer is read. Pure: bytes come from an adapter.

pub mod errand;

pub mod request;

pub mod reply;

pub mod raw;

pub mod fault;

mod fault_words;

pub mod classify;

mod wait;

pub mod tokens;

pub mod usage;

pub mod price;

pub mod trim;

pub mod names;

pub mod json;

mod mend;

mod mend_text;

pub mod elements;

pub mod sse;

pub mod waiting;

pub mod split;

pub mod heard;

mod calls;

mod mend_call;

pub mod spoken;

pub mod stream;

pub mod listen;

pub mod body;
