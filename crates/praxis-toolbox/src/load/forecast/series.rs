//! The hourly series that a forecast starts from.

use crate::error::{BuiltinError, mismatch};
use crate::json_text::not_json;
use crate::load::readings::{LoadReading, MOST_ROWS, follows};
use crate::load::stamp::ReadingTime;
use crate::wording::prefixed;
use praxis_core::document::read_json;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
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
        let readings = list(given).map_err(|why| {
            let en = "`data_json` is not a list of {timestamp, load_mw}: ";
            let zh = "`data_json` 不是 {timestamp, load_mw} 的列表：";
            BuiltinError::Failed(prefixed(en, zh, &why))
        })?;
        let count = readings.len();
        if count < fewest || count > MOST_ROWS {
            return Err(BuiltinError::failed((
                format!("there are {count} hours of data; {fewest} to {MOST_ROWS} are needed"),
                format!("有 {count} 小时的数据；需要 {fewest} 到 {MOST_ROWS} 小时"),
            )));
        }
        for (position, pair) in readings.windows(2).enumerate() {
            if let [before, after] = pair {
                follows(before.timestamp, after.timestamp).map_err(|why| {
                    let place = format!("data_json[{}]", position + 1);
                    BuiltinError::Failed(prefixed(format!("{place}: "), format!("{place}："), &why))
                })?;
            }
        }
        let loads: Vec<f64> = readings.iter().map(|reading| reading.load_mw).collect();
        let last = readings.last().map(|reading| reading.timestamp);
        match last.filter(|_| loads.iter().all(|load| load.is_finite())) {
            Some(last) => Ok(Self { last, loads }),
            None => {
                let en = "a load in `data_json` is not finite";
                Err(BuiltinError::failed((en, "`data_json` 中有负荷不是有限值")))
            }
        }
    }
}

/// Reads the readings, in any order.
fn list(given: Value) -> Result<Vec<LoadReading>, Bilingual> {
    let given = match given {
        Value::String(text) => read_json(&text).map_err(|error| not_json(&error))?,
        other => other,
    };
    Vec::<LoadReading>::deserialize(&given).map_err(|error| {
        let time = |item: &Value| ReadingTime::parse(item.get("timestamp")?.as_str()?).err();
        let bad_time = given.as_array().into_iter().flatten().find_map(time);
        bad_time.map_or_else(|| mismatch(&error), |bad_time| bad_time.words())
    })
}
