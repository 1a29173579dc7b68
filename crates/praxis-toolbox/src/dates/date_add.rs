//! `date_add`: adds years, months, weeks, days, hours and minutes to a date, or subtracts them.

use super::moment::{DAY_SECONDS, WrittenMoment};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DateAddArguments {
    date: String,
    #[serde(default)]
    years: i64,
    #[serde(default)]
    months: i64,
    #[serde(default)]
    weeks: i64,
    #[serde(default)]
    days: i64,
    #[serde(default)]
    hours: i64,
    #[serde(default)]
    minutes: i64,
}

/// Runs `date_add`. Years and months are added first, then the rest.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let asked: DateAddArguments = arguments(value)?;
    let from = moment("/date", &asked.date)?;
    let moved = later(from, &asked).ok_or_else(|| BuiltinError::argument("", beyond()))?;
    Ok(json!({"new_date": moved.to_string()}))
}

fn beyond() -> Bilingual {
    ("the result is outside the years 1 to 9999", "结果超出公元 1 年到 9999 年的范围").into()
}

fn later(from: WrittenMoment, asked: &DateAddArguments) -> Option<WrittenMoment> {
    let months = asked.years.checked_mul(12)?.checked_add(asked.months)?;
    let day = from.day.plus_months(months)?;
    let days = asked.weeks.checked_mul(7)?.checked_add(asked.days)?;
    let minutes = asked.hours.checked_mul(60)?.checked_add(asked.minutes)?;
    let seconds = days.checked_mul(DAY_SECONDS)?.checked_add(minutes.checked_mul(60)?)?;
    WrittenMoment { day, ..from }.plus_seconds(seconds)
}

/// Parses an argument that must be an ISO 8601 date.
pub(super) fn moment(at: &str, text: &str) -> Result<WrittenMoment, BuiltinError> {
    WrittenMoment::parse(text).ok_or_else(|| {
        let shown: String = text.chars().take(60).collect();
        let en = format!(
            "cannot parse `{shown}` as a date; write it like 2026-11-15 or 2026-11-15T08:30, or convert it with \
             `parse_date`"
        );
        let zh = format!(
            "无法将 `{shown}` 解析为日期；请写成如 2026-11-15 或 2026-11-15T08:30，或先用 `parse_date` 转换"
        );
        BuiltinError::argument(at, (en, zh))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ask, refused};
    use proptest::prelude::*;

    fn added(mut asked: Value, date: &str) -> String {
        asked["date"] = Value::from(date);
        ask("date_add", asked).unwrap()["new_date"].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_date_moves_by_the_calendar() {
        for (date, asked, expected) in [
            ("2026-11-15", json!({"days": 30}), "2026-12-15"),
            ("2024-01-31", json!({"months": 1}), "2024-02-29"),
            ("2024-02-29", json!({"years": 1}), "2025-02-28"),
            ("2024-01-31", json!({"months": 1, "days": 1}), "2024-03-01"),
            ("2026-11-15", json!({"weeks": -2}), "2026-11-01"),
            ("2026-12-31T23:30", json!({"minutes": 45}), "2027-01-01T00:15"),
            ("2026-11-15", json!({"hours": 36}), "2026-11-16T12:00"),
            ("2026-11-15", json!({"hours": 48}), "2026-11-17"),
            ("2026-11-15T08:30+08:00", json!({"hours": -9}), "2026-11-14T23:30+08:00"),
            ("1970-01-01", json!({"days": -1}), "1969-12-31"),
            ("1900-02-28", json!({"days": 1}), "1900-03-01"),
            ("2000-02-28", json!({"days": 1}), "2000-02-29"),
            ("2024-02-29", json!({"years": 76}), "2100-02-28"),
            ("2024-03-31", json!({"months": -1}), "2024-02-29"),
            ("2024-12-31", json!({"months": 2}), "2025-02-28"),
            ("0001-01-01", json!({"years": 9998}), "9999-01-01"),
            ("9999-12-31", json!({"months": -119_987}), "0001-01-31"),
            ("9999-12-31", json!({"days": -3_652_058}), "0001-01-01"),
        ] {
            assert_eq!(added(asked, date), expected, "{date}");
        }
    }

    #[test]
    fn what_is_no_date_or_leaves_the_calendar_is_refused() {
        let why = refused(ask("date_add", json!({"date": "15 Nov 2026", "days": 1})));
        assert!(
            why.starts_with("/date cannot parse `15 Nov 2026` as a date; write it like 2026-11-15"),
            "{why}"
        );
        for (date, asked) in [
            ("9999-12-31", json!({"days": 1})),
            ("9999-12-31", json!({"months": 1})),
            ("9999-12-31", json!({"years": i64::MAX})),
            ("9999-12-31", json!({"minutes": i64::MAX})),
            ("0001-01-01", json!({"days": -1})),
            ("0001-12-31", json!({"months": -12})),
            ("0001-01-01", json!({"months": i64::MIN})),
            ("0001-01-01", json!({"days": 1_000_000_000_000_i64})),
        ] {
            let mut asked = asked;
            asked["date"] = json!(date);
            assert_eq!(
                refused(ask("date_add", asked)),
                " the result is outside the years 1 to 9999"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_added_can_be_taken_away(days in -200_000_i64..200_000, minutes in -3_000_000_i64..3_000_000) {
            let from = WrittenMoment::parse("2026-11-15T08:30").unwrap();
            let there = from.plus_seconds(days * DAY_SECONDS + minutes * 60).unwrap();
            prop_assert_eq!(there.plus_seconds(-days * DAY_SECONDS - minutes * 60), Some(from));
            prop_assert_eq!(there.seconds() - from.seconds(), days * DAY_SECONDS + minutes * 60);
            prop_assert_eq!(WrittenMoment::parse(&there.to_string()), Some(there));
        }
    }
}
