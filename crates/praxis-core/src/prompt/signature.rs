//! Renders a tool for a model: one line with names and types, then one line per described parameter.
//!
//! - in: a manifest, and the language of the task
//! - out: a signature, about half as long as the JSON schema, with types, enums and descriptions
//! - never: grows without bound

use crate::call::risk::Risk;
use crate::call::tool::Tool;
use crate::lang::Lang;
use crate::schema;
use crate::schema::description::description;
use serde_json::Value;
use std::fmt::Write;

/// The depth down to which nested objects are written out.
const DEEPEST: usize = 2;
const DESCRIPTION_CHARS: usize = 400;
const BRIEF_CHARS: usize = 120;
const PARAMETER_CHARS: usize = 160;
/// The number of tags shown to a model. The tags after them only serve tool search.
const MOST_TAGS: usize = 8;
/// The length above which an output type is reduced to its top-level fields.
const OUTPUT_CHARS: usize = 240;
/// The number of enum values shown.
const MOST_WORDS: usize = 20;

/// Returns the full signature. Described parameters get a line of their own; the others stand in the parentheses.
pub fn signature(tool: &Tool, lang: Lang) -> String {
    let schema = &tool.input_schema;
    let (described, bare): (Vec<_>, Vec<_>) = properties(schema)
        .map(|(name, property)| (parameter(schema, name, property), words(property, lang)))
        .partition(|(_, words)| !words.is_empty());
    let bare: Vec<String> = bare.into_iter().map(|(parameter, _)| parameter).collect();
    let mut out = format!("{}({})", tool.id, bare.join(", "));
    if let Some(output) = &tool.output_schema {
        let _ = write!(out, " -> {}", outputs(output));
    }
    match tool.risk() {
        Risk::Read => {}
        Risk::Write => out.push_str(" [write]"),
        Risk::Irreversible => out.push_str(" [irreversible]"),
    }
    let about = line(tool.told(lang).1, DESCRIPTION_CHARS);
    if !about.is_empty() {
        let _ = write!(out, ": {about}");
    }
    for (parameter, words) in described {
        let _ = write!(out, "\n  {parameter}, {words}");
    }
    out
}

fn words(property: &Value, lang: Lang) -> String {
    line(description(property, lang).unwrap_or_default(), PARAMETER_CHARS)
}

/// Renders the output type with nested fields if that is short enough, otherwise with top-level fields only.
fn outputs(schema: &Value) -> String {
    let deep = fields(schema, 0);
    if deep.chars().count() <= OUTPUT_CHARS {
        deep
    } else {
        line(&fields(schema, DEEPEST), OUTPUT_CHARS)
    }
}

/// Renders the fields of an output. Plans read outputs by name, so strings show no type and optional fields no mark.
fn fields(schema: &Value, depth: usize) -> String {
    let one = |(name, property): (&String, &Value)| match fields(property, depth + 1).as_str() {
        "string" | "any" => name.clone(),
        kind => format!("{name}: {kind}"),
    };
    let is = |wanted: &str| schema.get("type").and_then(Value::as_str) == Some(wanted);
    if is("array") {
        let items = schema.get("items").map_or("any".to_owned(), |items| fields(items, depth));
        return format!("[{items}]");
    }
    let named: Vec<String> = properties(schema).map(one).collect();
    match (named.is_empty(), depth > DEEPEST) {
        (false, false) => format!("{{{}}}", named.join(", ")),
        (false, true) => "object".to_owned(),
        (true, _) => kind(schema, depth),
    }
}

/// Returns a one-line summary for tool selection.
pub fn brief(tool: &Tool, lang: Lang) -> String {
    let (name, about) = tool.told(lang);
    let named = if name == tool.id.as_str() { String::new() } else { format!(" ({name})") };
    let tags: Vec<&str> = tool.tags_in(lang).iter().take(MOST_TAGS).map(String::as_str).collect();
    let tags = if tags.is_empty() { String::new() } else { format!(" [{}]", tags.join(", ")) };
    format!("{}{named}{tags}: {}", tool.id, line(about, BRIEF_CHARS))
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn parameters(schema: &Value, depth: usize) -> String {
    let one = |(name, property): (&String, &Value)| inner(schema, name, property, depth);
    properties(schema).map(one).collect::<Vec<_>>().join(", ")
}

/// Renders a parameter with its type; `?` marks an optional one.
fn parameter(schema: &Value, name: &str, property: &Value) -> String {
    inner(schema, name, property, 0)
}

fn inner(schema: &Value, name: &str, property: &Value, depth: usize) -> String {
    let mark = if schema::required(schema).any(|required| required == name) { "" } else { "?" };
    let default = property.get("default").map(|value| format!(" = {value}"));
    match (kind(property, depth + 1).as_str(), default) {
        ("any", None) => format!("{name}{mark}"),
        (kind, default) => format!("{name}{mark}: {kind}{}", default.unwrap_or_default()),
    }
}

/// Renders a type in short form: `string`, `number`, `"a" | "b"`, `[string]`, `{id: string}`.
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

/// Collapses a text into one line and cuts it at `most` characters.
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
            "output_schema": {"type": "object", "properties": {"id": {"type": "string"}, "price": {"type": "number"},
                "at": {"type": "object", "properties": {"day": {"type": "string"}}}}}});
        let tool = manifest::read(&tool).unwrap().remove(0);
        let expected = "book(days?: integer = 1, size?: \"s\" | \"l\", who?: [{name?: string}]) \
             -> {at: {day}, id, price: number} [write]: Books a room\n  room: string, its id";
        assert_eq!(signature(&tool, Lang::En), expected);
        assert_eq!(brief(&tool, Lang::En), "book: Books a room");
    }

    #[test]
    fn a_tool_is_shown_in_the_language_of_the_task_alone() {
        let tool = json!({"id": "sort", "builtin": "noop", "description": "Sorts rows", "risk": "read",
            "tags": ["order"],
            "translations": {"zh": {"name": "排序", "description": "对行排序", "tags": ["排列"]}},
            "input_schema": {"type": "object", "required": ["by"], "properties": {
                "by": {"type": "string", "description": "the column", "translations": {"zh": "排序列"}}}}});
        let tool = manifest::read(&tool).unwrap().remove(0);
        assert_eq!(signature(&tool, Lang::En), "sort(): Sorts rows\n  by: string, the column");
        assert_eq!(signature(&tool, Lang::Zh), "sort(): 对行排序\n  by: string, 排序列");
        assert_eq!(brief(&tool, Lang::En), "sort [order]: Sorts rows");
        assert_eq!(brief(&tool, Lang::Zh), "sort (排序) [排列]: 对行排序");
    }

    #[test]
    fn of_many_tags_a_model_sees_the_first_eight() {
        let tags: Vec<String> = (1..=30).map(|n| format!("t{n}")).collect();
        let tool = json!({"id": "look", "builtin": "noop", "description": "Looks", "risk": "read", "tags": tags,
            "input_schema": {"type": "object"}});
        let tool = manifest::read(&tool).unwrap().remove(0);
        assert_eq!(brief(&tool, Lang::En), "look [t1, t2, t3, t4, t5, t6, t7, t8]: Looks");
        assert_eq!(signature(&tool, Lang::En), "look(): Looks");
    }

    #[test]
    fn a_long_output_is_told_by_its_first_fields() {
        let inner: serde_json::Map<String, Value> =
            (0..40).map(|n| (format!("field_{n}"), json!({"type": "string"}))).collect();
        let tool = json!({"id": "look", "builtin": "noop", "risk": "read", "input_schema": {"type": "object"},
            "output_schema": {"type": "object", "properties": {
                "rows": {"type": "array", "items": {"type": "object", "properties": inner}},
                "count": {"type": "integer"}}}});
        let tool = manifest::read(&tool).unwrap().remove(0);
        assert_eq!(signature(&tool, Lang::En), "look() -> {count: integer, rows: [object]}");
    }
}
