//! `forecast_load`: a forecast of the next hours, and the error of the same method on the last day.
//!
//! - in: an hourly series as JSON, and the length of its season
//! - out: a forecast with its peak, and errors measured on a day that the model did not see
//! - never: fills gaps, uses the held-back day to choose rates, or returns a number that is not finite

mod forecast_load;

mod series;

mod holt_winters;

mod backtest;

pub(crate) use backtest::{mape, rmse, rounded};
pub(crate) use forecast_load::work;
