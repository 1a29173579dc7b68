//! Compares JSON values without losing a digit.
//!
//! - in: two numbers, or two values
//! - out: their order, or true if they are equal
//! - never: rounds: `9007199254740993` is not `9007199254740992.0`, but `1` is `1.0`

use serde_json::{Number, Value};
use std::cmp::Ordering;

/// 2^64: from here on, every float is an integer larger than all integers of JSON values.
const BEYOND: f64 = 18_446_744_073_709_551_616.0;

/// Compares two numbers exactly.
pub fn order(left: &Number, right: &Number) -> Ordering {
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(left), None) => whole_and_float(left, float(right)),
        (None, Some(right)) => whole_and_float(right, float(left)).reverse(),
        (None, None) => floats(float(left), float(right)),
    }
}

/// Returns true if two values are equal: numbers by value, everything else as JSON.
pub fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => order(left, right).is_eq(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let found = |(key, value)| right.get(key).is_some_and(|other| same(value, other));
            left.len() == right.len() && left.iter().all(found)
        }
        _ => left == right,
    }
}

fn whole(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

/// Compares two floats. JSON has no NaN, so there is always an order.
fn floats(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or(Ordering::Equal)
}

#[allow(clippy::cast_possible_truncation, reason = "what is below 2^64 and whole fits exactly")]
fn whole_and_float(left: i128, right: f64) -> Ordering {
    if right.abs() >= BEYOND {
        return floats(0.0, right);
    }
    let fraction = right.fract();
    left.cmp(&(right.trunc() as i128)).then_with(|| floats(0.0, fraction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_compare_by_their_worth_and_without_rounding() {
        let ascending = [
            json!(-1e300),
            json!(-18_446_744_073_709_551_616.0),
            json!(i64::MIN),
            json!(-2),
            json!(-1.5),
            json!(-1),
            json!(0),
            json!(0.5),
            json!(1),
            json!(9_007_199_254_740_992.0),
            json!(9_007_199_254_740_993_i64),
            json!(i64::MAX),
            json!(9_223_372_036_854_775_808.0),
            json!(u64::MAX),
            json!(18_446_744_073_709_551_616.0),
            json!(1e300),
        ];
        for (i, left) in ascending.iter().enumerate() {
            for (j, right) in ascending.iter().enumerate() {
                let (Value::Number(left), Value::Number(right)) = (left, right) else { panic!() };
                assert_eq!(order(left, right), i.cmp(&j), "{left} and {right}");
            }
        }
        assert!(same(&json!([{"a": 1}, -0.0]), &json!([{"a": 1.0}, 0])));
        assert!(!same(&json!([1, 2]), &json!([2, 1])), "the order of a list counts");
        assert!(!same(&json!(1), &json!(true)), "a boolean is no number");
        assert!(!same(&json!({"a": 1}), &json!({"a": 1, "b": 1})));
    }
}
