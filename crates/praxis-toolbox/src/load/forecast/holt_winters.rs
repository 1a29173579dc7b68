//! Additive Holt-Winters: a level, a trend, and one offset for each hour of the season.
//!
//! - in: loads of consecutive hours, at least two seasons of them
//! - out: a model that forecasts; its rates have the least error in day-ahead forecasts of the series
//! - never: depends on the clock or on chance; the same series gives the same model

use crate::error::BuiltinError;
use crate::local::EffectGate;
use serde::Serialize;

/// One day: the horizon of a forecast in the search for rates, and the distance between two forecasts.
const DAY: usize = 24;
const ALPHAS: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.8];
const BETAS: [f64; 4] = [0.0, 0.001, 0.01, 0.05];
const GAMMAS: [f64; 5] = [0.02, 0.1, 0.2, 0.4, 0.7];

/// The rates at which the parts of a model follow the observations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct SmoothingRates {
    /// The rate of the level.
    pub(crate) alpha: f64,
    /// The rate of the trend.
    pub(crate) beta: f64,
    /// The rate of the seasonal offsets.
    pub(crate) gamma: f64,
}

/// A Holt-Winters model after some observations.
#[derive(Clone, Debug)]
pub(crate) struct HoltWintersModel {
    rates: SmoothingRates,
    level: f64,
    trend: f64,
    season: Vec<f64>,
    /// The position of the next observation within the season.
    next: usize,
}

/// Returns the minimum number of loads for `choose`: two seasons for the start values, and one day to forecast.
pub(crate) fn fewest(season: usize) -> usize {
    2 * season + DAY
}

impl HoltWintersModel {
    /// Returns a model that has observed all loads.
    pub(crate) fn fit(loads: &[f64], season: usize, rates: SmoothingRates) -> Self {
        let mut model = HoltWintersStart::of(loads, season).model(rates);
        for load in loads {
            model.observe(*load);
        }
        model
    }

    /// Returns the forecast of the next hours, without end.
    pub(crate) fn ahead(&self) -> impl Iterator<Item = f64> {
        let (early, late) = self.season.split_at_checked(self.next).unwrap_or_default();
        let cycle = late.iter().chain(early).cycle();
        let levels = std::iter::successors(Some(self.level + self.trend), |l| Some(l + self.trend));
        levels.zip(cycle).map(|(level, offset)| level + offset)
    }

    fn observe(&mut self, load: f64) {
        let SmoothingRates { alpha, beta, gamma } = self.rates;
        let Some(offset) = self.season.get_mut(self.next) else { return };
        let level = alpha * (load - *offset) + (1.0 - alpha) * (self.level + self.trend);
        self.trend = beta * (level - self.level) + (1.0 - beta) * self.trend;
        *offset = gamma * (load - level) + (1.0 - gamma) * *offset;
        self.level = level;
        self.next = (self.next + 1) % self.season.len();
    }
}

/// Chooses the rates with the least error in day-ahead forecasts of the series, by grid search.
pub(crate) fn choose(
    loads: &[f64],
    season: usize,
    gate: &EffectGate,
) -> Result<SmoothingRates, BuiltinError> {
    let start = HoltWintersStart::of(loads, season);
    let mut best = (f64::INFINITY, SmoothingRates { alpha: 0.1, beta: 0.0, gamma: 0.1 });
    for alpha in ALPHAS {
        for beta in BETAS {
            gate.check()?;
            for rates in GAMMAS.map(|gamma| SmoothingRates { alpha, beta, gamma }) {
                let error = day_ahead_error(start.model(rates), loads);
                if error < best.0 {
                    best = (error, rates);
                }
            }
        }
    }
    Ok(best.1)
}

/// Returns the squared error of all day-ahead forecasts, each made from the hours before it.
fn day_ahead_error(mut model: HoltWintersModel, loads: &[f64]) -> f64 {
    let learning = model.season.len();
    let mut total = 0.0;
    for (hour, load) in loads.iter().enumerate() {
        if hour >= learning && (hour - learning).is_multiple_of(DAY) {
            let day = loads.get(hour..hour + DAY).unwrap_or_default();
            total += day
                .iter()
                .zip(model.ahead())
                .map(|(seen, said)| (seen - said).powi(2))
                .sum::<f64>();
        }
        model.observe(*load);
    }
    total
}

/// The start values of a model, before its first observation.
struct HoltWintersStart {
    level: f64,
    trend: f64,
    season: Vec<f64>,
}

impl HoltWintersStart {
    /// Fits the trend to the means of all whole seasons; the offsets come from the first two seasons.
    fn of(loads: &[f64], season: usize) -> Self {
        let means: Vec<f64> = loads.chunks_exact(season).map(mean).collect();
        let trend = slope(&means) / count(season);
        let first = means.first().copied().unwrap_or_default();
        let line = |hour: usize| first + trend * (count(hour) - (count(season) - 1.0) / 2.0);
        let offset = |hour: usize| {
            let both = [hour, hour + season];
            let seen = both.iter().filter_map(|hour| Some(loads.get(*hour)? - line(*hour)));
            mean(&seen.collect::<Vec<_>>())
        };
        Self { level: line(0) - trend, trend, season: (0..season).map(offset).collect() }
    }

    fn model(&self, rates: SmoothingRates) -> HoltWintersModel {
        let Self { level, trend, season } = self;
        HoltWintersModel { rates, level: *level, trend: *trend, season: season.clone(), next: 0 }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values.len().max(1))
}

/// Returns the slope of the least-squares line through the values at 0, 1, 2 …
fn slope(values: &[f64]) -> f64 {
    let (middle, average) = ((count(values.len()) - 1.0) / 2.0, mean(values));
    let from_middle = |(position, _): &(usize, &f64)| count(*position) - middle;
    let points = || values.iter().enumerate();
    let rise: f64 = points().map(|point| from_middle(&point) * (point.1 - average)).sum();
    let run: f64 = points().map(|point| from_middle(&point).powi(2)).sum();
    if run > 0.0 { rise / run } else { 0.0 }
}

/// Converts a count to `f64`. Series are far shorter than the integers that `f64` represents exactly.
fn count(of: usize) -> f64 {
    f64::from(u32::try_from(of).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_with_season(hours: usize, season: usize) -> Vec<f64> {
        let offset = |hour: usize| if hour.is_multiple_of(season) { 30.0 } else { 0.0 };
        (0..hours).map(|hour| 100.0 + 0.5 * count(hour) + offset(hour)).collect()
    }

    #[test]
    fn a_straight_line_with_a_season_is_forecast_exactly() {
        let loads = line_with_season(24 * 9, 24);
        let (past, future) = loads.split_at(24 * 8);
        for rates in [(0.1, 0.01, 0.2), (0.8, 0.05, 0.7), (0.02, 0.0, 0.02)] {
            let rates = SmoothingRates { alpha: rates.0, beta: rates.1, gamma: rates.2 };
            let said: Vec<f64> = HoltWintersModel::fit(past, 24, rates).ahead().take(24).collect();
            for (said, seen) in said.iter().zip(future) {
                assert!((said - seen).abs() < 1e-6, "{rates:?}: {said} is not {seen}");
            }
        }
    }

    #[test]
    fn a_level_that_jumps_is_followed_by_a_quick_rate() {
        let levels = [100.0, 400.0, 150.0, 350.0, 120.0, 380.0];
        let loads: Vec<f64> = levels.iter().flat_map(|level| vec![*level; 24 * 5]).collect();
        let rates = choose(&loads, 24, &EffectGate::default()).unwrap();
        assert!(rates.alpha >= 0.35, "{rates:?}");
    }

    #[test]
    fn the_fewest_loads_are_enough_to_choose_from() {
        for season in [2, 24, 168] {
            let loads = line_with_season(fewest(season), season);
            assert!(choose(&loads, season, &EffectGate::default()).is_ok());
        }
    }
}
