//! Tools for HTTP and JSON.
//!
//! - in: an address, or a value of JSON or its text
//! - out: values
//! - never: reaches a host that nobody granted or wrote, or reads an expression

mod address;

pub(crate) mod http_get;

pub(crate) mod api;

pub(crate) mod json_parse;

pub(crate) mod json_query;

pub(crate) mod json_merge;

pub(crate) mod json_validate;
