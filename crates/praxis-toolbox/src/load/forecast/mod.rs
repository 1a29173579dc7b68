//! `forecast_load`: the load of the next hours, and how far off the same method was on the last day.
//!
//! - in: an hourly series as JSON, and which season it has
//! - out: a forecast with its peak, and errors measured on a day that the model did not see
//! - never: fills gaps, looks at the held-back day while choosing rates, or gives a number that is none

mod forecast_load;

mod series;

mod holt_winters;

mod backtest;

pub(crate) use backtest::{mape, rmse, rounded};
pub(crate) use forecast_load::work;
