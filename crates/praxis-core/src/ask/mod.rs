//! What is asked of a model, and how its answer is read. Pure: bytes come from an adapter.

pub mod purpose;

pub mod request;

pub mod reply;

pub mod raw;

pub mod fault;

mod fault_words;

pub mod classify;

mod retry_after;

pub mod tokens;

pub mod usage;

pub mod price;

pub mod trim;

pub mod names;

pub mod json;

mod json_repair;

mod json_repair_text;

pub mod elements;

pub mod sse;

pub mod waiting;

pub mod reasoning;

pub mod token_meter;

mod calls;

mod json_repair_call;

pub mod text_calls;

pub mod stream;

pub mod listen;

pub mod body;
