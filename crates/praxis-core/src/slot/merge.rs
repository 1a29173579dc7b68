//! Merges a node's parameter overrides into the schema of its tool.
//!
//! - in: the schema, and the replacement of each overridden property
//! - out: the merged schema, or all errors
//! - never: changes the input schema

use super::inline::standalone;
use super::look::child;
use super::normalise::normalised;
use crate::field_error::FieldError;
use crate::pointer::Pointer;
use crate::schema::Schema;
use serde_json::{Map, Value, json};

/// Replaces each overridden property as a whole and adds new ones. A parameter stays required or optional unless the
/// override says `required: true` or `false`.
pub fn merge(input: &Value, overrides: &Map<String, Value>) -> Result<Value, Vec<FieldError>> {
    let input = normalised(input);
    if overrides.is_empty() {
        return checked(input);
    }
    let whole = if input.get("$ref").is_some() { standalone(&input, &input) } else { input };
    let Value::Object(mut merged) = whole else {
        let words = (
            "the tool's schema is not an object, so its parameters cannot be overridden",
            "schema 不是对象，无法覆盖其参数",
        );
        return Err(vec![FieldError::new("", words)]);
    };
    let mut problems = Vec::new();
    for (name, written) in overrides {
        problems.extend(replace(&mut merged, name, written));
    }
    if problems.is_empty() { checked(Value::Object(merged)) } else { Err(problems) }
}

fn checked(schema: Value) -> Result<Value, Vec<FieldError>> {
    let problems = Schema::problems(&schema);
    if problems.is_empty() { Ok(schema) } else { Err(problems) }
}

/// Replaces one property, or returns the errors of the override.
fn replace(merged: &mut Map<String, Value>, name: &str, written: &Value) -> Vec<FieldError> {
    let at = Pointer::from("/properties").child(name);
    if !written.is_object() && !written.is_boolean() {
        return vec![FieldError::new(
            at.as_str(),
            ("a schema must be an object or a boolean", "schema 必须是对象或布尔值"),
        )];
    }
    let all = merged.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let root = Value::Object(merged.clone());
    if all.into_iter().any(|part| child(&root, part, name).is_some()) {
        return vec![FieldError::new(
            at.as_str(),
            (
                "the parameter is declared inside `allOf`, where it cannot be overridden",
                "该参数在 `allOf` 中声明，无法覆盖",
            ),
        )];
    }
    let mut property = normalised(written);
    let required = match property.get("required") {
        Some(Value::Bool(required)) => Some(*required),
        _ => None,
    };
    if let (Some(_), Some(map)) = (required, property.as_object_mut()) {
        map.remove("required");
    }
    let problems = Schema::problems(&with_root_definitions(&root, &property));
    if !problems.is_empty() {
        return problems.into_iter().map(|problem| problem.below(at.as_str())).collect();
    }
    let properties = merged.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert(name.to_owned(), property);
    }
    require(merged, name, required);
    vec![]
}

/// Adds the definitions of the root schema to a property, which may refer to them.
fn with_root_definitions(root: &Value, property: &Value) -> Value {
    let mut schema = property.clone();
    if let Some(map) = schema.as_object_mut() {
        for place in ["$defs", "definitions", "$schema"] {
            if let Some(shared) = root.get(place) {
                map.entry(place).or_insert_with(|| shared.clone());
            }
        }
    }
    schema
}

fn require(merged: &mut Map<String, Value>, name: &str, required: Option<bool>) {
    let Some(required) = required else { return };
    let names = merged.entry("required").or_insert_with(|| json!([]));
    let Some(names) = names.as_array_mut() else { return };
    names.retain(|other| other != name);
    if required {
        names.push(json!(name));
    }
}
