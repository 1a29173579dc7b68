//! Relative dates: `tomorrow`, `next Friday`, `三天后`, `上周五`. Their values are the text as written.

use super::found_value::{FoundValue, ValueKind};
use super::months::day_of_week;
use super::numbers;
use super::scan::ValueScan;
use super::units;
use crate::lexicon::{en, zh};

/// Reads a relative date.
pub(super) fn read(scan: ValueScan<'_>) -> Option<FoundValue> {
    let from = scan.at();
    let readers: [fn(&mut ValueScan<'_>) -> Option<()>; 3] = [english, chinese, counted];
    let read = |reader: fn(&mut ValueScan<'_>) -> Option<()>| {
        let mut ahead = scan;
        reader(&mut ahead).map(|()| ahead)
    };
    let end = readers.into_iter().find_map(read)?;
    Some(FoundValue::new(from, end.at(), ValueKind::Date, end.since(from)))
}

fn english(scan: &mut ValueScan<'_>) -> Option<()> {
    if scan.eat_any(&en::RELATIVE_PHRASES).is_some() || scan.eat_word(&en::RELATIVE_DAYS).is_some()
    {
        return scan.is_edge().then_some(());
    }
    let which = scan.eat_word(&en::WHICH);
    scan.blanks();
    let is_day = day_of_week(scan).is_some();
    let is_told = is_day || (which.is_some() && scan.eat_word(&en::PERIODS).is_some());
    (is_told && scan.is_edge()).then_some(())
}

fn chinese(scan: &mut ValueScan<'_>) -> Option<()> {
    if scan.eat_any(&zh::RELATIVE_DAYS).is_some() {
        return Some(());
    }
    let is_week = scan.eat_any(&zh::WEEKS).is_some();
    let before = scan.before();
    let mut ahead = *scan;
    if !is_week {
        // `一周一次` means once a week, not Monday.
        ahead.eat_any(&zh::WEEK).filter(|_| !before.is_some_and(is_count))?;
    }
    let is_day = ahead.one(|c| zh::WEEK_DAYS.contains(&c)).is_some();
    let is_day = is_day && !ahead.peek().is_some_and(|c| c.is_ascii_digit());
    if is_day {
        *scan = ahead;
    }
    (is_week || is_day).then_some(())
}

fn is_count(c: char) -> bool {
    zh::WEEK_COUNTS.contains(&c) || c.is_ascii_digit()
}

/// Reads an offset from today: `3 days ago`, `三天后`.
fn counted(scan: &mut ValueScan<'_>) -> Option<()> {
    numbers::amount(scan)?;
    let unit = units::unit(scan)?;
    if !units::is_time(unit) {
        return None;
    }
    if scan.eat_any(&zh::AGO).is_some() {
        return Some(());
    }
    scan.blanks();
    if scan.eat_word(&en::AGO).is_some() {
        return scan.is_edge().then_some(());
    }
    scan.eat_word(&["from"])?;
    scan.blanks();
    scan.eat_word(&en::FROM_NOW).map(|_| ())
}
