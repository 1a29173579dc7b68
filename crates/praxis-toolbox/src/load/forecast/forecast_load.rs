//! Selects, backtests and runs a forecast method.

use super::backtest::{Backtest, rounded, seasonal_naive};
use super::holt_winters::{self, HoltWintersModel};
use super::series::HourlySeries;
use crate::error::{BuiltinError, arguments};
use crate::load::readings::LoadReading;
use crate::local::{CallContext, EffectGate};
use crate::wording::must_be_between;
use praxis_core::hash::content_hash;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The last day is held back from the model, for the backtest.
const HELD_BACK_HOURS: usize = 24;
/// The maximum season and horizon: one year of hours.
const MOST_HOURS: usize = 8760;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForecastLoadArguments {
    data_json: Value,
    #[serde(default = "day")]
    horizon_hours: usize,
    #[serde(default = "day")]
    season_hours: usize,
    #[serde(default)]
    method: ForecastMethod,
}

fn day() -> usize {
    24
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ForecastMethod {
    #[default]
    HoltWinters,
    SeasonalNaive,
}

/// Forecasts the hours after the series and backtests the method on the last day of the series.
pub(crate) fn work(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let ForecastLoadArguments { data_json, horizon_hours, season_hours, method } =
        arguments(value)?;
    let limits = [("/season_hours", 2, season_hours), ("/horizon_hours", 1, horizon_hours)];
    for (at, least, hours) in limits {
        if !(least..=MOST_HOURS).contains(&hours) {
            return Err(BuiltinError::argument(at, must_be_between(least, MOST_HOURS, hours)));
        }
    }
    let series = HourlySeries::read(data_json, fewest(method, season_hours))?;
    let loads = &series.loads;
    let (known, held_back) = loads.split_at(loads.len() - HELD_BACK_HOURS);

    let model = PreparedMethod::of(method, known, season_hours, &job.gate)?;
    let said = model.forecast(known, HELD_BACK_HOURS);
    let naive: Vec<f64> = seasonal_naive(known, season_hours).take(HELD_BACK_HOURS).collect();
    let backtest = Backtest::of(held_back, &said, &naive);
    let forecast = stamped(&series, &model.forecast(loads, horizon_hours))?;

    let peak = forecast.iter().copied().max_by(|a, b| a.load_mw.total_cmp(&b.load_mw));
    let numbers = forecast.iter().all(|reading| reading.load_mw.is_finite());
    let Some(peak) = peak.filter(|_| numbers && backtest.is_finite()) else {
        let en = "the loads are too large for a forecast";
        return Err(BuiltinError::failed((en, "负荷数值太大，无法预测")));
    };
    Ok(json!({
        "model_id": model.id(loads),
        "method": method,
        "forecast": forecast,
        "backtest": backtest,
        "peak": peak,
    }))
}

/// Returns the minimum number of hours for a method, including the held-back day.
fn fewest(method: ForecastMethod, season: usize) -> usize {
    let known = match method {
        ForecastMethod::HoltWinters => holt_winters::fewest(season),
        ForecastMethod::SeasonalNaive => season,
    };
    known + HELD_BACK_HOURS
}

/// A forecast method with its parameters, ready to be applied to loads.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum PreparedMethod {
    HoltWinters { season: usize, rates: holt_winters::SmoothingRates },
    SeasonalNaive { season: usize },
}

impl PreparedMethod {
    fn of(
        method: ForecastMethod,
        known: &[f64],
        season: usize,
        gate: &EffectGate,
    ) -> Result<Self, BuiltinError> {
        Ok(match method {
            ForecastMethod::HoltWinters => {
                Self::HoltWinters { season, rates: holt_winters::choose(known, season, gate)? }
            }
            ForecastMethod::SeasonalNaive => Self::SeasonalNaive { season },
        })
    }

    fn forecast(&self, loads: &[f64], hours: usize) -> Vec<f64> {
        match *self {
            Self::HoltWinters { season, rates } => {
                HoltWintersModel::fit(loads, season, rates).ahead().take(hours).collect()
            }
            Self::SeasonalNaive { season } => seasonal_naive(loads, season).take(hours).collect(),
        }
    }

    /// Returns an id that is the same for the same method, parameters and loads.
    fn id(&self, loads: &[f64]) -> String {
        let prefix = match self {
            Self::HoltWinters { .. } => "hw",
            Self::SeasonalNaive { .. } => "sn",
        };
        let hash = content_hash(json!([self, loads]).to_string().as_bytes());
        format!("{prefix}_{}", hash.get(..12).unwrap_or(&hash))
    }
}

fn stamped(series: &HourlySeries, loads: &[f64]) -> Result<Vec<LoadReading>, BuiltinError> {
    let beyond = || {
        let en = "the forecast would end after the year 9999";
        BuiltinError::failed((en, "预测的结束时间将晚于 9999 年"))
    };
    let reading = |(position, load): (usize, &f64)| {
        let timestamp = series.last.plus_hours(position + 1).ok_or_else(beyond)?;
        Ok(LoadReading { timestamp, load_mw: rounded(*load, 2) })
    };
    loads.iter().enumerate().map(reading).collect()
}

#[cfg(test)]
#[path = "forecast_load_tests.rs"]
mod tests;
