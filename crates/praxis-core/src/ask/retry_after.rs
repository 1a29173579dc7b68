//! Reads the delay that an endpoint asks for: seconds, milliseconds or an HTTP date.

use super::fault::RetryDelay;
use crate::time::Timestamp;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// The maximum delay: one day.
const LONGEST_MS: u64 = 86_400_000;

/// Reads `Retry-After`: seconds, possibly with a fraction, or an HTTP date.
pub(super) fn retry_after(text: &str) -> Option<RetryDelay> {
    match text.trim().trim_end_matches('s').parse::<f64>() {
        Ok(seconds) => span(seconds * 1000.0),
        Err(_) => date(text).map(RetryDelay::Until),
    }
}

/// Reads `retry-after-ms`.
pub(super) fn retry_after_ms(text: &str) -> Option<RetryDelay> {
    text.trim().parse::<f64>().ok().and_then(span)
}

/// Returns the milliseconds from `now` to `at`, at most one day.
pub(super) fn ms_until(at: Timestamp, now: Timestamp) -> u64 {
    at.since(now).min(LONGEST_MS)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the span is bounded")]
fn span(ms: f64) -> Option<RetryDelay> {
    (ms.is_finite() && ms >= 0.0).then(|| RetryDelay::Ms(ms.ceil().min(LONGEST_MS as f64) as u64))
}

/// Reads an HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<Timestamp> {
    let mut words = text.split_whitespace().skip(1);
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next()?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)? as u64;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let known = (1970..10_000).contains(&year) && (1..=31).contains(&day);
    if !known || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some(Timestamp(seconds * 1000))
}

/// Returns the days since 1970-01-01; `month` counts from zero. Years are shifted to begin in March, so that the leap
/// day is the last day of the year.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read() {
        assert_eq!(retry_after(" 20 "), Some(RetryDelay::Ms(20_000)));
        assert_eq!(retry_after("0.5"), Some(RetryDelay::Ms(500)));
        assert_eq!(retry_after("1e300"), Some(RetryDelay::Ms(LONGEST_MS)));
        let until = retry_after("Sun, 15 Nov 2026 03:00:03 GMT");
        assert_eq!(until, Some(RetryDelay::Until(Timestamp(1_794_711_603_000))));
        assert_eq!(until.map(|wait| wait.ms(Timestamp(1_794_711_600_000))), Some(3000));
        let leap = retry_after("Tue, 29 Feb 2000 00:00:00 GMT");
        assert_eq!(leap, Some(RetryDelay::Until(Timestamp(951_782_400_000))));
    }

    #[test]
    fn nonsense_is_no_wait() {
        for text in ["", "soon", "-5", "NaN", "Sun, 99 Nov 2026 03:00:03 GMT", "x 1 Jan 0001 1:1:1"]
        {
            assert_eq!(retry_after(text), None, "{text}");
        }
    }
}
