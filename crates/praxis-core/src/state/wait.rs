//! The end of a `wait` step of a flow.

use crate::call::tool::span;
use crate::fault::Fault;
use crate::field_error::FieldError;
use crate::time::Timestamp;
use serde_json::Value;

/// Returns the end of a wait that starts now, from the argument `until` or `for`.
pub fn due(arguments: &Value, now: Timestamp) -> Result<Timestamp, Fault> {
    let wrong = |at: &str, detail: &str| Fault::ParamsInvalid {
        errors: vec![FieldError { pointer: at.to_owned(), detail: detail.to_owned() }],
    };
    if let Some(until) = arguments.get("until").and_then(Value::as_str) {
        return Timestamp::parse(until)
            .ok_or_else(|| wrong("/until", "no moment like 2027-01-31T08:00:00Z"));
    }
    let ms = span(arguments.get("for"));
    ms.map(|ms| now.plus_ms(ms)).ok_or_else(|| wrong("/for", "no span like 30s, 5m or 2h"))
}
