//! Generates values from declared types, different at every place so that mix-ups are detected.

use serde_json::{Map, Value, json};

/// Returns the JSON Schema type for a type name of the data.
pub(crate) fn json_type(word: &str) -> Option<&'static str> {
    match word.to_lowercase().as_str() {
        "str" | "string" => Some("string"),
        "int" | "integer" => Some("integer"),
        "float" | "number" => Some("number"),
        "bool" | "boolean" => Some("boolean"),
        "list" | "array" => Some("array"),
        "dict" | "object" => Some("object"),
        _ => None,
    }
}

/// Converts a declaration of the data to a JSON Schema.
pub(crate) fn schema(declared: &Value) -> Value {
    let mut schema = Map::new();
    let word = declared.get("type").and_then(Value::as_str);
    if let Some(word) = word.and_then(json_type) {
        schema.insert("type".to_owned(), json!(word));
    }
    if let Some(Value::Object(properties)) = declared.get("properties") {
        schema.insert("properties".to_owned(), schemas(properties));
    }
    if let Some(items @ Value::Object(_)) = declared.get("items") {
        schema.insert("items".to_owned(), self::schema(items));
    }
    Value::Object(schema)
}

/// Converts the properties of an object.
pub(crate) fn schemas(properties: &Map<String, Value>) -> Value {
    properties.iter().map(|(name, declared)| (name.clone(), schema(declared))).collect()
}

/// Generates a value that fits a schema and is derived from its place.
pub(crate) fn sample(schema: &Value, place: &str) -> Value {
    let number = place.bytes().fold(7_u64, |sum, byte| (sum * 31 + u64::from(byte)) % 1_000_003);
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => json!(number),
        Some("number") => json!(number as f64 + 0.25),
        Some("boolean") => json!(number % 2 == 1),
        Some("array") => {
            let open = json!({});
            let items = schema.get("items").unwrap_or(&open);
            (0..2).map(|index| sample(items, &format!("{place}/{index}"))).collect()
        }
        Some("object") => match schema.get("properties").and_then(Value::as_object) {
            Some(properties) => properties
                .iter()
                .map(|(name, inner)| (name.clone(), sample(inner, &format!("{place}/{name}"))))
                .collect(),
            None => json!({"of": place}),
        },
        _ => json!(place),
    }
}
