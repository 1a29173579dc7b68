//! `do_arithmetic`: applies one operation of a fixed list to some numbers.

use super::exact;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use crate::wording::must_be_between;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Number, Value, json};

/// The maximum number of operands.
const MOST_NUMBERS: usize = 100_000;
/// The maximum number of decimal places that a result is rounded to.
const MOST_PLACES: u32 = 15;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArithmeticArguments {
    operation: ArithmeticOperation,
    numbers: Vec<Number>,
    digits: Option<u32>,
}

/// An arithmetic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ArithmeticOperation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    PercentOf,
    PercentChange,
    Round,
    Floor,
    Ceiling,
    Absolute,
    SquareRoot,
}

impl ArithmeticOperation {
    /// Returns the minimum and the maximum number of operands.
    fn arity(self) -> (usize, usize) {
        match self {
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide => (2, MOST_NUMBERS),
            Self::Remainder | Self::Power | Self::PercentOf | Self::PercentChange => (2, 2),
            Self::Round | Self::Floor | Self::Ceiling | Self::Absolute | Self::SquareRoot => (1, 1),
        }
    }

    /// Applies the operation to two numbers. Returns `None` if there is no result.
    pub(crate) fn of_two(self, a: &Number, b: &Number) -> Option<Number> {
        match self {
            Self::Add => exact::add(a, b),
            Self::Subtract => exact::subtract(a, b),
            Self::Multiply => exact::multiply(a, b),
            Self::Divide => exact::divide(a, b),
            Self::Remainder => exact::remainder(a, b),
            Self::Power => exact::power(a, b),
            Self::PercentOf => exact::percent(a, b),
            Self::PercentChange => exact::percent_change(a, b),
            Self::Round | Self::Floor | Self::Ceiling | Self::Absolute | Self::SquareRoot => None,
        }
    }

    fn of_one(self, a: &Number) -> Option<Number> {
        match self {
            Self::Floor => exact::floor(a),
            Self::Ceiling => exact::negate(&exact::floor(&exact::negate(a)?)?),
            Self::Absolute if exact::is_negative(a) => exact::negate(a),
            Self::SquareRoot => Number::from_f64(a.as_f64()?.sqrt()),
            _ => Some(a.clone()),
        }
    }
}

/// Applies the operation from left to right, and rounds the result if `digits` is given.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let ArithmeticArguments { operation, numbers, digits } = arguments(value)?;
    let (fewest, most) = operation.arity();
    if !(fewest..=most).contains(&numbers.len()) {
        return Err(BuiltinError::argument("/numbers", other_count(fewest, most, numbers.len())));
    }
    let result = match numbers.as_slice() {
        [only] => operation.of_one(only),
        [first, rest @ ..] => {
            rest.iter().try_fold(first.clone(), |left, right| operation.of_two(&left, right))
        }
        [] => None,
    };
    let result = result.ok_or_else(|| no_result(operation, &numbers))?;
    let places = if operation == ArithmeticOperation::Round { digits.or(Some(0)) } else { digits };
    Ok(json!({"result": shortened(result, places)?}))
}

/// Rounds to `places` decimal places, if given.
pub(crate) fn shortened(number: Number, places: Option<u32>) -> Result<Number, BuiltinError> {
    let Some(places) = places else { return Ok(number) };
    if places > MOST_PLACES {
        return Err(BuiltinError::argument("/digits", must_be_between(0, MOST_PLACES, places)));
    }
    exact::round(&number, places)
        .ok_or_else(|| BuiltinError::argument("/digits", too_large_to_round(&number, places)))
}

fn too_large_to_round(number: &Number, places: u32) -> Bilingual {
    let en = format!("{number} is too large to round to {places} decimal places");
    (en, format!("{number} 太大，无法保留 {places} 位小数")).into()
}

fn other_count(fewest: usize, most: usize, found: usize) -> Bilingual {
    let (en, zh) = match (fewest, most) {
        (1, 1) => ("1 number".to_owned(), "1 个数字".to_owned()),
        _ if fewest == most => (format!("{fewest} numbers"), format!("{fewest} 个数字")),
        _ => (format!("{fewest} to {most} numbers"), format!("{fewest} 到 {most} 个数字")),
    };
    let en = format!("this operation takes {en}, got {found}");
    (en, format!("此运算需要 {zh}，实际为 {found} 个")).into()
}

fn no_result(operation: ArithmeticOperation, numbers: &[Number]) -> BuiltinError {
    let zero = numbers.iter().skip(1).any(exact::is_zero);
    let first_zero = numbers.first().is_some_and(exact::is_zero);
    let why = match operation {
        ArithmeticOperation::Divide
        | ArithmeticOperation::Remainder
        | ArithmeticOperation::PercentOf
            if zero =>
        {
            ("division by zero", "除数为零")
        }
        ArithmeticOperation::PercentChange if first_zero => {
            ("the percent change from zero is undefined", "无法计算相对于零的百分比变化")
        }
        ArithmeticOperation::SquareRoot => {
            ("a negative number has no square root", "负数没有平方根")
        }
        _ => ("the result is too large or not a number", "结果太大或不是数字"),
    };
    BuiltinError::argument("/numbers", why)
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn reckon(operation: &str, numbers: Value) -> String {
        let output = ask("do_arithmetic", json!({"operation": operation, "numbers": numbers}));
        output.unwrap()["result"].to_string()
    }

    #[test]
    fn every_operation_does_what_its_name_says() {
        for (operation, numbers, expected) in [
            ("add", json!([1, 2, 3.5]), "6.5"),
            ("subtract", json!([10, 3, 2]), "5"),
            ("multiply", json!([1.1, 1.1]), "1.21"),
            ("divide", json!([100, 8, 5]), "2.5"),
            ("remainder", json!([-7, 3]), "-1"),
            ("power", json!([2, 62]), "4611686018427387904"),
            ("percent_of", json!([30, 120]), "25"),
            ("percent_change", json!([80, 100]), "25"),
            ("round", json!([2.5]), "3"),
            ("floor", json!([-2.1]), "-3"),
            ("ceiling", json!([-2.1]), "-2"),
            ("absolute", json!([-3]), "3"),
            ("square_root", json!([2.25]), "1.5"),
        ] {
            assert_eq!(reckon(operation, numbers), expected, "{operation}");
        }
    }

    #[test]
    fn long_and_small_numbers_are_exact_to_the_last_digit_that_json_has() {
        for (operation, numbers, expected) in [
            ("add", json!([0.1, 0.2]), "0.3"),
            ("add", json!([1e28, 0.5]), "1e+28"),
            (
                "subtract",
                json!([18_446_744_073_709_551_615_u64, 18_446_744_073_709_551_614_u64]),
                "1",
            ),
            ("multiply", json!([1e-15, 1e-15]), "1e-30"),
            ("multiply", json!([6.626_070_15e-34, 10]), "6.62607015e-33"),
            ("multiply", json!([12_345_678_901_u64, 1_000_000_007]), "12345678987419752307"),
            ("divide", json!([1e-20, 3]), "3.3333333333333333e-21"),
            ("divide", json!([1, 3]), "0.3333333333333333"),
            ("divide", json!([1e30, 1e29]), "10"),
            ("remainder", json!([1e30, 7]), "1"),
            ("remainder", json!([1e-29, 3e-30]), "1e-30"),
            ("power", json!([1.1, 30]), "17.449402268886406"),
        ] {
            assert_eq!(reckon(operation, numbers.clone()), expected, "{operation} {numbers}");
        }
    }

    #[test]
    fn a_result_is_rounded_when_that_is_asked_for() {
        let asked = json!({"operation": "divide", "numbers": [2, 3], "digits": 2});
        assert_eq!(ask("do_arithmetic", asked).unwrap(), json!({"result": 0.67}));
    }

    #[test]
    fn what_has_no_result_says_why() {
        for (operation, numbers, expected) in [
            ("divide", json!([1, 0]), "/numbers division by zero"),
            ("percent_change", json!([0, 1]), "/numbers the percent change from zero is undefined"),
            ("square_root", json!([-1]), "/numbers a negative number has no square root"),
            ("power", json!([10, 999]), "/numbers the result is too large or not a number"),
            ("power", json!([1, 2, 3]), "/numbers this operation takes 2 numbers, got 3"),
            ("add", json!([]), "/numbers this operation takes 2 to 100000 numbers, got 0"),
        ] {
            let result = ask("do_arithmetic", json!({"operation": operation, "numbers": numbers}));
            assert_eq!(refused(result), expected);
        }
        let expression = json!({"operation": "1+1", "numbers": []});
        assert!(refused(ask("do_arithmetic", expression)).contains("`1+1` is not one of `add`, "));
    }
}
