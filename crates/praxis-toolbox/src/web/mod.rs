//! Tools for HTTP and JSON.
//!
//! - in: a URL, or a JSON value or its text
//! - out: JSON values
//! - never: reaches a host that is neither granted nor written in the flow, or evaluates an expression

mod address;

pub(crate) mod http_get;

pub(crate) mod api;

pub(crate) mod json_parse;

pub(crate) mod json_query;

pub(crate) mod json_merge;

pub(crate) mod json_validate;
