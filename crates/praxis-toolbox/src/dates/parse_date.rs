//! `parse_date`: converts a date as people write it to ISO 8601 and its parts.

use super::calendar::weekday_name;
use super::written::{DateHints, DateOrder, read};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParseDateArguments {
    text: String,
    order: Option<DateOrder>,
    year: Option<i64>,
}

/// Runs `parse_date`: parses the text, and adds weekday, quarter, week and day of the year.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let ParseDateArguments { text, order, year } = arguments(value)?;
    let moment = read(&text, DateHints { order, year })
        .map_err(|why| BuiltinError::argument("/text", why))?;
    let day = moment.day;
    let of_week = day.weekday();
    let (week_year, week) = day.iso_week();
    Ok(json!({
        "iso_date": moment.to_string(),
        "has_time": moment.time.is_some(),
        "year": day.year(),
        "month": day.month(),
        "day": day.day(),
        "weekday": weekday_name(of_week),
        "is_weekend": of_week >= 5,
        "quarter": (day.month() - 1) / 3 + 1,
        "day_of_year": day.of_year(),
        "iso_week": format!("{week_year:04}-W{week:02}"),
    }))
}
