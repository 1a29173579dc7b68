//! The end of a `wait` step of a flow.

use crate::call::tool::span;
use crate::fault::Fault;
use crate::field_error::FieldError;
use crate::time::Timestamp;
use serde_json::Value;

/// Returns the end of a wait that starts now, from the argument `until` or `for`.
pub fn due(arguments: &Value, now: Timestamp) -> Result<Timestamp, Fault> {
    let wrong = |at: &str, words: (&str, &str)| Fault::ParamsInvalid {
        errors: vec![FieldError::new(at, words)],
    };
    if let Some(until) = arguments.get("until").and_then(Value::as_str) {
        let words =
            ("expected a time such as 2027-01-31T08:00:00Z", "应为如 2027-01-31T08:00:00Z 的时间");
        return Timestamp::parse(until).ok_or_else(|| wrong("/until", words));
    }
    let ms = span(arguments.get("for"));
    let words = ("expected a duration such as 30s, 5m or 2h", "应为如 30s、5m 或 2h 的时长");
    ms.map(|ms| now.plus_ms(ms)).ok_or_else(|| wrong("/for", words))
}
