//! `load_profile`: the typical load at each hour of the day or of the week.

use super::forecast::rounded;
use super::hours::readings;
use super::readings::LoadReading;
use crate::dates::calendar::WEEKDAYS;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadProfileArguments {
    data_json: Value,
    #[serde(default)]
    period: ProfilePeriod,
}

/// The period of the profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ProfilePeriod {
    #[default]
    Day,
    Week,
}

/// Returns the mean, minimum and maximum load of each hour that has readings.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let LoadProfileArguments { data_json, period } = arguments(value)?;
    let mut slots: BTreeMap<(usize, usize), HourSlot> = BTreeMap::new();
    for LoadReading { timestamp, load_mw } in readings("/data_json", data_json)? {
        let day = if period == ProfilePeriod::Week { timestamp.weekday() } else { 0 };
        slots.entry((day, timestamp.hour())).or_default().add(load_mw);
    }
    let profile: Vec<Value> = slots.iter().map(|(place, slot)| slot.told(*place, period)).collect();
    let by_mean = |a: &&Value, b: &&Value| {
        let mean = |entry: &Value| entry["mean_mw"].as_f64().unwrap_or_default();
        mean(a).total_cmp(&mean(b))
    };
    // `max_by` returns the last of equal entries; reversed, the first one wins.
    let peak = profile.iter().rev().max_by(by_mean);
    let valley = profile.iter().min_by(by_mean);
    Ok(
        json!({"hour_count": profile.len(), "peak_hour": peak, "valley_hour": valley, "profile": profile}),
    )
}

/// The statistics of one hour.
#[derive(Default)]
struct HourSlot {
    sum: f64,
    count: u32,
    least: Option<f64>,
    most: Option<f64>,
}

impl HourSlot {
    fn add(&mut self, load: f64) {
        self.sum += load;
        self.count += 1;
        self.least = Some(self.least.map_or(load, |least| least.min(load)));
        self.most = Some(self.most.map_or(load, |most| most.max(load)));
    }

    fn told(&self, (day, hour): (usize, usize), period: ProfilePeriod) -> Value {
        let mut entry = json!({
            "hour": hour,
            "mean_mw": rounded(self.sum / f64::from(self.count), 3),
            "min_mw": self.least,
            "max_mw": self.most,
            "count": self.count,
        });
        if let (ProfilePeriod::Week, Some(entry)) = (period, entry.as_object_mut()) {
            entry.insert("weekday".to_owned(), json!(WEEKDAYS.get(day)));
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::ask;
    use serde_json::{Value, json};

    /// Returns hours 3 and 4 of a Monday and a Tuesday, with increasing loads per hour.
    fn data() -> Value {
        json!([
            {"timestamp": "2026-11-16T03:00", "load_mw": 1}, {"timestamp": "2026-11-16T04:00", "load_mw": 3},
            {"timestamp": "2026-11-17T03:00", "load_mw": 2}, {"timestamp": "2026-11-17T04:00", "load_mw": 4},
        ])
    }

    #[test]
    fn a_day_has_the_mean_of_each_hour() {
        let output = ask("load_profile", json!({"data_json": data()})).unwrap();
        let at = |hour: u32, mean: f64, min: f64, max: f64| json!({"hour": hour, "mean_mw": mean, "min_mw": min, "max_mw": max, "count": 2});
        let (three, four) = (at(3, 1.5, 1.0, 2.0), at(4, 3.5, 3.0, 4.0));
        assert_eq!(
            output,
            json!({"hour_count": 2, "peak_hour": four, "valley_hour": three, "profile": [three, four]})
        );
    }

    #[test]
    fn a_week_tells_its_days_apart() {
        let output = ask("load_profile", json!({"data_json": data(), "period": "week"})).unwrap();
        assert_eq!(output["hour_count"], 4);
        let days: Vec<&Value> =
            output["profile"].as_array().unwrap().iter().map(|entry| &entry["weekday"]).collect();
        assert_eq!(days, ["monday", "monday", "tuesday", "tuesday"]);
        assert_eq!(output["peak_hour"]["weekday"], "tuesday");
    }
}
