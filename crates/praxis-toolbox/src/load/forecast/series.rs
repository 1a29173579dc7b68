//! The hourly series that a forecast starts from.

use crate::error::BuiltinError;
use crate::load::readings::{LoadReading, MOST_ROWS, follows};
use crate::load::stamp::ReadingTime;
use serde_json::Value;

/// Loads of consecutive hours.
#[derive(Debug, PartialEq)]
pub(crate) struct HourlySeries {
    /// The hour of the last load.
    pub(crate) last: ReadingTime,
    /// The loads, in order.
    pub(crate) loads: Vec<f64>,
}

impl HourlySeries {
    /// Reads the JSON text that `get_data` returns, or the array itself. Rejects gaps, loads that are not finite
    /// numbers, and too few or too many hours.
    pub(crate) fn read(given: Value, fewest: usize) -> Result<Self, BuiltinError> {
        let readings: Result<Vec<LoadReading>, _> = if let Value::String(text) = &given {
            serde_json::from_str(text)
        } else {
            serde_json::from_value(given)
        };
        let readings = readings.map_err(|error| {
            BuiltinError::Failed(format!("data_json is no list of timestamp and load_mw: {error}"))
        })?;
        let count = readings.len();
        if count < fewest || count > MOST_ROWS {
            let wanted = format!("from {fewest} to {MOST_ROWS} hours are needed");
            return Err(BuiltinError::Failed(format!("there are {count} hours of data; {wanted}")));
        }
        for (position, pair) in readings.windows(2).enumerate() {
            if let [before, after] = pair {
                follows(before.timestamp, after.timestamp).map_err(|why| {
                    BuiltinError::Failed(format!("data_json[{}]: {why}", position + 1))
                })?;
            }
        }
        let loads: Vec<f64> = readings.iter().map(|reading| reading.load_mw).collect();
        let last = readings.last().map(|reading| reading.timestamp);
        match last.filter(|_| loads.iter().all(|load| load.is_finite())) {
            Some(last) => Ok(Self { last, loads }),
            None => Err(BuiltinError::Failed("a load in data_json is not finite".to_owned())),
        }
    }
}
