//! `detect_anomalies`: hours whose load is far from the usual load at that hour.
//!
//! An hour is compared with the same hour of other weeks by a robust z-score: the distance from the median, divided
//! by the standard deviation as estimated from the median absolute deviation. Medians are not shifted by the outliers
//! that are searched for.

use super::forecast::rounded;
use super::hours::readings;
use super::readings::LoadReading;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use crate::numbers::statistics::{mean, percentile};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The maximum number of anomalies in the output.
const MOST_TOLD: usize = 1000;
/// The minimum number of readings for an hour of the week; below it, the hour of the day is used.
const FEWEST: usize = 4;
/// The ratio of the median absolute deviation to the standard deviation in a normal distribution.
const MEDIAN_SHARE: f64 = 0.6745;
/// The ratio of the mean absolute deviation to the standard deviation in a normal distribution.
const MEAN_SHARE: f64 = 0.7979;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DetectAnomaliesArguments {
    data_json: Value,
    threshold: Option<f64>,
}

/// Returns the hours whose score exceeds the threshold, in chronological order.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let DetectAnomaliesArguments { data_json, threshold } = arguments(value)?;
    let threshold = threshold.unwrap_or(3.5);
    if !(threshold > 0.0 && threshold.is_finite()) {
        let en = format!("must be greater than 0, got {threshold}; the default is 3.5");
        let zh = format!("必须大于 0，实际为 {threshold}；默认值为 3.5");
        return Err(BuiltinError::argument("/threshold", (en, zh)));
    }
    let readings = readings("/data_json", data_json)?;
    let usual = UsualLoad::of(&readings);
    let scored = readings.iter().filter_map(|reading| {
        let spread = usual.spread(reading)?;
        let score = spread.score(reading.load_mw);
        (score.abs() > threshold).then(|| {
            json!({
                "timestamp": reading.timestamp,
                "load_mw": reading.load_mw,
                "expected_mw": rounded(spread.median, 3),
                // A tiny deviation makes the score arbitrarily large.
                "score": rounded(score.clamp(-1e6, 1e6), 2),
            })
        })
    });
    let anomalies: Vec<Value> = scored.collect();
    let compared = readings.iter().filter(|reading| usual.spread(reading).is_some()).count();
    Ok(json!({
        "anomaly_count": anomalies.len(),
        "checked_count": compared,
        "anomalies": anomalies.into_iter().take(MOST_TOLD).collect::<Vec<_>>(),
    }))
}

/// The usual load per hour of the week and per hour of the day.
struct UsualLoad {
    by_week: BTreeMap<(usize, usize), LoadSpread>,
    by_day: BTreeMap<usize, LoadSpread>,
}

impl UsualLoad {
    fn of(readings: &[LoadReading]) -> Self {
        let mut by_week: BTreeMap<_, Vec<f64>> = BTreeMap::new();
        let mut by_day: BTreeMap<_, Vec<f64>> = BTreeMap::new();
        for LoadReading { timestamp, load_mw } in readings {
            by_week.entry((timestamp.weekday(), timestamp.hour())).or_default().push(*load_mw);
            by_day.entry(timestamp.hour()).or_default().push(*load_mw);
        }
        let week = |(slot, loads): (_, Vec<f64>)| Some((slot, LoadSpread::of(loads)?));
        let day = |(slot, loads): (_, Vec<f64>)| Some((slot, LoadSpread::of(loads)?));
        Self {
            by_week: by_week.into_iter().filter_map(week).collect(),
            by_day: by_day.into_iter().filter_map(day).collect(),
        }
    }

    fn spread(&self, reading: &LoadReading) -> Option<&LoadSpread> {
        let (day, hour) = (reading.timestamp.weekday(), reading.timestamp.hour());
        self.by_week.get(&(day, hour)).or_else(|| self.by_day.get(&hour))
    }
}

/// The median and the deviation of a group of loads.
struct LoadSpread {
    median: f64,
    /// The estimated standard deviation, assuming a normal distribution.
    deviation: f64,
}

impl LoadSpread {
    /// Returns `None` for fewer than `FEWEST` loads.
    fn of(mut loads: Vec<f64>) -> Option<Self> {
        if loads.len() < FEWEST {
            return None;
        }
        loads.sort_by(f64::total_cmp);
        let median = percentile(&loads, 50.0)?;
        let mut distances: Vec<f64> = loads.iter().map(|load| (load - median).abs()).collect();
        distances.sort_by(f64::total_cmp);
        let near = percentile(&distances, 50.0)?;
        // The median distance is zero if more than half of the loads are equal; the mean distance is still
        // informative.
        let deviation =
            if near > 0.0 { near / MEDIAN_SHARE } else { mean(&distances)? / MEAN_SHARE };
        Some(Self { median, deviation })
    }

    fn score(&self, load: f64) -> f64 {
        if self.deviation > 0.0 { (load - self.median) / self.deviation } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use crate::load::stamp::ReadingTime;
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    /// Returns some weeks of hourly data with low Sundays, and `odd` as (hour, load) of one outlier.
    fn data(weeks: usize, odd: (usize, f64)) -> Value {
        let start = ReadingTime::parse("2026-11-02T00:00").unwrap();
        let reading = |hour: usize| {
            let (day, of_day) = (hour / 24 % 7, hour % 24);
            let usual = if day == 6 { 50.0 } else { 100.0 } + of_day as f64 + (hour / 168) as f64;
            let load = if hour == odd.0 { odd.1 } else { usual };
            json!({"timestamp": start.plus_hours(hour).unwrap(), "load_mw": load})
        };
        (0..weeks * 168).map(reading).collect()
    }

    fn found(data: Value) -> Value {
        ask("detect_anomalies", json!({"data_json": data})).unwrap()
    }

    #[test]
    fn an_hour_far_from_the_same_hours_of_other_weeks_is_told() {
        // A load of 55 is usual on a Sunday and odd on a Monday.
        let output = found(data(6, (3 * 168 + 5, 55.0)));
        assert_eq!((&output["anomaly_count"], &output["checked_count"]), (&json!(1), &json!(1008)));
        let anomaly = &output["anomalies"][0];
        assert_eq!(anomaly["timestamp"], "2026-11-23T05:00");
        assert_eq!((&anomaly["load_mw"], &anomaly["expected_mw"]), (&json!(55.0), &json!(106.5)));
        assert!(anomaly["score"].as_f64().unwrap() < -10.0, "{anomaly}");
        assert_eq!(found(data(6, (0, 100.0)))["anomaly_count"], 0);
    }

    #[test]
    fn with_few_weeks_the_hour_of_the_day_is_compared_and_with_few_days_nothing() {
        let output = found(data(1, (29, 400.0)));
        assert_eq!(output["anomalies"][0]["timestamp"], "2026-11-03T05:00");
        let few = json!([{"timestamp": "2026-11-02T00:00", "load_mw": 1}]);
        assert_eq!(found(few), json!({"anomaly_count": 0, "checked_count": 0, "anomalies": []}));
    }

    #[test]
    fn a_threshold_must_be_above_zero() {
        let asked = json!({"data_json": data(1, (0, 1.0)), "threshold": 0});
        assert_eq!(
            refused(ask("detect_anomalies", asked)),
            "/threshold must be greater than 0, got 0; the default is 3.5"
        );
    }
}
