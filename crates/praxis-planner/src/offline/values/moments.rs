//! Reads dates and times of day, and joins them.
//!
//! - in: a `PlainText`
//! - out: dates, times, and both as one value where they belong together: `2026-03-02T10:30`
//! - never: a date-time for a relative date such as `tomorrow`, because there is no clock here

use super::dates::{self, FoundDate};
use super::found_value::{FoundValue, ValueKind};
use super::months;
use super::numbers;
use super::page::PlainText;
use super::relative;
use super::scan::ValueScan;
use super::times::time;
use crate::lexicon::{en, zh};

/// Takes the dates and times of a text.
pub(super) fn read(page: &mut PlainText<'_>) {
    page.read(|scan| {
        let found = day_with_time(scan);
        if found.is_empty() { time_with_day(scan) } else { found }
    });
    page.read_one(relative::read);
    page.read(year);
    page.read_one(month_alone);
}

/// Reads a date and the time of day after it.
fn day_with_time(scan: ValueScan<'_>) -> Vec<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let Some(day) = dates::day(&mut scan) else { return Vec::new() };
    let date = date(from, scan.at(), day);
    let mut ahead = scan;
    join(&mut ahead, &[&["T", ",", "@"], &en::BEFORE_TIMES, &zh::BEFORE_TIMES]);
    let begins = ahead.at();
    let Some(time) = time(&mut ahead) else { return with_number(date, scan) };
    let clock = FoundValue::new(begins, ahead.at(), ValueKind::Time, time.as_str());
    let zone = if scan.rest().starts_with('T') { zone(&mut ahead) } else { "" };
    let moment = format!("{}T{time}{zone}", day.iso());
    vec![FoundValue::new(from, ahead.at(), ValueKind::DateTime, moment), date, clock]
}

/// Reads a time of day and the date after it: `3pm on March 2, 2026`.
fn time_with_day(scan: ValueScan<'_>) -> Vec<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let Some(time) = time(&mut scan) else { return Vec::new() };
    let clock = FoundValue::new(from, scan.at(), ValueKind::Time, time.as_str());
    let mut ahead = scan;
    join(&mut ahead, &[&[","], &en::BEFORE_DATES]);
    let begins = ahead.at();
    let Some(day) = dates::day(&mut ahead) else { return vec![clock] };
    // If a digit follows, this is a list of times and dates, or the date has a time of its own after it.
    let is_next =
        ahead.rest().trim_start_matches([' ', ',']).starts_with(|c: char| c.is_ascii_digit());
    if is_next {
        return vec![clock];
    }
    let moment = format!("{}T{time}", day.iso());
    let date = date(begins, ahead.at(), day);
    vec![FoundValue::new(from, ahead.at(), ValueKind::DateTime, moment), clock, date]
}

/// Skips the text between a date and a time: blanks, and at most one sign or word.
fn join(scan: &mut ValueScan<'_>, words: &[&[&'static str]]) {
    scan.blanks();
    words.iter().find_map(|words| scan.eat_any(words));
    scan.blanks();
}

/// Reads the time zone of an ISO date-time: `Z`, `+08:00`.
fn zone<'a>(scan: &mut ValueScan<'a>) -> &'a str {
    let from = scan.at();
    let mut ahead = *scan;
    let found = ahead.eat("Z").is_some()
        || ahead.one(|c| matches!(c, '+' | '-')).is_some()
            && ahead.digits(2, 2).is_some()
            && ahead.eat(":").is_some()
            && ahead.digits(2, 2).is_some();
    if found {
        *scan = ahead;
    }
    scan.since(from)
}

fn date(from: usize, to: usize, day: FoundDate) -> FoundValue {
    FoundValue::new(from, to, ValueKind::Date, day.iso())
}

/// Adds a number reading to a date that is written as eight digits.
fn with_number(date: FoundValue, scan: ValueScan<'_>) -> Vec<FoundValue> {
    let number = scan.since(date.from).parse::<u64>().ok();
    let number =
        number.map(|number| FoundValue::new(date.from, date.to, ValueKind::Number, number));
    std::iter::once(date).chain(number).collect()
}

/// Reads a year, which is a number too.
fn year(scan: ValueScan<'_>) -> Vec<FoundValue> {
    let (start, from, mut scan) = (scan, scan.at(), scan);
    let Some(day) = dates::year(&mut scan) else { return Vec::new() };
    let Ok(number) = day.iso().parse::<u64>() else { return Vec::new() };
    let unit = scan.since(from).find('年').map(|_| "年");
    if unit.is_none() && numbers::is_amount(start) {
        return Vec::new();
    }
    let number = FoundValue::new(from, scan.at(), ValueKind::Number, number).with_unit(unit);
    vec![date(from, scan.at(), day), number]
}

/// Reads a month by itself, as written: `March`, `3月`; `May` only after a word such as `in`.
fn month_alone(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    if dates::chinese_month(&mut scan).is_some() {
        return Some(FoundValue::new(from, scan.at(), ValueKind::Date, scan.since(from)));
    }
    let before = scan.word_before();
    let mut ahead = scan;
    if months::is_month_name(ahead.letters()) {
        return ahead
            .is_edge()
            .then(|| FoundValue::new(from, ahead.at(), ValueKind::Date, ahead.since(from)));
    }
    let may = scan.eat("May").filter(|()| scan.is_edge() && en::BEFORE_MAY.contains(&before));
    may.map(|()| FoundValue::new(from, scan.at(), ValueKind::Date, "May"))
}
