//! `fill_gaps`: fills the missing hours of a series and lists the hours that it filled.

use super::forecast::rounded;
use super::hours::{Hour, hours, without_loads};
use super::readings::{LoadReading, MOST_ROWS, to_json};
use super::stamp::ReadingTime;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Value, json};

/// The seasons in hours: a week, then a day.
const SEASONS: [usize; 2] = [168, 24];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FillGapsArguments {
    data_json: Value,
    #[serde(default)]
    method: FillMethod,
    most_hours: Option<usize>,
}

/// The method by which a missing load is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FillMethod {
    #[default]
    Linear,
    SameHour,
    Previous,
}

/// Fills the hours between the first and the last known load.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let FillGapsArguments { data_json, method, most_hours } = arguments(value)?;
    let series = GappedSeries::of(&hours("/data_json", data_json)?)?;
    let most = most_hours.unwrap_or(24);
    if let Some((at, length)) = series.gaps().find(|(_, length)| *length > most) {
        let from = series.stamp(at).map(|stamp| stamp.to_string()).unwrap_or_default();
        return Err(BuiltinError::argument("/data_json", long_gap(&from, length, most)));
    }
    let loads = series.filled(method);
    let stamped = |position: usize| {
        let load_mw = *loads.get(position)?;
        Some(LoadReading { timestamp: series.stamp(position)?, load_mw })
    };
    let all: Vec<LoadReading> = (0..loads.len()).filter_map(stamped).collect();
    let made_up: Vec<LoadReading> =
        series.gaps().flat_map(|(at, length)| at..at + length).filter_map(stamped).collect();
    let data_json = to_json(&all)?;
    Ok(json!({
        "data_json": data_json,
        "record_count": all.len(),
        "filled_count": made_up.len(),
        "filled": made_up,
    }))
}

fn long_gap(from: &str, length: usize, most: usize) -> Bilingual {
    let en = format!(
        "{length} hours are missing from {from} on, more than `most_hours` ({most}); complete the data, or raise \
         `most_hours`"
    );
    let zh = format!(
        "从 {from} 起缺少 {length} 小时的数据，超过 `most_hours`（{most}）；请补全数据，或调大 `most_hours`"
    );
    (en, zh).into()
}

/// Loads of consecutive hours with gaps. The first and the last load are present.
struct GappedSeries {
    first: ReadingTime,
    loads: Vec<Option<f64>>,
}

impl GappedSeries {
    fn of(hours: &[Hour]) -> Result<Self, BuiltinError> {
        let full = |hour: &&Hour| hour.load_mw.is_some();
        let (Some(first), Some(last)) = (hours.iter().find(full), hours.iter().rev().find(full))
        else {
            return Err(without_loads("/data_json"));
        };
        let first = first.timestamp;
        let place = |stamp: ReadingTime| {
            let minutes = stamp.minutes().checked_sub(first.minutes())?;
            usize::try_from(minutes / 60).ok()
        };
        let length = place(last.timestamp).unwrap_or_default() + 1;
        if length > MOST_ROWS {
            let en = format!(
                "the first and the last load are {length} hours apart; at most {MOST_ROWS} are allowed"
            );
            let zh = format!("首尾负荷相隔 {length} 小时；最多允许 {MOST_ROWS} 小时");
            return Err(BuiltinError::argument("/data_json", (en, zh)));
        }
        let mut loads = vec![None; length];
        for hour in hours {
            if let Some(slot) = place(hour.timestamp).and_then(|at| loads.get_mut(at)) {
                *slot = hour.load_mw;
            }
        }
        Ok(Self { first, loads })
    }

    fn stamp(&self, position: usize) -> Option<ReadingTime> {
        self.first.plus_hours(position)
    }

    /// Returns the start and the length of every gap.
    fn gaps(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut at = 0;
        self.loads.chunk_by(|a, b| a.is_some() == b.is_some()).filter_map(move |run| {
            let from = at;
            at += run.len();
            run.first().is_some_and(Option::is_none).then_some((from, run.len()))
        })
    }

    fn filled(&self, method: FillMethod) -> Vec<f64> {
        let mut loads: Vec<f64> = self.loads.iter().map(|load| load.unwrap_or(f64::NAN)).collect();
        for (from, length) in self.gaps() {
            for at in from..from + length {
                let made_up = match method {
                    FillMethod::Linear => self.between(from, length, at),
                    FillMethod::Previous => self.known(from.checked_sub(1)),
                    FillMethod::SameHour => {
                        self.same_hour(at).or_else(|| self.between(from, length, at))
                    }
                };
                if let (Some(slot), Some(load)) = (loads.get_mut(at), made_up) {
                    *slot = rounded(load, 3);
                }
            }
        }
        loads
    }

    fn known(&self, at: Option<usize>) -> Option<f64> {
        self.loads.get(at?).copied().flatten()
    }

    /// Interpolates linearly between the hour before the gap and the hour after it.
    fn between(&self, from: usize, length: usize, at: usize) -> Option<f64> {
        let (before, after) = (self.known(from.checked_sub(1))?, self.known(Some(from + length))?);
        let share = (at - from + 1) as f64 / (length + 1) as f64;
        Some(before + (after - before) * share)
    }

    /// Returns the mean of the same hour one week before and after, otherwise one day before and after.
    fn same_hour(&self, at: usize) -> Option<f64> {
        SEASONS.into_iter().find_map(|season| {
            let sides = [at.checked_sub(season), at.checked_add(season)];
            let known: Vec<f64> = sides.into_iter().filter_map(|at| self.known(at)).collect();
            crate::numbers::statistics::mean(&known)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::load::stamp::ReadingTime;
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn series(loads: &[Option<f64>]) -> Value {
        let start = ReadingTime::parse("2026-11-02T00:00").unwrap();
        let reading = |(hour, load): (usize, &Option<f64>)| {
            Some(json!({"timestamp": start.plus_hours(hour).unwrap(), "load_mw": (*load)?}))
        };
        loads.iter().enumerate().filter_map(reading).collect()
    }

    fn filled(data: Value, method: &str) -> Vec<f64> {
        let output = ask("fill_gaps", json!({"data_json": data, "method": method})).unwrap();
        let all: Vec<Value> = serde_json::from_str(output["data_json"].as_str().unwrap()).unwrap();
        assert_eq!(output["record_count"], all.len());
        assert_eq!(output["filled_count"], output["filled"].as_array().unwrap().len());
        all.iter().map(|reading| reading["load_mw"].as_f64().unwrap()).collect()
    }

    #[test]
    fn hours_that_are_missing_are_made_up_by_the_method() {
        let data = series(&[Some(10.0), None, None, Some(40.0), Some(50.0)]);
        assert_eq!(filled(data.clone(), "linear"), [10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(filled(data, "previous"), [10.0, 10.0, 10.0, 40.0, 50.0]);
        let mut loads: Vec<Option<f64>> = (0..72).map(|hour| Some(f64::from(hour))).collect();
        loads[30] = None;
        assert_eq!(filled(series(&loads), "same_hour")[30..31], [30.0]);
        assert_eq!(filled(series(&[Some(1.0), None, Some(2.0)]), "same_hour"), [1.0, 1.5, 2.0]);
    }

    #[test]
    fn a_load_of_null_is_missing_too_and_edges_are_cut() {
        let at = |hour: u32, load: Value| json!({"timestamp": format!("2026-11-02T{hour:02}:00"), "load_mw": load});
        let data = json!([
            at(0, json!(null)),
            at(1, json!(1)),
            at(2, json!(null)),
            at(3, json!(3)),
            at(4, json!(null))
        ]);
        assert_eq!(filled(data, "linear"), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn what_was_filled_can_be_forecast_from() {
        let loads: Vec<Option<f64>> =
            (0_u32..120).map(|hour| (hour % 17 != 5).then(|| f64::from(hour % 24))).collect();
        let output = ask("fill_gaps", json!({"data_json": series(&loads)})).unwrap();
        assert!(ask("forecast_load", json!({"data_json": output["data_json"]})).is_ok());
    }

    #[test]
    fn a_gap_that_is_too_long_is_refused_with_its_place() {
        let mut loads = vec![Some(1.0); 30];
        loads[3..29].fill(None);
        let why = refused(ask("fill_gaps", json!({"data_json": series(&loads)})));
        assert!(
            why.starts_with("/data_json 26 hours are missing from 2026-11-02T03:00 on, more than"),
            "{why}"
        );
        let asked = json!({"data_json": series(&loads), "most_hours": 26});
        assert_eq!(ask("fill_gaps", asked).unwrap()["filled_count"], 26);
    }
}
