//! The cells of a table: order, equality and kind.

use crate::numbers::exact;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// An empty cell.
pub(super) static EMPTY: Value = Value::Null;

/// Returns true for `null` and for a blank text.
pub(super) fn is_empty(cell: &Value) -> bool {
    match cell {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Compares two cells in a total order: booleans, numbers, texts, arrays, objects, then `null`.
pub(super) fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => exact::compare(a, b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => {
            a.to_string().cmp(&b.to_string())
        }
        _ => rank(a).cmp(&rank(b)),
    }
}

fn rank(cell: &Value) -> u8 {
    match cell {
        Value::Bool(_) => 0,
        Value::Number(_) => 1,
        Value::String(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

/// Returns true if two cells are equal: 1 and 1.0 are, 1 and "1" are not.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    order(a, b) == Ordering::Equal
}

/// Returns a text that is the same for equal cells.
pub(super) fn key(cell: &Value) -> String {
    match cell {
        Value::Number(number) => plain(number).to_string(),
        other => other.to_string(),
    }
}

/// Converts 1.0 to 1.
fn plain(number: &Number) -> Number {
    exact::add(number, &0.into()).unwrap_or_else(|| number.clone())
}

/// Returns the kind of a cell, by the names used in the manifests.
pub(super) fn kind(cell: &Value) -> &'static str {
    match cell {
        Value::Null => "empty",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "text",
        Value::Array(_) | Value::Object(_) => "nested",
    }
}

/// Returns the kind of a column: integers and floats together are `number`, any other mixture is `mixed`.
pub(super) fn kind_of_all<'a>(cells: impl Iterator<Item = &'a Value>) -> &'static str {
    cells.map(kind).filter(|kind| *kind != "empty").fold("empty", |all, kind| match (all, kind) {
        ("empty", kind) => kind,
        (all, kind) if all == kind => all,
        ("integer", "number") | ("number", "integer") => "number",
        _ => "mixed",
    })
}

/// Returns a cell as JSON for a message, cut to 40 characters.
pub(super) fn shown(cell: &Value) -> String {
    let text = cell.to_string();
    if text.chars().count() <= 40 {
        return text;
    }
    text.chars().take(40).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_have_one_order_and_empty_ones_come_last() {
        let sorted = [
            json!(false),
            json!(true),
            json!(-1),
            json!(0.5),
            json!(1),
            json!(2),
            json!("10"),
            json!("9"),
            json!([1]),
            json!({"a": 1}),
            json!(null),
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(order(a, b), i.cmp(&j), "{a} {b}");
                assert_eq!(key(a) == key(b), same(a, b), "{a} {b}");
            }
        }
        assert!(same(&json!(1), &json!(1.0)) && key(&json!(1)) == key(&json!(1.0)));
    }

    #[test]
    fn a_column_has_one_kind_or_is_mixed() {
        let kind = |cells: Value| kind_of_all(cells.as_array().unwrap().iter());
        assert_eq!(kind(json!([1, null, 2])), "integer");
        assert_eq!(kind(json!([1, 2.5])), "number");
        assert_eq!(kind(json!([1, "x"])), "mixed");
        assert_eq!(kind(json!([null])), "empty");
    }
}
