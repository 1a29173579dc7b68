//! What a tool answered, as a value.

use praxis_core::document::read_json;
use serde_json::Value;

/// JSON if it is, text if it is not, `null` if there is nothing.
pub(crate) fn value(answer: &[u8]) -> Value {
    let text = String::from_utf8_lossy(answer);
    let text = text.trim();
    if text.is_empty() {
        return Value::Null;
    }
    read_json(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
