//! Adapts schemas to the demands of endpoints.

use serde_json::{Map, Value, json};

/// Keywords that many servers cannot turn into a grammar. Praxis validates the answer against them in any case.
const HARD: [&str; 10] = [
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "uniqueItems",
    "multipleOf",
];
/// Keywords whose values are schemas by name.
const NAMED: [&str; 4] = ["properties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose values are not schemas.
const DATA: [&str; 5] = ["enum", "const", "default", "examples", "required"];
/// Property that wraps an answer that is not an object.
const WRAPPED: &str = "value";

/// Returns the schema without the keywords of `HARD`.
pub(super) fn plain(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(word, _)| !HARD.contains(&word.as_str()));
            Value::Object(kept.map(|(word, value)| (word.clone(), inside(word, value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        other => other.clone(),
    }
}

fn inside(word: &str, value: &Value) -> Value {
    match value {
        Value::Object(named) if NAMED.contains(&word) => {
            let schemas = named.iter().map(|(name, schema)| (name.clone(), plain(schema)));
            Value::Object(schemas.collect())
        }
        data if DATA.contains(&word) => data.clone(),
        schema => plain(schema),
    }
}

/// Returns true if a schema may be marked `strict`: every object in it is closed, and all of its properties are
/// required.
pub(super) fn is_strict(schema: &Value) -> bool {
    let Some(map) = schema.as_object() else { return true };
    let properties = map.get("properties").and_then(Value::as_object);
    let is_object = properties.is_some() || map.get("type") == Some(&json!("object"));
    if is_object && !is_closed(map, properties) {
        return false;
    }
    let schemas = map.iter().filter(|(word, _)| !DATA.contains(&word.as_str()));
    schemas.into_iter().all(|(word, value)| match value {
        Value::Object(named) if NAMED.contains(&word.as_str()) => named.values().all(is_strict),
        Value::Array(schemas) => schemas.iter().all(is_strict),
        schema => is_strict(schema),
    })
}

fn is_closed(map: &Map<String, Value>, properties: Option<&Map<String, Value>>) -> bool {
    let required = map.get("required").and_then(Value::as_array);
    let is_required = |name: &String| {
        required.is_some_and(|required| required.iter().any(|known| known == name.as_str()))
    };
    map.get("additionalProperties") == Some(&Value::Bool(false))
        && properties.is_none_or(|properties| properties.keys().all(is_required))
}

/// Returns the schema as tool parameters, which must be an object.
pub(super) fn of_arguments(schema: &Value) -> Value {
    if is_of_object(schema) {
        return schema.clone();
    }
    json!({"type": "object", "properties": {WRAPPED: schema}, "required": [WRAPPED]})
}

/// Extracts the answer from the arguments of the forced tool.
pub(super) fn in_arguments(schema: &Value, mut arguments: Value) -> Value {
    match arguments.get_mut(WRAPPED) {
        Some(value) if !is_of_object(schema) => value.take(),
        _ => arguments,
    }
}

fn is_of_object(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("object")) || schema.get("properties").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_words_go_and_properties_of_the_same_names_stay() {
        let schema = json!({
            "type": "object", "required": ["pattern", "format"], "maxProperties": 3,
            "properties": {
                "pattern": {"type": "string", "pattern": "^a+$", "maxLength": 9},
                "format": {"enum": ["pattern"], "format": "date"},
                "list": {"type": "array", "minItems": 1, "items": {"minimum": 2, "type": "integer"}},
            },
            "$defs": {"maxLength": {"anyOf": [{"pattern": "x"}, {"type": "null"}]}},
        });
        assert_eq!(
            plain(&schema),
            json!({
                "type": "object", "required": ["pattern", "format"], "maxProperties": 3,
                "properties": {
                    "pattern": {"type": "string"},
                    "format": {"enum": ["pattern"]},
                    "list": {"type": "array", "items": {"type": "integer"}},
                },
                "$defs": {"maxLength": {"anyOf": [{}, {"type": "null"}]}},
            })
        );
    }

    #[test]
    fn a_schema_is_strict_if_every_object_in_it_is_closed_and_full() {
        let closed = |required: Value, inner: Value| {
            json!({"type": "object", "additionalProperties": false, "required": required,
                   "properties": {"a": inner}})
        };
        let text = json!({"type": "string"});
        assert!(is_strict(&closed(json!(["a"]), text.clone())));
        assert!(!is_strict(&closed(json!([]), text.clone())), "an optional property");
        assert!(!is_strict(&closed(json!(["a"]), json!({"type": "object"}))), "an open object");
        let items = json!({"type": "array", "items": closed(json!([]), text)});
        assert!(!is_strict(&closed(json!(["a"]), items)));
    }

    #[test]
    fn an_answer_that_is_no_object_is_wrapped_for_a_tool_and_comes_back_bare() {
        let list = json!({"type": "array"});
        assert_eq!(of_arguments(&list)["properties"]["value"], list);
        assert_eq!(in_arguments(&list, json!({"value": [1]})), json!([1]));
        let object = json!({"type": "object", "properties": {"value": {}}});
        assert_eq!(of_arguments(&object), object);
        assert_eq!(in_arguments(&object, json!({"value": 1})), json!({"value": 1}));
    }
}
