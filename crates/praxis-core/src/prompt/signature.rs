//! A tool as a model reads it: one line with names and types, then a line for each parameter that needs words.
//!
//! - in: a manifest
//! - out: a signature, about half as long as its JSON schema, with types, enums and descriptions kept
//! - never: grows without bound

use crate::call::schema;
use crate::call::tool::{Risk, Tool};
use serde_json::Value;
use std::fmt::Write;

/// How deep objects are spelled out.
const DEEPEST: usize = 2;
const DESCRIPTION_CHARS: usize = 400;
const BRIEF_CHARS: usize = 120;
const PARAMETER_CHARS: usize = 160;
/// So many words of an enum are shown.
const MOST_WORDS: usize = 20;

/// The whole signature.
pub fn signature(tool: &Tool) -> String {
    let mut out = format!("{}({})", tool.id, parameters(&tool.input_schema, 0));
    if let Some(output) = &tool.output_schema {
        let _ = write!(out, " -> {}", kind(output, 0));
    }
    match tool.risk() {
        Risk::Read => {}
        Risk::Write => out.push_str(" [write]"),
        Risk::Irreversible => out.push_str(" [irreversible]"),
    }
    let described = line(&tool.description, DESCRIPTION_CHARS);
    if !described.is_empty() {
        let _ = write!(out, ": {described}");
    }
    for (name, property) in properties(&tool.input_schema) {
        let words = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let words = line(words, PARAMETER_CHARS);
        if !words.is_empty() {
            let _ = write!(out, "\n  {name}: {words}");
        }
    }
    out
}

/// One short line, for choosing.
pub fn brief(tool: &Tool) -> String {
    let named =
        if tool.name == tool.id.as_str() { String::new() } else { format!(" ({})", tool.name) };
    let tags =
        if tool.tags.is_empty() { String::new() } else { format!(" [{}]", tool.tags.join(", ")) };
    format!("{}{named}{tags}: {}", tool.id, line(&tool.description, BRIEF_CHARS))
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn parameters(schema: &Value, depth: usize) -> String {
    let required: Vec<&str> = schema::required(schema).collect();
    let one = |(name, property): (&String, &Value)| {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        let default = property.get("default").map(|value| format!(" = {value}"));
        format!("{name}{mark}: {}{}", kind(property, depth + 1), default.unwrap_or_default())
    };
    properties(schema).map(one).collect::<Vec<_>>().join(", ")
}

/// A type in a few signs: `string`, `number`, `"a" | "b"`, `[string]`, `{id: string}`.
fn kind(schema: &Value, depth: usize) -> String {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let shown: Vec<String> = words.iter().take(MOST_WORDS).map(Value::to_string).collect();
        let more = if words.len() > MOST_WORDS { " | …" } else { "" };
        return shown.join(" | ") + more;
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => {
            let items = schema.get("items").map_or("any".to_owned(), |items| kind(items, depth));
            format!("[{items}]")
        }
        Some(Value::String(name)) if name == "object" => {
            let fields = parameters(schema, depth);
            let plain = fields.is_empty() || depth > DEEPEST;
            if plain { "object".to_owned() } else { format!("{{{fields}}}") }
        }
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | ")
        }
        _ => "any".to_owned(),
    }
}

/// A text in one line, cut.
fn line(text: &str, most: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= most {
        return words;
    }
    words.chars().take(most).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::manifest;
    use serde_json::json;

    #[test]
    fn a_signature_keeps_types_enums_and_what_is_required() {
        let tool = json!({"id": "book", "builtin": "noop", "description": "Books\n a room", "risk": "write",
            "input_schema": {"type": "object", "required": ["room"], "properties": {
                "room": {"type": "string", "description": "its id"},
                "size": {"enum": ["s", "l"]}, "days": {"type": "integer", "default": 1},
                "who": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}}},
            "output_schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}});
        let tool = manifest::read(&tool).unwrap().remove(0);
        let expected = "book(days?: integer = 1, room: string, size?: \"s\" | \"l\", who?: [{name?: string}]) \
             -> {id: string} [write]: Books a room\n  room: its id";
        assert_eq!(signature(&tool), expected);
        assert_eq!(brief(&tool), "book: Books a room");
    }
}
