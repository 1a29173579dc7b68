//! What a probe sends, and how it looks at what comes back. Pure.

use super::probe_words::Grade;
use praxis_core::ask::json;
use praxis_core::ask::reply::ModelReply;
use serde_json::{Value, json};

/// A schema that no model would keep to by chance; with a pattern unless it is to be plain.
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

/// The form that asks for it.
pub(super) fn form(plain: bool) -> Value {
    json!({"type": "json_schema", "json_schema": {
        "name": "probe", "strict": true, "schema": schema(plain),
    }})
}

/// The tools that are offered: one.
pub(super) fn tools() -> Value {
    json!([{"type": "function", "function": {
        "name": "weather", "description": "The weather in a city.",
        "parameters": {"type": "object", "required": ["city"],
                       "properties": {"city": {"type": "string"}}},
    }}])
}

/// Whether an answer keeps to the schema.
pub(super) fn enforced(reply: &ModelReply) -> (Grade, String) {
    let fits = |value: &Value| {
        let colour = value.get("colour").and_then(Value::as_str);
        matches!(colour, Some("red" | "green")) && value.get("code").is_some_and(Value::is_string)
    };
    let fits = json::find(&reply.text, fits).is_ok();
    (if fits { Grade::Yes } else { Grade::Partly }, short(&reply.text))
}

/// Whether an answer calls a tool.
pub(super) fn called(reply: &ModelReply) -> (Grade, String) {
    let Some(call) = reply.tool_calls.first() else { return (Grade::No, short(&reply.text)) };
    let note = short(&format!("{} {}", call.name, call.arguments));
    let sure = reply.repairs.iter().all(|repair| repair.is_lossless());
    (if sure { Grade::Yes } else { Grade::Partly }, note)
}

/// The beginning of what was said.
pub(super) fn short(text: &str) -> String {
    text.trim().chars().take(80).collect()
}
