//! Moments and spans, as numbers that events carry. Core never asks what time it is.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A moment: milliseconds since 1970-01-01 UTC.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct At(pub u64);

impl At {
    /// The moment `ms` milliseconds later.
    #[must_use]
    pub fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to here; zero if that is no earlier moment.
    pub fn since(self, earlier: At) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for At {
    /// RFC 3339 in UTC with milliseconds.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, ms_of_day) = (self.0 / 86_400_000, self.0 % 86_400_000);
        let (year, month, day) = civil(days);
        let (hour, minute) = (ms_of_day / 3_600_000, ms_of_day / 60_000 % 60);
        let (second, ms) = (ms_of_day / 1000 % 60, ms_of_day % 1000);
        write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
    }
}

/// The Gregorian date of a day counted from 1970-01-01, by whole eras of 400 years.
pub fn civil(days: u64) -> (u64, u64, u64) {
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

/// Reads `500ms`, `30s`, `10m`, `2h` or `1d`; a bare number is seconds.
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
        assert_eq!(At(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(At(951_782_400_000).to_string(), "2000-02-29T00:00:00.000Z");
        assert_eq!(At(1_794_711_603_007).to_string(), "2026-11-15T03:00:03.007Z");
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
