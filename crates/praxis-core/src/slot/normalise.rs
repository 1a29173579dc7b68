//! Normalises schemas with types that JSON Schema does not have.
//!
//! - in: a schema that may use the types `date` and `timestamp`
//! - out: the equivalent standard schema: strings with a `format`
//! - never: changes a value, a default, or a property named `type`

use crate::schema::walk::with_inner;
use serde_json::{Map, Value, json};

/// The custom types and their formats.
const CUSTOM: [(&str, &str); 2] = [("date", "date"), ("timestamp", "date-time")];

/// Returns the standard form of a schema.
pub fn normalised(schema: &Value) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut map = with_inner(map, &mut normalised);
    if let Some(format) = custom(&mut map) {
        map.entry("format").or_insert_with(|| json!(format));
    }
    Value::Object(map)
}

/// Replaces a custom type, alone or in a list, and returns its format.
fn custom(map: &mut Map<String, Value>) -> Option<&'static str> {
    let kinds = map.get_mut("type")?;
    let format =
        |kind: &Value| CUSTOM.iter().find(|(custom, _)| kind == custom).map(|(_, format)| *format);
    if let Some(kinds) = kinds.as_array_mut() {
        let found = kinds.iter().find_map(format)?;
        kinds.retain(|kind| format(kind).is_none() && kind != "string");
        kinds.insert(0, json!("string"));
        return Some(found);
    }
    let found = format(kinds)?;
    *kinds = json!("string");
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    #[test]
    fn dates_and_timestamps_are_texts_of_a_format_wherever_schemas_stand() {
        let written = json!({
            "properties": {
                "type": {"type": "date"},
                "at": {"type": ["timestamp", "null"]},
                "list": {"items": {"type": "date", "format": "own"}, "default": {"type": "date"}},
                "one": {"const": {"type": "date"}, "anyOf": [{"type": "timestamp"}, true]},
            },
        });
        let standard = normalised(&written);
        assert_eq!(
            standard,
            json!({
                "properties": {
                    "type": {"type": "string", "format": "date"},
                    "at": {"type": ["string", "null"], "format": "date-time"},
                    "list": {"items": {"type": "string", "format": "own"}, "default": {"type": "date"}},
                    "one": {
                        "const": {"type": "date"},
                        "anyOf": [{"type": "string", "format": "date-time"}, true],
                    },
                },
            })
        );
        assert!(Schema::compile(&written).is_err() && Schema::compile(&standard).is_ok());
        assert_eq!(normalised(&standard), standard, "once is enough");
    }
}
