//! `find_peaks`: the highest or lowest hours of a series, with a minimum distance between them.

use super::hours::readings;
use super::readings::LoadReading;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use crate::wording::must_be_between;
use serde::Deserialize;
use serde_json::{Value, json};

/// The maximum number of peaks.
const MOST_PEAKS: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindPeaksArguments {
    data_json: Value,
    count: Option<usize>,
    apart_hours: Option<u64>,
    #[serde(default)]
    kind: PeakKind,
}

/// The kind of extreme that is searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PeakKind {
    #[default]
    Highest,
    Lowest,
}

/// Takes the highest (or lowest) hour, then the next one that is far enough from all taken hours, and so on.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let FindPeaksArguments { data_json, count, apart_hours, kind } = arguments(value)?;
    let count = count.unwrap_or(5);
    if !(1..=MOST_PEAKS).contains(&count) {
        return Err(BuiltinError::argument("/count", must_be_between(1, MOST_PEAKS, count)));
    }
    let mut readings = readings("/data_json", data_json)?;
    // The sort is stable: equal loads stay in chronological order.
    readings.sort_by(|a, b| match kind {
        PeakKind::Highest => b.load_mw.total_cmp(&a.load_mw),
        PeakKind::Lowest => a.load_mw.total_cmp(&b.load_mw),
    });
    let apart = apart_hours.unwrap_or(24).saturating_mul(60);
    let mut peaks: Vec<LoadReading> = Vec::new();
    for reading in readings {
        let far = |peak: &LoadReading| {
            peak.timestamp.minutes().abs_diff(reading.timestamp.minutes()) >= apart
        };
        if peaks.len() < count && peaks.iter().all(far) {
            peaks.push(reading);
        }
    }
    Ok(json!({"peak_count": peaks.len(), "peaks": peaks}))
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn found(mut asked: Value) -> Vec<String> {
        let loads = [5, 9, 8, 1, 2, 9];
        let reading = |(hour, load): (usize, &i32)| json!({"timestamp": format!("2026-11-15T{hour:02}:00"), "load_mw": load});
        asked["data_json"] = loads.iter().enumerate().map(reading).collect();
        let output = ask("find_peaks", asked).unwrap();
        let peaks = output["peaks"].as_array().unwrap();
        assert_eq!(output["peak_count"], peaks.len());
        peaks.iter().map(|peak| peak["timestamp"].as_str().unwrap()[11..13].to_owned()).collect()
    }

    #[test]
    fn peaks_are_the_highest_hours_that_are_far_enough_apart() {
        assert_eq!(found(json!({"apart_hours": 1})), ["01", "05", "02", "00", "04"]);
        assert_eq!(found(json!({"apart_hours": 2})), ["01", "05", "03"]);
        assert_eq!(found(json!({})), ["01"]);
        assert_eq!(found(json!({"apart_hours": 2, "count": 1})), ["01"]);
        assert_eq!(found(json!({"apart_hours": 3, "kind": "lowest"})), ["03", "00"]);
    }

    #[test]
    fn no_peaks_are_not_asked_for() {
        let data = json!([{"timestamp": "2026-11-15T00:00", "load_mw": 1}]);
        let asked = json!({"data_json": data, "count": 0});
        assert_eq!(refused(ask("find_peaks", asked)), "/count must be between 1 and 1000, got 0");
    }
}
