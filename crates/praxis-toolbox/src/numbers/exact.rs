//! Arithmetic on JSON numbers: exact decimals where they have room, otherwise floats. Returns `None` if the result is
//! not a finite number.

use super::decimal::Decimal;
use serde_json::Number;
use std::cmp::Ordering;

/// The maximum exponent for which a power is computed by exact multiplication.
const MOST_FACTORS: u64 = 1000;

fn of_two(
    a: &Number,
    b: &Number,
    exact: impl Fn(Decimal, Decimal) -> Option<Decimal>,
    near: impl Fn(f64, f64) -> f64,
) -> Option<Number> {
    let decimals = Decimal::of(a).zip(Decimal::of(b));
    let found = decimals.and_then(|(a, b)| exact(a, b)).and_then(Decimal::number);
    found.or_else(|| Number::from_f64(near(a.as_f64()?, b.as_f64()?)))
}

/// Returns a + b.
pub(crate) fn add(a: &Number, b: &Number) -> Option<Number> {
    of_two(a, b, Decimal::plus, |a, b| a + b)
}

/// Returns a − b.
pub(crate) fn subtract(a: &Number, b: &Number) -> Option<Number> {
    of_two(a, b, |a, b| a.plus(b.negated()?), |a, b| a - b)
}

/// Returns a × b.
pub(crate) fn multiply(a: &Number, b: &Number) -> Option<Number> {
    of_two(a, b, Decimal::times, |a, b| a * b)
}

/// Returns a ÷ b.
pub(crate) fn divide(a: &Number, b: &Number) -> Option<Number> {
    of_two(a, b, Decimal::over, |a, b| a / b)
}

/// Returns the remainder of a ÷ b.
pub(crate) fn remainder(a: &Number, b: &Number) -> Option<Number> {
    of_two(a, b, Decimal::rest, |a, b| a % b)
}

/// Returns a to the power of b.
pub(crate) fn power(a: &Number, b: &Number) -> Option<Number> {
    let multiplied = || {
        let times = b.as_u64().filter(|times| *times <= MOST_FACTORS)?;
        let (one, base) = (Decimal::parse("1")?, Decimal::of(a)?);
        (0..times).try_fold(one, |product, _| product.times(base))?.number()
    };
    multiplied().or_else(|| Number::from_f64(a.as_f64()?.powf(b.as_f64()?)))
}

/// Rounds to at most `places` decimal places; halves are rounded away from zero.
pub(crate) fn round(a: &Number, places: u32) -> Option<Number> {
    match Decimal::of(a) {
        Some(decimal) => decimal.rounded(places)?.number(),
        // Too large to have decimal places; otherwise too small to round to anything but zero.
        None if a.as_f64()?.abs() >= 1.0 => Some(a.clone()),
        None => Some(0.into()),
    }
}

/// Returns the largest integer that is not greater than a.
pub(crate) fn floor(a: &Number) -> Option<Number> {
    Decimal::of(a).and_then(Decimal::floor).and_then(Decimal::number).or_else(|| {
        // Too large to have decimal places, or so close to zero that only the sign matters.
        Number::from_f64(a.as_f64()?.floor())
    })
}

/// Returns −a.
pub(crate) fn negate(a: &Number) -> Option<Number> {
    subtract(&0.into(), a)
}

/// Returns a in percent of b; `None` if b is zero.
pub(crate) fn percent(a: &Number, b: &Number) -> Option<Number> {
    divide(&multiply(a, &100.into())?, b)
}

/// Returns the change from a to b in percent of |a|.
pub(crate) fn percent_change(a: &Number, b: &Number) -> Option<Number> {
    let size = if is_negative(a) { negate(a)? } else { a.clone() };
    percent(&subtract(b, a)?, &size)
}

/// Returns true if the number is negative.
pub(crate) fn is_negative(a: &Number) -> bool {
    compare(a, &0.into()) == Ordering::Less
}

/// Returns true if the number is zero.
pub(crate) fn is_zero(a: &Number) -> bool {
    Decimal::of(a).map_or_else(|| a.as_f64() == Some(0.0), Decimal::is_zero)
}

/// Returns the sum of all numbers.
pub(crate) fn sum<'a>(numbers: impl Iterator<Item = &'a Number> + Clone) -> Option<Number> {
    let zero = Decimal::parse("0")?;
    let exact = numbers.clone().try_fold(zero, |sum, number| sum.plus(Decimal::of(number)?));
    let near = || Number::from_f64(numbers.filter_map(Number::as_f64).sum());
    exact.and_then(Decimal::number).or_else(near)
}

/// Compares two numbers without rounding either.
pub(crate) fn compare(a: &Number, b: &Number) -> Ordering {
    let whole = |n: &Number| n.as_i128();
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(a), None) => whole_to_float(a, float(b)),
        (None, Some(b)) => whole_to_float(b, float(a)).reverse(),
        // Not `total_cmp`, which tells −0 from 0.
        (None, None) => float(a).partial_cmp(&float(b)).unwrap_or(Ordering::Equal),
    }
}

/// Converts to a float; a JSON number is never NaN.
fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

fn whole_to_float(whole: i128, float: f64) -> Ordering {
    #[expect(clippy::cast_possible_truncation, reason = "an integer of JSON is far smaller")]
    let (trunc, rest) = (float.trunc() as i128, float.fract());
    whole.cmp(&trunc).then_with(|| 0.0.partial_cmp(&rest).unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn number(text: &str) -> Number {
        let value: Value = serde_json::from_str(text).unwrap();
        value.as_number().unwrap().clone()
    }

    #[test]
    fn decimals_are_reckoned_as_on_paper() {
        let two = |work: fn(&Number, &Number) -> Option<Number>, a, b| {
            work(&number(a), &number(b)).map_or("none".to_owned(), |found| found.to_string())
        };
        assert_eq!(two(add, "0.1", "0.2"), "0.3");
        assert_eq!(two(subtract, "1", "0.9"), "0.1");
        assert_eq!(two(multiply, "19.99", "3"), "59.97");
        assert_eq!(two(multiply, "4.35", "100"), "435");
        assert_eq!(two(divide, "0.6", "3"), "0.2");
        assert_eq!(two(add, "9007199254740993", "1"), "9007199254740994");
        assert_eq!(two(add, "18446744073709551615", "1"), "1.8446744073709552e+19");
        assert_eq!(two(add, "1e300", "1"), "1e+300");
        assert_eq!(two(multiply, "1e300", "1e300"), "none");
        assert_eq!(two(divide, "1", "0"), "none");
        assert_eq!(two(divide, "1e300", "0"), "none");
        assert_eq!(two(remainder, "7.5", "2"), "1.5");
        assert_eq!(two(remainder, "7", "0"), "none");
        assert_eq!(two(power, "1.1", "2"), "1.21");
        assert_eq!(two(power, "2", "-1"), "0.5");
        assert_eq!(two(power, "10", "400"), "none");
        assert_eq!(two(percent_change, "-50", "50"), "200");
        assert_eq!(two(percent_change, "0", "50"), "none");
    }

    #[test]
    fn numbers_of_both_kinds_are_compared_without_rounding() {
        for (a, b, expected) in [
            ("1", "1.0", Ordering::Equal),
            ("9007199254740993", "9007199254740992.0", Ordering::Greater),
            ("9007199254740991", "9007199254740992.0", Ordering::Less),
            ("18446744073709551615", "1e30", Ordering::Less),
            ("-1", "-1.5", Ordering::Greater),
            ("-0.0", "0.0", Ordering::Equal),
            ("0", "-0.5", Ordering::Greater),
            ("2.5", "2", Ordering::Greater),
        ] {
            assert_eq!(compare(&number(a), &number(b)), expected, "{a} {b}");
            assert_eq!(compare(&number(b), &number(a)), expected.reverse(), "{b} {a}");
        }
    }

    #[test]
    fn sums_are_exact_or_at_least_a_number() {
        let sum = |list: &[&str]| {
            let numbers: Vec<Number> = list.iter().map(|text| number(text)).collect();
            sum(numbers.iter()).map(|sum| sum.to_string())
        };
        assert_eq!(sum(&["0.1"; 10]).as_deref(), Some("1"));
        assert_eq!(sum(&["1e300", "1"]).as_deref(), Some("1e+300"));
        assert_eq!(sum(&["1e308", "1e308"]), None);
        assert_eq!(sum(&[]).as_deref(), Some("0"));
    }

    #[test]
    fn rounding_keeps_what_has_no_places() {
        assert_eq!(round(&number("1e300"), 2), Some(number("1e300")));
        assert_eq!(round(&number("1e-300"), 2), Some(number("0")));
        assert_eq!(round(&number("2.675"), 2), Some(number("2.68")));
        assert_eq!(floor(&number("-2.5")), Some(number("-3")));
    }
}
