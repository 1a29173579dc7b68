//! `compare_numbers`: compares two numbers and returns their difference.

use super::exact;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Number, Value, json};
use std::cmp::Ordering;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompareNumbersArguments {
    left: Number,
    right: Number,
    tolerance: Option<Number>,
}

/// Compares two numbers. They are equal if they differ by at most the tolerance.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let CompareNumbersArguments { left, right, tolerance } = arguments(value)?;
    if let Some(below) = tolerance.as_ref().filter(|number| exact::is_negative(number)) {
        let why =
            (format!("must not be negative, got {below}"), format!("不能为负数，实际为 {below}"));
        return Err(BuiltinError::argument("/tolerance", why));
    }
    let difference = exact::subtract(&left, &right).ok_or_else(|| {
        let en = "the numbers are too far apart to compare";
        let zh = "两个数字相差太大，无法比较";
        BuiltinError::argument("/left", (en, zh))
    })?;
    let size = if exact::is_negative(&difference) { exact::negate(&difference) } else { None };
    let within = |most: &Number| {
        exact::compare(size.as_ref().unwrap_or(&difference), most) != Ordering::Greater
    };
    let order = exact::compare(&left, &right);
    let relation = match order {
        _ if tolerance.as_ref().is_some_and(within) => "equal",
        Ordering::Less => "less",
        Ordering::Equal => "equal",
        Ordering::Greater => "greater",
    };
    Ok(json!({
        "relation": relation,
        "is_equal": relation == "equal",
        "difference": difference,
        "percent_difference": exact::percent_change(&right, &left),
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::json;

    #[test]
    fn two_numbers_are_less_equal_or_greater() {
        for (left, right, tolerance, expected) in [
            (json!(1), json!(2), json!(0), "less"),
            (json!(2), json!(1.5), json!(0), "greater"),
            (json!(1), json!(1.0), json!(0), "equal"),
            (json!(0.3), json!(0.1), json!(0.2), "equal"),
            (json!(0.1), json!(0.3), json!(0.2), "equal"),
            (json!(0.1), json!(0.31), json!(0.2), "less"),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0), json!(0), "greater"),
        ] {
            let asked = json!({"left": left, "right": right, "tolerance": tolerance});
            let output = ask("compare_numbers", asked.clone()).unwrap();
            assert_eq!(output["relation"], expected, "{asked}");
            assert_eq!(output["is_equal"], expected == "equal", "{asked}");
        }
    }

    #[test]
    fn the_difference_is_that_of_the_left_number_from_the_right_one() {
        let output = ask("compare_numbers", json!({"left": 90, "right": 120})).unwrap();
        assert_eq!(
            (output["difference"].as_i64(), output["percent_difference"].as_i64()),
            (Some(-30), Some(-25))
        );
        let output = ask("compare_numbers", json!({"left": 90, "right": 0})).unwrap();
        assert_eq!(output["percent_difference"], json!(null));
    }

    #[test]
    fn a_tolerance_below_zero_is_refused() {
        let asked = json!({"left": 1, "right": 2, "tolerance": -1});
        assert_eq!(
            refused(ask("compare_numbers", asked)),
            "/tolerance must not be negative, got -1"
        );
    }
}
