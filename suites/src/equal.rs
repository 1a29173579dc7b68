//! Equality of an actual value and an expected value of the data.

use serde_json::{Number, Value};

/// Compares integers exactly, floats within a relative error of 1e-9, and other values by JSON equality. An expected
/// float matches any number close to it. An integer beyond 64 bits is a float on both sides.
pub(crate) fn equal(actual: &Value, expected: &Value) -> bool {
    match (actual, expected) {
        (Value::Number(actual), Value::Number(expected)) => number(actual, expected),
        (Value::Array(actual), Value::Array(expected)) => {
            actual.len() == expected.len() && actual.iter().zip(expected).all(|(a, e)| equal(a, e))
        }
        (Value::Object(actual), Value::Object(expected)) => {
            let same = |(key, value)| actual.get(key).is_some_and(|found| equal(found, value));
            actual.len() == expected.len() && expected.iter().all(same)
        }
        _ => actual == expected,
    }
}

fn number(actual: &Number, expected: &Number) -> bool {
    if !expected.is_f64() {
        return actual == expected;
    }
    let (Some(actual), Some(expected)) = (actual.as_f64(), expected.as_f64()) else { return false };
    (actual - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_integer_is_exact_and_a_float_may_be_any_number_near_it() {
        assert!(equal(&json!(3), &json!(3)));
        assert!(!equal(&json!(3.0), &json!(3)));
        assert!(equal(&json!(3), &json!(3.0)));
        assert!(equal(&json!([{"a": 1e12}]), &json!([{"a": 1e12 + 100.0}])));
        assert!(!equal(&json!({"a": 1.0, "b": 2}), &json!({"a": 1.0})));
        assert!(!equal(&json!(0.5), &json!(0.500_000_01)));
    }
}
