//! The answer of a tool as a JSON value.

use praxis_core::document::read_json;
use serde_json::Value;

/// Parses an answer as JSON; falls back to a string, or to `null` if it is empty.
pub(crate) fn value(answer: &[u8]) -> Value {
    let text = String::from_utf8_lossy(answer);
    let text = text.trim();
    if text.is_empty() {
        return Value::Null;
    }
    read_json(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
