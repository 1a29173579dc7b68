//! `number_statistics`: statistics of a list of numbers.

use super::exact;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use crate::wording::must_be_between;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Number, Value, json};

/// The maximum number of values.
const MOST_NUMBERS: usize = 500_000;
/// The maximum number of percentiles.
const MOST_PERCENTILES: usize = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatisticsArguments {
    numbers: Vec<Option<Number>>,
    #[serde(default)]
    percentiles: Vec<f64>,
}

/// Computes the statistics of all values but `null`, which is only counted as missing.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let StatisticsArguments { numbers, percentiles } = arguments(value)?;
    if numbers.len() > MOST_NUMBERS {
        let count = numbers.len();
        let en = format!("at most {MOST_NUMBERS} numbers are allowed, got {count}");
        let zh = format!("最多允许 {MOST_NUMBERS} 个数字，实际为 {count} 个");
        return Err(BuiltinError::argument("/numbers", (en, zh)));
    }
    let all = numbers.len();
    let mut numbers: Vec<Number> = numbers.into_iter().flatten().collect();
    numbers.sort_by(exact::compare);
    let (Some(least), Some(most)) = (numbers.first(), numbers.last()) else {
        return Err(BuiltinError::argument("/numbers", empty()));
    };
    let sum = exact::sum(numbers.iter())
        .ok_or_else(|| BuiltinError::argument("/numbers", large_sum()))?;
    let floats: Vec<f64> = numbers.iter().filter_map(Number::as_f64).collect();
    Ok(json!({
        "count": numbers.len(),
        "missing": all - numbers.len(),
        "sum": sum,
        "mean": exact::divide(&sum, &numbers.len().into()),
        "median": median(&numbers),
        "stdev": deviation(&floats),
        "min": least,
        "max": most,
        "percentiles": wanted(&percentiles, &floats)?,
    }))
}

fn empty() -> Bilingual {
    ("the list has no numbers", "列表中没有数字").into()
}

fn large_sum() -> Bilingual {
    ("the sum is too large", "总和太大").into()
}

fn median(sorted: &[Number]) -> Option<Number> {
    let middle = sorted.len() / 2;
    let upper = sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper.clone());
    }
    exact::divide(&exact::add(sorted.get(middle.checked_sub(1)?)?, upper)?, &2.into())
}

/// Returns the sample standard deviation; `None` for a single number.
fn deviation(floats: &[f64]) -> Option<f64> {
    let mean = mean(floats)?;
    let squares: f64 = floats.iter().map(|x| (x - mean).powi(2)).sum();
    let found = (squares / floats.len().checked_sub(1).filter(|n| *n > 0)? as f64).sqrt();
    found.is_finite().then(|| tidied(found))
}

/// Rounds to 15 significant digits, which a float always has: 0.1 instead of 0.09999999999999999.
fn tidied(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// Returns the mean, or `None` for an empty list.
pub(crate) fn mean(floats: &[f64]) -> Option<f64> {
    (!floats.is_empty()).then(|| floats.iter().sum::<f64>() / floats.len() as f64)
}

/// Returns a percentile of sorted floats, by linear interpolation.
pub(crate) fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = percent / 100.0 * last as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to last")]
    let below = (place.clamp(0.0, last as f64).floor() as usize).min(last);
    let (low, high) = (sorted.get(below)?, sorted.get(below + 1).or(sorted.get(below))?);
    Some(low + (high - low) * (place - below as f64))
}

fn wanted(percentiles: &[f64], sorted: &[f64]) -> Result<Vec<Value>, BuiltinError> {
    if percentiles.len() > MOST_PERCENTILES {
        let count = percentiles.len();
        let en = format!("at most {MOST_PERCENTILES} percentiles are allowed, got {count}");
        let zh = format!("最多允许 {MOST_PERCENTILES} 个百分位，实际为 {count} 个");
        return Err(BuiltinError::argument("/percentiles", (en, zh)));
    }
    let one = |(position, percent): (usize, &f64)| {
        if !(0.0..=100.0).contains(percent) {
            let at = format!("/percentiles/{position}");
            return Err(BuiltinError::argument(at, must_be_between(0, 100, percent)));
        }
        Ok(json!({"percentile": percent, "value": percentile(sorted, *percent).map(tidied)}))
    };
    percentiles.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn told(numbers: Value, percentiles: Value) -> Value {
        let asked = json!({"numbers": numbers, "percentiles": percentiles});
        ask("number_statistics", asked).unwrap()
    }

    #[test]
    fn sums_means_and_medians_are_exact() {
        let output = told(json!([0.3, null, 0.1, 0.2]), json!([]));
        assert_eq!(
            output,
            json!({"count": 3, "missing": 1, "sum": 0.6, "mean": 0.2, "median": 0.2, "stdev": 0.1,
                   "min": 0.1, "max": 0.3, "percentiles": []})
        );
        assert_eq!(told(json!([4, 1, 3, 2]), json!([]))["median"], json!(2.5));
        let large = 9_007_199_254_740_993_u64;
        let output = told(json!([large, large]), json!([]));
        assert_eq!((&output["mean"], &output["max"]), (&json!(large), &json!(large)));
    }

    #[test]
    fn a_sum_loses_nothing_between_thirty_digits_before_the_point_and_behind_it() {
        assert_eq!(told(json!([1e30, 1, -1e30]), json!([]))["sum"], json!(1));
        assert_eq!(told(json!([1, 1e-30, -1]), json!([]))["sum"], json!(1e-30));
    }

    #[test]
    fn percentiles_lie_on_the_line_between_two_numbers() {
        let output = told(json!([40, 10, 20, 30]), json!([0, 50, 90, 100]));
        let values: Vec<&Value> =
            output["percentiles"].as_array().unwrap().iter().map(|p| &p["value"]).collect();
        assert_eq!(values, [&json!(10.0), &json!(25.0), &json!(37.0), &json!(40.0)]);
    }

    #[test]
    fn one_number_has_no_deviation_and_none_have_no_statistics() {
        assert_eq!(told(json!([5]), json!([]))["stdev"], json!(null));
        for numbers in [json!([]), json!([null])] {
            let result = ask("number_statistics", json!({"numbers": numbers}));
            assert_eq!(refused(result), "/numbers the list has no numbers");
        }
        let beyond = ask("number_statistics", json!({"numbers": [1], "percentiles": [50, 101]}));
        assert_eq!(refused(beyond), "/percentiles/1 must be between 0 and 100, got 101");
    }
}
