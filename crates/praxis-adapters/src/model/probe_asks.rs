//! Builds the requests of a probe and grades the replies. Pure.

use super::probe_words::Grade;
use praxis_core::ask::json;
use praxis_core::ask::reply::ModelReply;
use serde_json::{Value, json};

/// Returns a schema that no model follows by chance; without `pattern` if `plain`.
pub(super) fn schema(plain: bool) -> Value {
    let mut code = json!({"type": "string"});
    if let (Value::Object(code), false) = (&mut code, plain) {
        code.insert("pattern".to_owned(), "^[A-Z][0-9]$".into());
    }
    json!({
        "type": "object", "additionalProperties": false, "required": ["colour", "code"],
        "properties": {"colour": {"enum": ["red", "green"]}, "code": code},
    })
}

/// Returns the `response_format` that asks for this schema.
pub(super) fn form(plain: bool) -> Value {
    json!({"type": "json_schema", "json_schema": {
        "name": "probe", "strict": true, "schema": schema(plain),
    }})
}

/// Returns the one tool that is offered.
pub(super) fn tools() -> Value {
    json!([{"type": "function", "function": {
        "name": "weather", "description": "The weather in a city.",
        "parameters": {"type": "object", "required": ["city"],
                       "properties": {"city": {"type": "string"}}},
    }}])
}

/// Grades a reply by its match with the schema.
pub(super) fn enforced(reply: &ModelReply) -> (Grade, String) {
    let fits = |value: &Value| {
        let colour = value.get("colour").and_then(Value::as_str);
        matches!(colour, Some("red" | "green")) && value.get("code").is_some_and(Value::is_string)
    };
    let fits = json::find(&reply.text, fits).is_ok();
    (if fits { Grade::Yes } else { Grade::Partly }, short(&reply.text))
}

/// Grades a reply by its tool call.
pub(super) fn called(reply: &ModelReply) -> (Grade, String) {
    let Some(call) = reply.tool_calls.first() else { return (Grade::No, short(&reply.text)) };
    let note = short(&format!("{} {}", call.name, call.arguments));
    let sure = reply.repairs.iter().all(|repair| repair.is_lossless());
    (if sure { Grade::Yes } else { Grade::Partly }, note)
}

/// Returns the first 80 characters.
pub(super) fn short(text: &str) -> String {
    text.trim().chars().take(80).collect()
}
