//! Hourly readings as tool arguments: in order, with possible gaps.

use super::readings::{LoadReading, MOST_ROWS};
use super::stamp::ReadingTime;
use crate::error::BuiltinError;
use crate::json_text;
use serde_json::Value;

/// A reading whose load may be missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hour {
    /// The time of the reading.
    pub(super) timestamp: ReadingTime,
    /// The load in megawatts.
    pub(super) load_mw: Option<f64>,
}

/// Reads an argument: an array, or the JSON text of one. Requires at least one reading, and each reading to be a
/// whole number of hours after the one before.
pub(super) fn hours(at: &str, given: Value) -> Result<Vec<Hour>, BuiltinError> {
    let wrong = |why: String| BuiltinError::argument(at, why);
    let Value::Array(items) = json_text::opened(at, given)? else {
        return Err(wrong("a list of {timestamp, load_mw} is needed, or its JSON text".to_owned()));
    };
    if items.is_empty() || items.len() > MOST_ROWS {
        let found = items.len();
        return Err(wrong(format!("it has {found} readings; from 1 to {MOST_ROWS} are taken")));
    }
    let mut hours: Vec<Hour> = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        let read = hour(item).and_then(|hour| follows(hours.last(), hour));
        hours.push(read.map_err(|(field, why)| {
            BuiltinError::argument(format!("{at}/{position}{field}"), why)
        })?);
    }
    Ok(hours)
}

type HourError = (&'static str, String);

fn hour(item: &Value) -> Result<Hour, HourError> {
    let time = item.get("timestamp").and_then(Value::as_str);
    let time = time.ok_or(("", "a reading has a timestamp and a load_mw".to_owned()))?;
    let timestamp = ReadingTime::parse(time).map_err(|error| ("/timestamp", error.to_string()))?;
    let load_mw =
        match item.get("load_mw") {
            None | Some(Value::Null) => None,
            Some(load) => {
                let number = load.as_f64().filter(|load| load.is_finite());
                Some(number.ok_or((
                    "/load_mw",
                    "it must be a number, or null if it is missing".to_owned(),
                ))?)
            }
        };
    Ok(Hour { timestamp, load_mw })
}

fn follows(before: Option<&Hour>, hour: Hour) -> Result<Hour, HourError> {
    let Some(before) = before else { return Ok(hour) };
    let (then, now) = (before.timestamp, hour.timestamp);
    if now <= then {
        let advice = "sort the readings by timestamp, each once";
        return Err(("/timestamp", format!("{now} is not after {then}; {advice}")));
    }
    if (now.minutes() - then.minutes()) % 60 != 0 {
        let why =
            format!("{now} is no whole number of hours after {then}; hourly readings are needed");
        return Err(("/timestamp", why));
    }
    Ok(hour)
}

/// Returns the readings that have a load; fails if there are none.
pub(super) fn readings(at: &str, given: Value) -> Result<Vec<LoadReading>, BuiltinError> {
    let full = |hour: Hour| Some(LoadReading { timestamp: hour.timestamp, load_mw: hour.load_mw? });
    let readings: Vec<LoadReading> = hours(at, given)?.into_iter().filter_map(full).collect();
    if readings.is_empty() {
        return Err(BuiltinError::argument(at, "no reading has a load_mw"));
    }
    Ok(readings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn why(given: Value) -> String {
        match readings("/data_json", given) {
            Err(BuiltinError::Argument { at, why }) => format!("{at} {why}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn readings_are_taken_with_other_fields_gaps_and_as_text() {
        let given = json!([
            {"timestamp": "2026-01-01T00:00", "load_mw": 1, "city": "x"},
            {"timestamp": "2026-01-01T01:00", "load_mw": null},
            {"timestamp": "2026-01-01 05:00:00", "load_mw": 2.5},
        ]);
        let read = readings("/data_json", given.clone()).unwrap();
        assert_eq!(read.iter().map(|r| r.load_mw).collect::<Vec<_>>(), [1.0, 2.5]);
        assert_eq!(readings("/data_json", json!(given.to_string())).unwrap(), read);
    }

    #[test]
    fn what_is_no_hourly_series_is_refused_by_its_place() {
        let at = |time: &str| json!({"timestamp": time, "load_mw": 1});
        assert!(why(json!([])).starts_with("/data_json it has 0 readings"));
        assert!(why(json!({"a": 1})).starts_with("/data_json a list of"));
        assert!(why(json!([1])).starts_with("/data_json/0 a reading has"));
        assert!(
            why(json!([at("yesterday")]))
                .starts_with("/data_json/0/timestamp `yesterday` is no time")
        );
        let twice = json!([at("2026-01-01T01:00"), at("2026-01-01T01:00")]);
        assert!(why(twice).starts_with("/data_json/1/timestamp 2026-01-01T01:00 is not after"));
        let half = json!([at("2026-01-01T01:00"), at("2026-01-01T01:30")]);
        assert!(why(half).ends_with("hourly readings are needed"));
        let text = json!([{"timestamp": "2026-01-01T01:00", "load_mw": "1"}]);
        assert!(why(text).starts_with("/data_json/0/load_mw it must be a number"));
        assert!(
            why(json!([{"timestamp": "2026-01-01T01:00"}])).ends_with("no reading has a load_mw")
        );
    }
}
