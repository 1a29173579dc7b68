//! Converts schemas and values of the suites to the notation of Praxis.

use serde_json::{Map, Value, json};

/// Converts a declared schema to JSON Schema; descriptions, enums and defaults are kept.
pub(crate) fn schema(declared: &Value) -> Value {
    let Some(declared) = declared.as_object() else { return json!({}) };
    let mut schema = Map::new();
    let word = declared.get("type").and_then(Value::as_str);
    if let Some(word) = word.and_then(crate::dataflow::json_type) {
        schema.insert("type".to_owned(), json!(word));
    }
    for kept in ["description", "enum", "required", "default"] {
        if let Some(value) = declared.get(kept).filter(|value| !value.is_boolean()) {
            schema.insert(kept.to_owned(), value.clone());
        }
    }
    if let Some(Value::Object(properties)) = declared.get("properties") {
        let inner = properties.iter().map(|(name, inner)| (name.clone(), self::schema(inner)));
        schema.insert("properties".to_owned(), inner.collect());
    }
    if let Some(items @ Value::Object(_)) = declared.get("items") {
        schema.insert("items".to_owned(), self::schema(items));
    }
    Value::Object(schema)
}

/// Escapes placeholder syntax in a value, so that a plan takes it literally.
pub(crate) fn literal(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(text.replace("{{", "\\{{").replace("${", "\\${")),
        Value::Array(items) => items.iter().map(literal).collect(),
        Value::Object(map) => map.iter().map(|(key, item)| (key.clone(), literal(item))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
