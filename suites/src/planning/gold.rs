//! The calls that serve a request.

use crate::equal::equal;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A call.
#[derive(Clone, Debug)]
pub(super) struct GoldCall {
    pub(super) tool: String,
    pub(super) arguments: BTreeMap<String, GoldValue>,
}

/// What a parameter is given.
#[derive(Clone, Debug)]
pub(super) enum GoldValue {
    /// A value.
    Value(Value),
    /// A field of what an earlier call gives, by its number.
    Output(usize, String),
}

/// Whether two values say the same: numbers may be written as texts, and texts in any letters, as this data does.
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
