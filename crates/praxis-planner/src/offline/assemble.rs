//! Assembles nested parameters from their parts.

use serde_json::{Map, Value};

/// Builds an object from values with paths: `by`, `0`, `column` is a field of the first item of `by`. Items of a list
/// must come in order.
pub fn assembled<'a>(parts: impl Iterator<Item = (&'a [String], Value)>) -> Map<String, Value> {
    let mut whole = Value::Object(Map::new());
    for (path, value) in parts {
        put(&mut whole, path, value);
    }
    match whole {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

fn put(whole: &mut Value, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *whole = value;
        return;
    };
    if first.parse::<usize>().is_ok() {
        if !whole.is_array() {
            *whole = Value::Array(vec![]);
        }
        if let (Value::Array(items), Ok(place)) = (whole, first.parse::<usize>()) {
            if items.len() <= place {
                items.push(Value::Null);
            }
            if let Some(item) = items.get_mut(place) {
                put(item, rest, value);
            }
        }
    } else {
        if !whole.is_object() {
            *whole = Value::Object(Map::new());
        }
        if let Value::Object(fields) = whole {
            put(fields.entry(first.clone()).or_insert(Value::Null), rest, value);
        }
    }
}
