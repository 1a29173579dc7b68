//! A JSON value, given as it is or as text.

use super::error::BuiltinError;
use praxis_core::document::read_json;
use serde_json::Value;

/// Parses a text that must be JSON.
pub(crate) fn read(at: &str, text: &str) -> Result<Value, BuiltinError> {
    read_json(text).map_err(|error| BuiltinError::argument(at, format!("it is no JSON: {error}")))
}

/// Returns the value itself, or parses it if it is a string.
pub(crate) fn opened(at: &str, given: Value) -> Result<Value, BuiltinError> {
    match given {
        Value::String(text) => read(at, &text),
        other => Ok(other),
    }
}
