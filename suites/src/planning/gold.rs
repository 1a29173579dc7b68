//! The expected calls of a request.

use crate::equal::equal;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// An expected call.
#[derive(Clone, Debug)]
pub(super) struct GoldCall {
    pub(super) tool: String,
    pub(super) arguments: BTreeMap<String, GoldValue>,
}

/// The source of an argument.
#[derive(Clone, Debug)]
pub(super) enum GoldValue {
    /// A literal value.
    Value(Value),
    /// A field of an earlier call's output: the index of the call and the field.
    Output(usize, String),
}

/// Returns true if two values are equal, as loosely as this data needs: numbers may be strings, and case is ignored.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (number(one), number(other)) {
        (Some(one), Some(other)) => equal(&json!(one), &json!(other)),
        _ => text(one) == text(other),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().replace(',', "").parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_lowercase())
}
