//! Forecast errors on hours that the model did not see.

use serde::Serialize;

/// Errors on the held-back hours, next to those of the seasonal-naive forecast.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Backtest {
    /// The number of held-back hours.
    pub(crate) held_back_hours: usize,
    /// The mean absolute percentage error; `None` if every load was zero.
    pub(crate) mape: Option<f64>,
    /// The root mean squared error, in megawatts.
    pub(crate) rmse: f64,
    /// The mean absolute percentage error of the seasonal-naive forecast.
    pub(crate) naive_mape: Option<f64>,
}

impl Backtest {
    /// Compares the forecast `said` and the `naive` forecast with the `seen` loads.
    pub(crate) fn of(seen: &[f64], said: &[f64], naive: &[f64]) -> Self {
        Self {
            held_back_hours: seen.len(),
            mape: mape(seen, said).map(|percent| rounded(percent, 3)),
            rmse: rounded(rmse(seen, said), 3),
            naive_mape: mape(seen, naive).map(|percent| rounded(percent, 3)),
        }
    }

    /// Returns true if all errors are finite numbers.
    pub(crate) fn is_finite(&self) -> bool {
        let finite = |error: Option<f64>| error.is_none_or(f64::is_finite);
        self.rmse.is_finite() && finite(self.mape) && finite(self.naive_mape)
    }
}

/// Forecasts by repeating the last season.
pub(crate) fn seasonal_naive(loads: &[f64], season: usize) -> impl Iterator<Item = f64> {
    let last = loads.get(loads.len().saturating_sub(season)..).unwrap_or_default();
    last.iter().copied().cycle()
}

/// Rounds to `digits` decimal places; returns `value` unchanged if that overflows.
pub(crate) fn rounded(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    let scaled = (value * factor).round() / factor;
    if scaled.is_finite() { scaled } else { value }
}

/// Returns the mean absolute percentage error; hours without load are left out.
pub(crate) fn mape(seen: &[f64], said: &[f64]) -> Option<f64> {
    let share = |(seen, said): (&f64, &f64)| (*seen != 0.0).then(|| ((seen - said) / seen).abs());
    average(seen.iter().zip(said).filter_map(share)).map(|share| share * 100.0)
}

/// Returns the root mean squared error.
pub(crate) fn rmse(seen: &[f64], said: &[f64]) -> f64 {
    let squares = seen.iter().zip(said).map(|(seen, said)| (seen - said).powi(2));
    average(squares).unwrap_or_default().sqrt()
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_measured_against_what_came() {
        let backtest = Backtest::of(&[100.0, 200.0], &[110.0, 180.0], &[100.0, 100.0]);
        let expected =
            Backtest { held_back_hours: 2, mape: Some(10.0), rmse: 15.811, naive_mape: Some(25.0) };
        assert_eq!(backtest, expected);
    }

    #[test]
    fn an_hour_without_load_has_no_percentage() {
        assert_eq!(mape(&[0.0, 100.0], &[5.0, 90.0]), Some(10.0));
        assert_eq!(mape(&[0.0], &[5.0]), None);
    }

    #[test]
    fn the_naive_reference_repeats_the_last_season() {
        let said: Vec<f64> = seasonal_naive(&[1.0, 2.0, 3.0, 4.0, 5.0], 3).take(5).collect();
        assert_eq!(said, vec![3.0, 4.0, 5.0, 3.0, 4.0]);
        assert_eq!(seasonal_naive(&[], 3).next(), None);
    }
}
