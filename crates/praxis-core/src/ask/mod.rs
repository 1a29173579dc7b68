//! Requests to models, and the parsing of their replies. Pure: an adapter transports the bytes.

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
