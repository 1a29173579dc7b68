//! Absolute dates, in the formats that people write: `2026-03-02`, `March 2, 2026`, `2026年3月2日`.
//!
//! - in: a position in a text
//! - out: year, month and day, as far as they are given
//! - never: a day that does not exist in the calendar; never guesses a year

use super::months;
use super::numerals::numeral;
use super::scan::ValueScan;
use crate::lexicon::en;
use praxis_core::time::is_day;

/// A date with the parts that were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundDate {
    year: Option<u64>,
    month: Option<u64>,
    day: Option<u64>,
}

impl FoundDate {
    /// Returns the date if it exists in the calendar.
    fn real(year: Option<u64>, month: Option<u64>, day: Option<u64>) -> Option<Self> {
        // A missing year may be a leap year, so `02-29` is a date.
        let is_year = year.is_none_or(|year| (1000..3000).contains(&year));
        let (known, first) = (year.unwrap_or(2000), day.unwrap_or(1));
        let is_real = is_year && is_day(known, month.unwrap_or(1), first);
        is_real.then_some(Self { year, month, day })
    }

    /// Returns the date in ISO format: `2026-03-02`, `2026-03`, `2026`, or `03-02` for a day without a year.
    pub(super) fn iso(self) -> String {
        let year = self.year.map(|year| format!("{year:04}"));
        let month = self.month.map(|month| format!("{month:02}"));
        let day = self.day.map(|day| format!("{day:02}"));
        [year, month, day].into_iter().flatten().collect::<Vec<_>>().join("-")
    }
}

type DateReader = fn(&mut ValueScan<'_>) -> Option<FoundDate>;

/// Reads a date that consists of more than a year.
pub(super) fn day(scan: &mut ValueScan<'_>) -> Option<FoundDate> {
    let readers: [DateReader; 6] = [year_first, american, month_first, day_first, chinese, compact];
    let read = |reader: DateReader| {
        let mut ahead = *scan;
        reader(&mut ahead).filter(|_| ends(&ahead)).map(|day| (day, ahead))
    };
    let (day, ahead) = readers.into_iter().find_map(read)?;
    *scan = ahead;
    Some(day)
}

/// Returns true if a date ends here: no digit and no further part follows. A `T` may follow, which begins the time of
/// day.
fn ends(scan: &ValueScan<'_>) -> bool {
    let mut rest = scan.rest().chars();
    let (next, after) = (rest.next(), rest.next());
    let is_time = next == Some('T') && after.is_some_and(|c| c.is_ascii_digit());
    let goes_on =
        matches!(next, Some('-' | '/')) && after.is_some_and(|c| c.is_ascii_alphanumeric());
    is_time || (!goes_on && scan.is_edge())
}

/// Reads `2026-03-02`, `2026/3/2`, `2026.3.2`; `2026-03`, `2026/03`.
fn year_first(scan: &mut ValueScan<'_>) -> Option<FoundDate> {
    let year = scan.digits(4, 4)?;
    let sign = scan.one(|c| matches!(c, '-' | '/' | '.'))?;
    let from = scan.at();
    let month = scan.digits(1, 2)?;
    // Without a day only `2026-03` and `2026/03` count: `2026.3` is a number, and `2026-3` may be a subtraction.
    let is_month = sign != '.' && scan.since(from).len() == 2;
    let mut ahead = *scan;
    let day = ahead.one(|c| c == sign).and_then(|_| ahead.digits(1, 2));
    if day.is_some() {
        *scan = ahead;
    }
    FoundDate::real(Some(year), Some(month), day).filter(|_| day.is_some() || is_month)
}

/// Reads `03/02/2026` as March; `13/02/2026` can only be February. With dots the day comes first: `13.02.2026`.
fn american(scan: &mut ValueScan<'_>) -> Option<FoundDate> {
    let first = scan.digits(1, 2)?;
    let sign = scan.one(|c| matches!(c, '-' | '/' | '.'))?;
    let second = scan.digits(1, 2)?;
    scan.one(|c| c == sign)?;
    let year = scan.digits(4, 4)?;
    let day_is_first = sign == '.' || first > 12;
    let (month, day) = if day_is_first { (second, first) } else { (first, second) };
    FoundDate::real(Some(year), Some(month), Some(day))
}

/// Reads `March 2, 2026`, `Mar 2nd`, `March 2026`, `March 2`.
fn month_first(scan: &mut ValueScan<'_>) -> Option<FoundDate> {
    let month = months::month(scan)?;
    scan.blanks();
    if scan.eat_word(&["the"]).is_some() {
        scan.blanks();
    }
    let mut whole_year = *scan;
    if whole_year.eat(",").is_some() {
        whole_year.blanks();
    }
    if whole_year.eat_word(&["of"]).is_some() {
        whole_year.blanks();
    }
    if let Some(year) = whole_year.digits(4, 4) {
        *scan = whole_year;
        return FoundDate::real(Some(year), Some(month), None);
    }
    let day = day_number(scan)?;
    let mut ahead = *scan;
    let year = year_behind(&mut ahead);
    if year.is_some() {
        *scan = ahead;
    }
    FoundDate::real(year, Some(month), Some(day))
}

/// Reads the year after a month and day: `, 2026`, ` 2026`, ` of 2026`.
fn year_behind(scan: &mut ValueScan<'_>) -> Option<u64> {
    scan.eat(",");
    scan.blanks();
    if scan.eat_word(&["of", "in"]).is_some() {
        scan.blanks();
    }
    scan.digits(4, 4).filter(|year| (1000..3000).contains(year) && scan.is_edge())
}

/// Reads the day of a month: `2`, `2nd`.
fn day_number(scan: &mut ValueScan<'_>) -> Option<u64> {
    let day = scan.digits(1, 2)?;
    scan.eat_word(&en::ORDINAL_ENDINGS);
    Some(day).filter(|_| scan.is_edge())
}

/// Reads `2 Mar 2026`, `2nd of March 2026`, `2-Mar-2026`, `2nd of March`.
fn day_first(scan: &mut ValueScan<'_>) -> Option<FoundDate> {
    let day = day_number(scan)?;
    if scan.eat("-").is_none() {
        scan.blanks();
    }
    if scan.eat_word(&["of"]).is_some() {
        scan.blanks();
    }
    let month = months::month(scan)?;
    let mut ahead = *scan;
    let dashed = ahead.eat("-").and_then(|()| ahead.digits(4, 4));
    let year = dashed.or_else(|| {
        ahead = *scan;
        year_behind(&mut ahead)
    });
    if year.is_some() {
        *scan = ahead;
    }
    FoundDate::real(year, Some(month), Some(day))
}

/// Reads `2026年3月2日`, `2026年3月`, `3月2日`, `三月二号`, `二〇二六年三月`.
fn chinese(scan: &mut ValueScan<'_>) -> Option<FoundDate> {
    let first = chinese_number(scan)?;
    scan.blanks();
    let year = scan.eat("年").map(|()| first).filter(|year| *year >= 1000);
    let month = match year {
        Some(_) => {
            scan.blanks();
            chinese_number(scan)?
        }
        None => first,
    };
    scan.blanks();
    scan.eat("月")?;
    scan.eat("份");
    let mut ahead = *scan;
    ahead.blanks();
    let day = chinese_number(&mut ahead).filter(|_| {
        ahead.blanks();
        ahead.eat_any(&["日", "号"]).is_some()
    });
    if day.is_some() {
        *scan = ahead;
    }
    FoundDate::real(year, Some(month), day).filter(|_| year.is_some() || day.is_some())
}

/// Reads a month without a year and a day: `3月`, `三月份`.
pub(super) fn chinese_month(scan: &mut ValueScan<'_>) -> Option<()> {
    let mut ahead = *scan;
    let is_month = chinese_number(&mut ahead).is_some_and(|month| (1..=12).contains(&month));
    ahead.eat("月").filter(|()| is_month)?;
    ahead.eat("份");
    *scan = ahead;
    Some(())
}

fn chinese_number(scan: &mut ValueScan<'_>) -> Option<u64> {
    if let Some(number) = scan.digits(1, 4) {
        return Some(number);
    }
    let number = numeral(scan)?.number;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small whole number"
    )]
    let whole = number as u64;
    (number.fract() == 0.0 && number < 3000.0).then_some(whole)
}

/// Reads eight digits: `20260302`.
fn compact(scan: &mut ValueScan<'_>) -> Option<FoundDate> {
    let is_part = scan.before().is_some_and(|c| matches!(c, '-' | '.' | '$'));
    let number = scan.digits(8, 8).filter(|_| !is_part)?;
    let is_recent = (1900..2100).contains(&(number / 10_000));
    let day = FoundDate::real(Some(number / 10_000), Some(number / 100 % 100), Some(number % 100));
    day.filter(|_| is_recent && number / 100 % 100 > 0 && number % 100 > 0)
}

/// Reads a year: `1998年`, or four digits that are a modern year (1900 to 2099) or follow a word such as `since`
/// (`en::BEFORE_YEARS`).
pub(super) fn year(scan: &mut ValueScan<'_>) -> Option<FoundDate> {
    let before = scan.word_before().to_ascii_lowercase();
    let mut ahead = *scan;
    let number = match ahead.digits(4, 4) {
        Some(number) => number,
        None => chinese_number(&mut ahead).filter(|year| *year >= 1000)?,
    };
    let day = FoundDate::real(Some(number), None, None)?;
    if ahead.eat("年").is_some() {
        ahead.eat("度");
        *scan = ahead;
        return Some(day);
    }
    let is_modern = (1900..2100).contains(&number);
    let follows = ahead.rest().trim_start_matches(' ');
    let stands_alone = !follows.starts_with(|c: char| c.is_alphanumeric());
    let is_told = en::BEFORE_YEARS.contains(&before.as_str()) && stands_alone;
    let is_digits = scan.peek().is_some_and(|c| c.is_ascii_digit());
    let fits = is_digits && ahead.is_edge() && is_free(scan.past(), ahead.rest());
    *scan = ahead;
    (fits && (is_modern || is_told)).then_some(day)
}

/// Returns true if four digits are not part of a longer token. `2019-2021` is two years.
fn is_free(past: &str, rest: &str) -> bool {
    let is_other = |digits: usize| digits != 4 && digits > 0;
    let ahead = rest.strip_prefix(['-', '/']).unwrap_or_default();
    let ahead = ahead.chars().take(9).take_while(char::is_ascii_digit).count();
    let behind = past.strip_suffix(['-', '/', '.', '$', '¥', '€', '£', '#', ':']);
    let digits =
        behind.map(|past| past.chars().rev().take(9).take_while(char::is_ascii_digit).count());
    !is_other(ahead) && digits.is_none_or(|digits| digits == 4 && past.ends_with('-'))
}
