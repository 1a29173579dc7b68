//! Timestamps and durations as plain numbers. The core crate never reads a clock.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A point in time: milliseconds since 1970-01-01 UTC.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Parses a text like `2027-01-31T08:00:00Z` or `2027-01-31T16:00+08:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, clock) = text.trim().split_once(['T', 't', ' '])?;
        let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        let zone = clock.find(['Z', 'z', '+', '-'])?;
        let (clock, zone) = clock.split_at_checked(zone)?;
        let mut parts = clock.splitn(3, ':');
        let (hour, minute) =
            (parts.next()?.parse::<i64>().ok()?, parts.next()?.parse::<i64>().ok()?);
        let second = parts.next().map_or(Some(0.0), |part| part.parse::<f64>().ok())?;
        let is_real = (1970..10_000).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_in(year, month)).contains(&day)
            && (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0.0..60.0).contains(&second);
        if !is_real {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "less than a minute")]
        let ms = (second * 1000.0).round() as i64;
        let in_year: i64 = (1..month).map(|month| days_in(year, month)).sum();
        let days = days_before(year) + in_year + day - 1;
        let minutes = (days * 24 + hour) * 60 + minute - offset_minutes(zone)?;
        u64::try_from(minutes * 60_000 + ms).ok().map(Self)
    }

    /// Returns the timestamp `ms` milliseconds later.
    #[must_use]
    pub fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Returns the milliseconds since `earlier`; 0 if `earlier` is not in the past.
    pub fn since(self, earlier: Timestamp) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Timestamp {
    /// Writes RFC 3339 in UTC with milliseconds.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, ms_of_day) = (self.0 / 86_400_000, self.0 % 86_400_000);
        let (year, month, day) = civil(days);
        let (hour, minute) = (ms_of_day / 3_600_000, ms_of_day / 60_000 % 60);
        let (second, ms) = (ms_of_day / 1000 % 60, ms_of_day % 1000);
        write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
    }
}

/// Converts days since 1970-01-01 to a Gregorian date, in eras of 400 years.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

/// Parses a zone offset (`Z`, `+08:00`, `-0530`) to minutes east of UTC.
fn offset_minutes(zone: &str) -> Option<i64> {
    let sign = match zone.chars().next()? {
        'Z' | 'z' => return (zone.len() == 1).then_some(0),
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits: String = zone.chars().skip(1).filter(|c| *c != ':').collect();
    let (hours, minutes) = digits.split_at_checked(2).filter(|_| digits.len() == 4)?;
    let (hours, minutes) = (hours.parse::<i64>().ok()?, minutes.parse::<i64>().ok()?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Returns true if the date exists.
pub fn is_day(year: u64, month: u64, day: u64) -> bool {
    let (Ok(year), Ok(month), Ok(day)) =
        (i64::try_from(year), i64::try_from(month), i64::try_from(day))
    else {
        return false;
    };
    (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day)
}

/// Returns the days from 1970-01-01 to the start of a year.
fn days_before(year: i64) -> i64 {
    let leaps = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969)
}

/// Parses a duration like `500ms`, `30s`, `10m`, `2h` or `1d` to milliseconds; a bare number means seconds.
pub fn parse_span_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "ms" => 1,
        "" | "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_print_as_rfc_3339() {
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp(951_782_400_000).to_string(), "2000-02-29T00:00:00.000Z");
        assert_eq!(Timestamp(1_794_711_603_007).to_string(), "2026-11-15T03:00:03.007Z");
    }

    #[test]
    fn what_is_printed_is_read_and_what_is_no_moment_is_refused() {
        for at in [
            Timestamp(0),
            Timestamp(951_782_400_000),
            Timestamp(1_794_711_603_007),
            Timestamp(253_402_300_799_000),
        ] {
            assert_eq!(Timestamp::parse(&at.to_string()), Some(at));
        }
        let noon = Timestamp::parse("2027-01-31T12:00:00Z");
        assert!(noon.is_some());
        assert_eq!(Timestamp::parse("2027-01-31T20:00+08:00"), noon);
        assert_eq!(Timestamp::parse("2027-01-31 07:00:00.000-0500"), noon);
        for no in [
            "",
            "2027-02-29T00:00:00Z",
            "2027-01-31",
            "2027-01-31T12:00:00",
            "2027-13-01T00:00Z",
            "2027-01-31T24:00:00Z",
            "99999999999-01-01T00:00:00Z",
            "2027-01-31T12:00:00+8",
            "é-01-01T00:00Z",
        ] {
            assert_eq!(Timestamp::parse(no), None, "{no}");
        }
    }

    #[test]
    fn spans_have_units_and_overflow_is_refused() {
        assert_eq!(parse_span_ms("500ms"), Some(500));
        assert_eq!(parse_span_ms("2"), Some(2000));
        assert_eq!(parse_span_ms("10m"), Some(600_000));
        assert_eq!(parse_span_ms("1w"), None);
        assert_eq!(parse_span_ms("99999999999999999999d"), None);
    }
}
