//! A JSON value, given as it is or as text.

use super::error::BuiltinError;
use super::wording::prefixed;
use praxis_core::document::{UnreadableDocument, read_json};
use praxis_core::problem::Bilingual;
use serde_json::Value;

/// Parses a text that must be JSON.
pub(crate) fn read(at: &str, text: &str) -> Result<Value, BuiltinError> {
    read_json(text).map_err(|error| BuiltinError::argument(at, not_json(&error)))
}

/// Says that a text is not JSON.
pub(crate) fn not_json(error: &UnreadableDocument) -> Bilingual {
    prefixed("not valid JSON: ", "不是有效的 JSON：", &error.words())
}

/// Returns the value itself, or parses it if it is a string.
pub(crate) fn opened(at: &str, given: Value) -> Result<Value, BuiltinError> {
    match given {
        Value::String(text) => read(at, &text),
        other => Ok(other),
    }
}
