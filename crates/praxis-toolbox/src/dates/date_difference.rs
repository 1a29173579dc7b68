//! `date_difference`: the time from one date to another.

use super::calendar::Date;
use super::date_add::moment;
use super::moment::{DAY_SECONDS, WrittenMoment};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use crate::numbers::exact;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Number, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DateDifferenceArguments {
    from: String,
    to: String,
}

/// Runs `date_difference`. The result is negative if the second date is earlier.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let DateDifferenceArguments { from, to } = arguments(value)?;
    let (from, to) = (moment("/from", &from)?, moment("/to", &to)?);
    if from.offset.is_some() != to.offset.is_some() {
        return Err(BuiltinError::argument("/to", one_offset()));
    }
    let seconds = to.seconds() - from.seconds();
    let total = |unit: i64| exact::divide(&Number::from(seconds), &Number::from(unit));
    let (years, months, days) = by_calendar(from, to);
    Ok(json!({
        "whole_days": seconds / DAY_SECONDS,
        "total_days": total(DAY_SECONDS),
        "total_hours": total(3600),
        "total_minutes": total(60),
        "calendar": {"years": years, "months": months, "days": days},
    }))
}

fn one_offset() -> Bilingual {
    let en = "one date has a UTC offset and the other does not; add one to both or to neither";
    (en, "一个日期有 UTC 偏移量，另一个没有；请两个都写或都不写").into()
}

/// Returns whole years, months and days, as a person counts an age. All have the sign of the span.
fn by_calendar(from: WrittenMoment, to: WrittenMoment) -> (i64, i64, i64) {
    // Convert `to` to the offset of `from`, so that both count the same days.
    let shift = (from.offset.unwrap_or_default() - to.offset.unwrap_or_default()) * 60;
    let to = WrittenMoment { offset: from.offset, ..to.plus_seconds(shift).unwrap_or(to) };
    let (sign, early, late) =
        if from.seconds() <= to.seconds() { (1, from, to) } else { (-1, to, from) };
    let time = |moment: WrittenMoment| moment.time.unwrap_or_default();
    // The last day is not over before the time of day of the earlier date.
    let end = late.day.number() - i64::from(time(late) < time(early));
    let months = |day: Date| day.year() * 12 + day.month();
    let last = Date::numbered(end).unwrap_or(late.day);
    let mut whole = months(last) - months(early.day);
    if last.day() < early.day.day() && !last.ends_month() {
        whole -= 1;
    }
    let start = early.day.plus_months(whole).map_or(end, Date::number);
    (sign * (whole / 12), sign * (whole % 12), sign * (end - start))
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn between(from: &str, to: &str) -> Value {
        ask("date_difference", json!({"from": from, "to": to})).unwrap()
    }

    fn calendar(from: &str, to: &str) -> [i64; 3] {
        let span = &between(from, to)["calendar"];
        ["years", "months", "days"].map(|unit| span[unit].as_i64().unwrap())
    }

    #[test]
    fn a_span_is_told_in_every_unit() {
        let span = between("2026-11-15T08:30", "2026-11-17");
        assert_eq!(
            span,
            json!({"whole_days": 1, "total_days": 1.645_833_333_333_333_3, "total_hours": 39.5, "total_minutes": 2370,
                   "calendar": {"years": 0, "months": 0, "days": 1}})
        );
        assert_eq!(between("2026-03-01", "2026-02-28")["whole_days"], -1);
        assert_eq!(between("0001-01-01", "9999-12-31")["whole_days"], 3_652_058);
        assert_eq!(between("2026-11-15T08:00+08:00", "2026-11-15T00:00Z")["total_minutes"], 0);
    }

    #[test]
    fn ages_are_counted_as_people_count_them() {
        for (from, to, expected) in [
            ("1990-05-20", "2026-11-15", [36, 5, 26]),
            ("2024-01-31", "2024-02-29", [0, 1, 0]),
            ("2024-02-29", "2025-02-28", [1, 0, 0]),
            ("2024-01-30", "2024-02-28", [0, 0, 29]),
            ("2026-11-15", "2026-11-15", [0, 0, 0]),
            ("2026-11-15", "1990-05-20", [-36, -5, -26]),
            ("2024-02-28", "2024-01-31", [0, 0, -28]),
            ("2024-02-29", "2024-01-31", [0, -1, 0]),
            ("0001-01-01", "9999-12-31", [9998, 11, 30]),
            ("9999-12-31", "0001-01-01", [-9998, -11, -30]),
            ("2026-01-01T12:00", "2026-02-01T11:59", [0, 0, 30]),
            ("2026-01-01T23:00+08:00", "2026-01-02T15:00Z", [0, 0, 1]),
        ] {
            assert_eq!(calendar(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn dates_with_and_without_an_offset_do_not_mix() {
        let asked = json!({"from": "2026-11-15T08:00Z", "to": "2026-11-15"});
        assert!(
            refused(ask("date_difference", asked)).starts_with("/to one date has a UTC offset")
        );
        let asked = json!({"from": "yesterday", "to": "2026-11-15"});
        assert!(
            refused(ask("date_difference", asked))
                .starts_with("/from cannot parse `yesterday` as a date")
        );
    }
}
