//! `load_summary`: energy, peak, valley and load factor, for all readings or for each day, week or month.

use super::forecast::rounded;
use super::hours::readings;
use super::readings::LoadReading;
use super::stamp::ReadingTime;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadSummaryArguments {
    data_json: Value,
    #[serde(default)]
    by: SummaryPeriod,
}

/// The period of one row of the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SummaryPeriod {
    #[default]
    All,
    Day,
    Week,
    Month,
}

/// Summarizes the readings. A reading stands for one hour, so megawatts add up to megawatt-hours.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let LoadSummaryArguments { data_json, by } = arguments(value)?;
    let readings = readings("/data_json", data_json)?;
    let mut rows = Vec::new();
    for group in readings.chunk_by(|a, b| by.name(a.timestamp) == by.name(b.timestamp)) {
        rows.extend(summary(group, by));
    }
    Ok(json!({
        "row_count": rows.len(),
        "energy_mwh": rounded(readings.iter().map(|reading| reading.load_mw).sum(), 3),
        "rows": rows,
    }))
}

impl SummaryPeriod {
    fn name(self, stamp: ReadingTime) -> String {
        let Some(day) = stamp.day() else { return String::new() };
        let (year, month) = (day.year(), day.month());
        match self {
            Self::All => "all".to_owned(),
            Self::Day => format!("{year:04}-{month:02}-{:02}", day.day()),
            Self::Month => format!("{year:04}-{month:02}"),
            Self::Week => {
                let (year, week) = day.iso_week();
                format!("{year:04}-W{week:02}")
            }
        }
    }
}

/// Returns `None` for an empty group.
fn summary(group: &[LoadReading], by: SummaryPeriod) -> Option<Value> {
    let energy: f64 = group.iter().map(|reading| reading.load_mw).sum();
    let mean = energy / group.len() as f64;
    // `max_by` returns the last of equal loads; reversed, the first one wins.
    let peak = group.iter().rev().max_by(|a, b| a.load_mw.total_cmp(&b.load_mw))?;
    let valley = group.iter().min_by(|a, b| a.load_mw.total_cmp(&b.load_mw))?;
    let factor = (peak.load_mw > 0.0).then(|| rounded(mean / peak.load_mw, 4));
    Some(json!({
        "period": by.name(peak.timestamp),
        "hours": group.len(),
        "energy_mwh": rounded(energy, 3),
        "mean_mw": rounded(mean, 3),
        "peak_mw": peak.load_mw,
        "peak_at": peak.timestamp,
        "valley_mw": valley.load_mw,
        "valley_at": valley.timestamp,
        "peak_valley_difference_mw": rounded(peak.load_mw - valley.load_mw, 3),
        "load_factor": factor,
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::ask;
    use serde_json::{Value, json};

    fn summed(by: &str) -> Value {
        let data = json!([
            {"timestamp": "2026-11-15T22:00", "load_mw": 2}, {"timestamp": "2026-11-15T23:00", "load_mw": 4},
            {"timestamp": "2026-11-16T00:00", "load_mw": 8}, {"timestamp": "2026-12-01T00:00", "load_mw": 2},
        ]);
        ask("load_summary", json!({"data_json": data, "by": by})).unwrap()
    }

    #[test]
    fn all_readings_are_one_row_of_figures() {
        assert_eq!(
            summed("all"),
            json!({"row_count": 1, "energy_mwh": 16.0, "rows": [{
                "period": "all", "hours": 4, "energy_mwh": 16.0, "mean_mw": 4.0,
                "peak_mw": 8.0, "peak_at": "2026-11-16T00:00", "valley_mw": 2.0, "valley_at": "2026-11-15T22:00",
                "peak_valley_difference_mw": 6.0, "load_factor": 0.5,
            }]})
        );
    }

    #[test]
    fn days_weeks_and_months_are_told_apart() {
        for (by, expected) in [
            ("day", &["2026-11-15", "2026-11-16", "2026-12-01"][..]),
            ("week", &["2026-W46", "2026-W47", "2026-W49"]),
            ("month", &["2026-11", "2026-12"]),
        ] {
            let output = summed(by);
            let names: Vec<&Value> =
                output["rows"].as_array().unwrap().iter().map(|row| &row["period"]).collect();
            assert_eq!(names, expected);
        }
    }

    #[test]
    fn a_load_that_is_never_above_zero_has_no_factor() {
        let data = json!([{"timestamp": "2026-11-15T22:00", "load_mw": 0}]);
        let output = ask("load_summary", json!({"data_json": data})).unwrap();
        assert_eq!(output["rows"][0]["load_factor"], json!(null));
    }
}
