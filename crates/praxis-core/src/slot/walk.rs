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
    let inner = |(key, value): (&String, &Value)| {
        let key_is = |keys: &[&str]| keys.contains(&key.as_str());
        let changed =
            if let (true, Some(items)) = (key_is(&LISTED) || key == "items", value.as_array()) {
                Value::Array(items.iter().map(&mut *change).collect())
            } else if let (true, Some(named)) = (key_is(&NAMED), value.as_object()) {
                // `dependencies` may also name lists of properties, which are no schemas.
                let one = |(name, it): (&String, &Value)| {
                    (name.clone(), if it.is_array() { it.clone() } else { change(it) })
                };
                Value::Object(named.iter().map(one).collect())
            } else if key_is(&ONE) || key == "items" {
                change(value)
            } else {
                value.clone()
            };
        (key.clone(), changed)
    };
    schema.iter().map(inner).collect()
}
