//! `compare_forecast`: measures the error of a forecast against the actual loads.

use super::forecast::{mape, rmse, rounded};
use super::hours::readings;
use super::readings::LoadReading;
use super::stamp::ReadingTime;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use crate::numbers::statistics::mean;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompareForecastArguments {
    forecast: Value,
    actual: Value,
}

/// Compares the hours that both series have.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let CompareForecastArguments { forecast, actual } = arguments(value)?;
    let (forecast, actual) = (readings("/forecast", forecast)?, readings("/actual", actual)?);
    let seen: BTreeMap<ReadingTime, f64> =
        actual.iter().map(|r| (r.timestamp, r.load_mw)).collect();
    let pair = |said: &LoadReading| Some((*said, *seen.get(&said.timestamp)?));
    let pairs: Vec<(LoadReading, f64)> = forecast.iter().filter_map(pair).collect();
    let (said, seen): (Vec<f64>, Vec<f64>) =
        pairs.iter().map(|(said, seen)| (said.load_mw, *seen)).unzip();
    let errors: Vec<f64> = said.iter().zip(&seen).map(|(said, seen)| said - seen).collect();
    let sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    let (Some(bias), Some(mae)) = (mean(&errors), mean(&sizes)) else {
        let en = "the forecast and the actual loads have no hour in common";
        let zh = "预测与实际负荷没有共同的小时";
        return Err(BuiltinError::argument("/actual", (en, zh)));
    };
    let distance = |(said, seen): &(LoadReading, f64)| (said.load_mw - seen).abs();
    let worst = pairs.iter().rev().max_by(|a, b| distance(a).total_cmp(&distance(b)));
    Ok(json!({
        "matched_hours": pairs.len(),
        "unmatched_forecast": forecast.len() - pairs.len(),
        "unmatched_actual": actual.len() - pairs.len(),
        "mape_percent": mape(&seen, &said).map(|percent| rounded(percent, 3)),
        "rmse_mw": rounded(rmse(&seen, &said), 3),
        "mae_mw": rounded(mae, 3),
        "bias_mw": rounded(bias, 3),
        "worst": worst.map(|(said, seen)| json!({
            "timestamp": said.timestamp,
            "forecast_mw": said.load_mw,
            "actual_mw": seen,
            "error_mw": rounded(said.load_mw - seen, 3),
        })),
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn series(loads: &[(u32, f64)]) -> Value {
        let reading = |(hour, load): &(u32, f64)| json!({"timestamp": format!("2026-11-15T{hour:02}:00"), "load_mw": load});
        loads.iter().map(reading).collect()
    }

    #[test]
    fn errors_are_those_of_the_hours_that_both_have() {
        let forecast = series(&[(0, 110.0), (1, 180.0), (2, 7.0)]);
        let actual = series(&[(0, 100.0), (1, 200.0), (5, 7.0), (6, 7.0)]);
        let output =
            ask("compare_forecast", json!({"forecast": forecast, "actual": actual})).unwrap();
        let worst = json!({"timestamp": "2026-11-15T01:00", "forecast_mw": 180.0, "actual_mw": 200.0, "error_mw": -20.0});
        assert_eq!(
            output,
            json!({"matched_hours": 2, "unmatched_forecast": 1, "unmatched_actual": 2, "mape_percent": 10.0,
                   "rmse_mw": 15.811, "mae_mw": 15.0, "bias_mw": -5.0, "worst": worst})
        );
    }

    #[test]
    fn loads_of_zero_have_no_percentage_and_other_hours_no_comparison() {
        let asked = json!({"forecast": series(&[(0, 1.0)]), "actual": series(&[(0, 0.0)])});
        assert_eq!(ask("compare_forecast", asked).unwrap()["mape_percent"], json!(null));
        let asked = json!({"forecast": series(&[(0, 1.0)]), "actual": series(&[(1, 1.0)])});
        assert!(refused(ask("compare_forecast", asked)).ends_with("have no hour in common"));
    }
}
