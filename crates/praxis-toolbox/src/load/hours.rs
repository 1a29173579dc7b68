//! Hourly readings as tool arguments: in order, with possible gaps.

use super::readings::{LoadReading, MOST_ROWS};
use super::stamp::ReadingTime;
use crate::error::BuiltinError;
use crate::json_text;
use praxis_core::problem::Bilingual;
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
    let Value::Array(items) = json_text::opened(at, given)? else {
        let en = "must be a list of {timestamp, load_mw}, or its JSON text";
        return Err(BuiltinError::argument(
            at,
            (en, "必须是 {timestamp, load_mw} 的列表，或其 JSON 文本"),
        ));
    };
    if items.is_empty() || items.len() > MOST_ROWS {
        let found = items.len();
        let en = format!("expected 1 to {MOST_ROWS} readings, got {found}");
        let zh = format!("应有 1 到 {MOST_ROWS} 个读数，实际为 {found} 个");
        return Err(BuiltinError::argument(at, (en, zh)));
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

type HourError = (&'static str, Bilingual);

fn hour(item: &Value) -> Result<Hour, HourError> {
    let time = item.get("timestamp").and_then(Value::as_str);
    let time = time.ok_or_else(|| ("", without_fields()))?;
    let timestamp = ReadingTime::parse(time).map_err(|error| ("/timestamp", error.words()))?;
    let load_mw = match item.get("load_mw") {
        None | Some(Value::Null) => None,
        Some(load) => {
            let number = load.as_f64().filter(|load| load.is_finite());
            Some(number.ok_or_else(|| ("/load_mw", not_a_load()))?)
        }
    };
    Ok(Hour { timestamp, load_mw })
}

fn without_fields() -> Bilingual {
    let en = "a reading must have a `timestamp` and a `load_mw`";
    (en, "读数必须有 `timestamp` 和 `load_mw`").into()
}

fn not_a_load() -> Bilingual {
    ("must be a number, or null if the load is missing", "必须是数字；缺失时写 null").into()
}

fn follows(before: Option<&Hour>, hour: Hour) -> Result<Hour, HourError> {
    let Some(before) = before else { return Ok(hour) };
    let (then, now) = (before.timestamp, hour.timestamp);
    if now <= then {
        let en = format!("{now} is not after {then}; sort the readings by time, each hour once");
        let zh = format!("{now} 不晚于 {then}；请按时间排序，每小时只保留一个读数");
        return Err(("/timestamp", (en, zh).into()));
    }
    if (now.minutes() - then.minutes()) % 60 != 0 {
        let en = format!(
            "{now} is not a whole number of hours after {then}; the readings must be hourly"
        );
        let zh = format!("{now} 与 {then} 相差的不是整数小时；读数必须是每小时一个");
        return Err(("/timestamp", (en, zh).into()));
    }
    Ok(hour)
}

/// Returns the readings that have a load; fails if there are none.
pub(super) fn readings(at: &str, given: Value) -> Result<Vec<LoadReading>, BuiltinError> {
    let full = |hour: Hour| Some(LoadReading { timestamp: hour.timestamp, load_mw: hour.load_mw? });
    let readings: Vec<LoadReading> = hours(at, given)?.into_iter().filter_map(full).collect();
    if readings.is_empty() {
        return Err(without_loads(at));
    }
    Ok(readings)
}

/// Builds the error for readings of which none has a load.
pub(super) fn without_loads(at: &str) -> BuiltinError {
    BuiltinError::argument(at, ("no reading has a `load_mw`", "没有任何读数带有 `load_mw`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn why(given: Value) -> String {
        match readings("/data_json", given) {
            Err(BuiltinError::Argument { at, why }) => format!("{at} {}", why.en),
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
        assert!(why(json!([])).starts_with("/data_json expected 1 to 500000 readings, got 0"));
        assert!(why(json!({"a": 1})).starts_with("/data_json must be a list of"));
        assert!(why(json!([1])).starts_with("/data_json/0 a reading must have"));
        assert!(
            why(json!([at("yesterday")]))
                .starts_with("/data_json/0/timestamp cannot parse `yesterday` as a time")
        );
        let twice = json!([at("2026-01-01T01:00"), at("2026-01-01T01:00")]);
        assert!(why(twice).starts_with("/data_json/1/timestamp 2026-01-01T01:00 is not after"));
        let half = json!([at("2026-01-01T01:00"), at("2026-01-01T01:30")]);
        assert!(why(half).ends_with("the readings must be hourly"));
        let text = json!([{"timestamp": "2026-01-01T01:00", "load_mw": "1"}]);
        assert!(why(text).starts_with("/data_json/0/load_mw must be a number"));
        assert!(
            why(json!([{"timestamp": "2026-01-01T01:00"}])).ends_with("no reading has a `load_mw`")
        );
    }
}
