//! Hours of a load series: `YYYY-MM-DDTHH:MM`, without a time zone.

use praxis_core::time::At;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Days from the first of March of year 0 to 1970-01-01.
const DAYS_TO_1970: u64 = 719_468;
/// Minutes from 1970 to the end of year 9999.
const END: u64 = 2_932_897 * 24 * 60;

/// A minute of the calendar from 1970 to 9999, counted from 1970-01-01T00:00.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Stamp(u64);

/// Text that is no timestamp.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no time like `2024-03-01T15:00`")]
pub(crate) struct NoStamp(String);

impl Stamp {
    /// Reads `2024-03-01T15:00`; a blank for the `T` and seconds of zero are fine.
    pub(crate) fn parse(text: &str) -> Result<Self, NoStamp> {
        // Times are short: what is longer is shown by its beginning.
        parse(text).ok_or_else(|| NoStamp(text.chars().take(40).collect()))
    }

    /// The same minute some hours later; none after year 9999.
    pub(crate) fn plus_hours(self, hours: usize) -> Option<Self> {
        let minutes = u64::try_from(hours).ok()?.checked_mul(60)?;
        self.0.checked_add(minutes).filter(|minute| *minute < END).map(Self)
    }
}

fn parse(text: &str) -> Option<Stamp> {
    let minute_text = if text.len() == 19 { text.strip_suffix(":00")? } else { text };
    let number = |from: usize, to: usize| minute_text.get(from..to)?.parse::<u64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    let days = days_since_1970(year, month, day)?;
    let stamp = Stamp((days * 24 + hour) * 60 + minute);
    // What prints the same is a date; 2023-02-29 prints as the first of March.
    let canonical = minute_text.replacen(' ', "T", 1);
    (stamp.0 < END && stamp.to_string() == canonical).then_some(stamp)
}

/// The day of a Gregorian date, by whole eras of 400 years: the inverse of how [`At`] prints.
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = if month <= 2 { year.checked_sub(1)? } else { year };
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * from_march + 2) / 5 + day.checked_sub(1)?;
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era).checked_sub(DAYS_TO_1970)
}

impl fmt::Display for Stamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = At(self.0 * 60_000).to_string();
        out.write_str(whole.get(..16).unwrap_or(&whole))
    }
}

impl TryFrom<String> for Stamp {
    type Error = NoStamp;

    fn try_from(text: String) -> Result<Self, NoStamp> {
        Self::parse(&text)
    }
}

impl From<Stamp> for String {
    fn from(stamp: Stamp) -> Self {
        stamp.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_four_centuries_reads_as_it_prints() {
        let mut stamp = Stamp::parse("1970-01-01T00:00").unwrap();
        // Steps of 23 hours meet every day and every hour.
        for step in 0..146_097 * 24 / 23 {
            assert_eq!(stamp, Stamp(step * 23 * 60));
            assert_eq!(Stamp::parse(&stamp.to_string()), Ok(stamp));
            stamp = stamp.plus_hours(23).unwrap();
        }
    }

    #[test]
    fn an_hour_later_crosses_days_months_leap_days_and_years() {
        let later = |text: &str| Stamp::parse(text).unwrap().plus_hours(1).unwrap().to_string();
        assert_eq!(later("2024-02-28T23:00"), "2024-02-29T00:00");
        assert_eq!(later("2023-02-28T23:30"), "2023-03-01T00:30");
        assert_eq!(later("2100-02-28T23:00"), "2100-03-01T00:00");
        assert_eq!(later("2024-12-31 23:00:00"), "2025-01-01T00:00");
        assert_eq!(Stamp::parse("9999-12-31T23:59").unwrap().plus_hours(1), None);
        assert_eq!(Stamp(0).plus_hours(usize::MAX), None);
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
            assert!(Stamp::parse(text).is_err(), "{text}");
        }
    }
}
