//! Visits the subschemas of a schema by keyword, so that a property named `$ref` or `type` is not mistaken for one.

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

/// Returns a copy of a schema with every direct subschema replaced.
pub(crate) fn with_inner(
    schema: &Map<String, Value>,
    change: &mut dyn FnMut(&Value) -> Value,
) -> Map<String, Value> {
    let inner = |(key, value): (&String, &Value)| {
        let key_is = |keys: &[&str]| keys.contains(&key.as_str());
        let changed =
            if let (true, Some(items)) = (key_is(&LISTED) || key == "items", value.as_array()) {
                Value::Array(items.iter().map(&mut *change).collect())
            } else if let (true, Some(named)) = (key_is(&NAMED), value.as_object()) {
                // `dependencies` may also hold lists of property names, which are not schemas.
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
