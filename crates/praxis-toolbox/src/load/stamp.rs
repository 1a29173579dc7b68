//! The timestamps of a load series: `YYYY-MM-DDTHH:MM`, without a time zone.

use crate::dates::calendar::Date;
use praxis_core::problem::Bilingual;
use praxis_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Minutes from 1970 to the end of year 9999.
const END: u64 = 2_932_897 * 24 * 60;

/// A minute between 1970 and 9999, counted from 1970-01-01T00:00.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ReadingTime(u64);

/// The error for a text that is not a timestamp.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.words().en)]
pub(crate) struct NoReadingTime(String);

impl NoReadingTime {
    /// Returns the message.
    pub(crate) fn words(&self) -> Bilingual {
        let written = &self.0;
        let en = format!("cannot parse `{written}` as a time; write it like `2024-03-01T15:00`");
        (en, format!("无法将 `{written}` 解析为时间；请写成如 `2024-03-01T15:00`")).into()
    }
}

impl ReadingTime {
    /// Parses `2024-03-01T15:00`; accepts a space for the `T`, and `:00` seconds.
    pub(crate) fn parse(text: &str) -> Result<Self, NoReadingTime> {
        // Limits how much of an arbitrarily long text ends up in the message.
        parse(text).ok_or_else(|| NoReadingTime(text.chars().take(40).collect()))
    }

    /// Returns the time some hours later; `None` after year 9999.
    pub(crate) fn plus_hours(self, hours: usize) -> Option<Self> {
        let minutes = u64::try_from(hours).ok()?.checked_mul(60)?;
        self.0.checked_add(minutes).filter(|minute| *minute < END).map(Self)
    }

    /// Returns the minutes since 1970.
    pub(crate) fn minutes(self) -> u64 {
        self.0
    }

    /// Returns the date.
    pub(crate) fn day(self) -> Option<Date> {
        Date::numbered(i64::try_from(self.0 / 60 / 24).ok()?)
    }

    /// Returns the hour of the day, 0 to 23.
    pub(crate) fn hour(self) -> usize {
        usize::try_from(self.0 / 60 % 24).unwrap_or_default()
    }

    /// Returns the day of the week; 0 is Monday.
    pub(crate) fn weekday(self) -> usize {
        self.day().and_then(|day| usize::try_from(day.weekday()).ok()).unwrap_or_default()
    }
}

fn parse(text: &str) -> Option<ReadingTime> {
    let minute_text = if text.len() == 19 { text.strip_suffix(":00")? } else { text };
    let number = |from: usize, to: usize| minute_text.get(from..to)?.parse::<i64>().ok();
    let day = Date::new(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    let stamp = ReadingTime(u64::try_from((day.number() * 24 + hour) * 60 + minute).ok()?);
    // A valid time prints as it was written; 24:00 does not, as it prints as midnight of the next day.
    let canonical = minute_text.replacen(' ', "T", 1);
    (stamp.0 < END && stamp.to_string() == canonical).then_some(stamp)
}

impl fmt::Display for ReadingTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = Timestamp(self.0 * 60_000).to_string();
        out.write_str(whole.get(..16).unwrap_or(&whole))
    }
}

impl TryFrom<String> for ReadingTime {
    type Error = NoReadingTime;

    fn try_from(text: String) -> Result<Self, NoReadingTime> {
        Self::parse(&text)
    }
}

impl From<ReadingTime> for String {
    fn from(stamp: ReadingTime) -> Self {
        stamp.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_four_centuries_reads_as_it_prints() {
        let mut stamp = ReadingTime::parse("1970-01-01T00:00").unwrap();
        // Steps of 23 hours meet every day and every hour.
        for step in 0..146_097 * 24 / 23 {
            assert_eq!(stamp, ReadingTime(step * 23 * 60));
            assert_eq!(ReadingTime::parse(&stamp.to_string()), Ok(stamp));
            stamp = stamp.plus_hours(23).unwrap();
        }
    }

    #[test]
    fn an_hour_later_crosses_days_months_leap_days_and_years() {
        let later =
            |text: &str| ReadingTime::parse(text).unwrap().plus_hours(1).unwrap().to_string();
        assert_eq!(later("2024-02-28T23:00"), "2024-02-29T00:00");
        assert_eq!(later("2023-02-28T23:30"), "2023-03-01T00:30");
        assert_eq!(later("2100-02-28T23:00"), "2100-03-01T00:00");
        assert_eq!(later("2024-12-31 23:00:00"), "2025-01-01T00:00");
        assert_eq!(ReadingTime::parse("9999-12-31T23:59").unwrap().plus_hours(1), None);
        assert_eq!(ReadingTime(0).plus_hours(usize::MAX), None);
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2023-02-29T00:00",
            "2024-13-01T00:00",
            "2024-00-10T00:00",
            "2024-01-00T00:00",
            "2024-01-01T24:00",
            "2024-01-01T00:60",
            "2024-01-01T00:00:30",
            "1969-12-31T23:00",
            "0000-01-01T00:00",
            "+024-01-01T00:00",
            "2024-01-01",
            "2024-01-01T00:00Z",
            "２０２４-01-01T00:00",
        ] {
            assert!(ReadingTime::parse(text).is_err(), "{text}");
        }
    }
}
