//! A date with an optional time of day and an optional UTC offset.

use super::calendar::Date;
use std::fmt;

/// The seconds in a day.
pub(crate) const DAY_SECONDS: i64 = 86_400;
/// The largest UTC offset in use, in minutes.
const MOST_OFFSET: i64 = 14 * 60;

/// A date as it was written, without assumptions about missing parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrittenMoment {
    /// The day.
    pub(crate) day: Date,
    /// The seconds since midnight, if a time was given.
    pub(crate) time: Option<i64>,
    /// The minutes ahead of UTC, if an offset was given.
    pub(crate) offset: Option<i64>,
}

impl WrittenMoment {
    /// Parses `2026-11-15` or `2026-11-15T08:30`, optionally with seconds, and with `Z` or `+08:00`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (date, rest) = text.split_at_checked(10)?;
        let day = day(date)?;
        if rest.is_empty() {
            return Some(Self { day, time: None, offset: None });
        }
        let rest = rest.strip_prefix(['T', ' '])?;
        let cut = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
        let (time, offset) = rest.split_at(cut);
        let offset = if offset.is_empty() { None } else { Some(read_offset(offset)?) };
        Some(Self { day, time: Some(read_time(time)?), offset })
    }

    /// Returns the seconds since 1970-01-01T00:00, in UTC if there is an offset.
    pub(crate) fn seconds(self) -> i64 {
        let local = self.day.number() * DAY_SECONDS + self.time.unwrap_or_default();
        local - self.offset.unwrap_or_default() * 60
    }

    /// Adds seconds. A date without a time stays one if it moves by whole days.
    pub(crate) fn plus_seconds(self, seconds: i64) -> Option<Self> {
        let from = self.day.number() * DAY_SECONDS + self.time.unwrap_or_default();
        let all = from.checked_add(seconds)?;
        let day = Date::numbered(all.div_euclid(DAY_SECONDS))?;
        let whole_days = self.time.is_none() && seconds % DAY_SECONDS == 0;
        let time = (!whole_days).then(|| all.rem_euclid(DAY_SECONDS));
        Some(Self { day, time, ..self })
    }
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

fn day(text: &str) -> Option<Date> {
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    Date::new(digits(year, 4)?, digits(month, 2)?, digits(day, 2)?)
}

/// Parses `08:30` or `08:30:15` into seconds; fractions of a second are dropped.
pub(crate) fn read_time(text: &str) -> Option<i64> {
    let (hour, rest) = text.split_once(':')?;
    let (minute, second) = rest.split_once(':').unwrap_or((rest, "00"));
    let (second, part) = second.split_once('.').unwrap_or((second, "0"));
    let is_part = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (hour, minute, second) = (digits(hour, 2)?, digits(minute, 2)?, digits(second, 2)?);
    (is_part && hour < 24 && minute < 60 && second < 60)
        .then_some(hour * 3600 + minute * 60 + second)
}

/// Parses `Z`, `+08:00` or `+0800` into minutes.
pub(crate) fn read_offset(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':').or_else(|| rest.split_at_checked(2))?;
    let minutes = digits(hours, 2)? * 60 + digits(minutes, 2).filter(|minutes| *minutes < 60)?;
    (minutes <= MOST_OFFSET).then_some(sign * minutes)
}

impl fmt::Display for WrittenMoment {
    /// Formats as ISO 8601, with seconds only if they are not zero.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = (self.day.year(), self.day.month(), self.day.day());
        write!(out, "{year:04}-{month:02}-{day:02}")?;
        if let Some(time) = self.time {
            let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
            write!(out, "T{hour:02}:{minute:02}")?;
            if second > 0 {
                write!(out, ":{second:02}")?;
            }
        }
        match self.offset {
            None => Ok(()),
            Some(0) => out.write_str("Z"),
            Some(offset) => {
                let sign = if offset < 0 { '-' } else { '+' };
                let minutes = offset.abs();
                write!(out, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_in_iso_8601_is_read_and_printed() {
        for (text, printed) in [
            ("2026-11-15", "2026-11-15"),
            ("2026-11-15T08:30", "2026-11-15T08:30"),
            ("2026-11-15 08:30:00", "2026-11-15T08:30"),
            ("2026-11-15T08:30:09.75", "2026-11-15T08:30:09"),
            ("2026-11-15T08:30Z", "2026-11-15T08:30Z"),
            ("2026-11-15T08:30:00+0800", "2026-11-15T08:30+08:00"),
            ("0001-01-01T00:00-03:30", "0001-01-01T00:00-03:30"),
        ] {
            assert_eq!(WrittenMoment::parse(text).unwrap().to_string(), printed);
        }
        for text in [
            "",
            "2026-02-29",
            "2026-1-05",
            "2026-11-15T24:00",
            "2026-11-15T08:30+15:00",
            "2026-11-15T08:30.",
            "2026-11-15T08:30:01.",
            "2026-11-15x",
            "2026-11-15T+08:00",
            "2026年11月15日",
        ] {
            assert_eq!(WrittenMoment::parse(text), None, "{text}");
        }
    }
}
