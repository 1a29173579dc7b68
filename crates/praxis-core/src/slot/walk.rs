//! Where schemas stand inside a schema, and nothing else: a property may be called `$ref` or `type`.

use serde_json::{Map, Value};

const ONE: [&str; 11] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const LISTED: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// A copy of a schema in which every schema that stands directly in it is replaced.
pub(super) fn with_inner(
    schema: &Map<String, Value>,
    change: &mut dyn FnMut(&Value) -> Value,
) -> Map<String, Value> {
    let changed = |(key, value): (&String, &Value)| {
        let value = match value {
            Value::Array(items) if LISTED.contains(&key.as_str()) || key == "items" => {
                Value::Array(items.iter().map(&mut *change).collect())
            }
            Value::Object(named) if NAMED.contains(&key.as_str()) => {
                // `dependencies` may also name lists of properties, which are no schemas.
                let inner = |(name, value): (&String, &Value)| {
                    let value = if value.is_array() { value.clone() } else { change(value) };
                    (name.clone(), value)
                };
                Value::Object(named.iter().map(inner).collect())
            }
            other if ONE.contains(&key.as_str()) || key == "items" => change(other),
            other => other.clone(),
        };
        (key.clone(), value)
    };
    schema.iter().map(changed).collect()
}
