//! The `Retry-After` header of a response, in seconds or as a date.

use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns the wait that a response asks for. A date is compared with the response's own `Date`, so that the local
/// clock does not matter. Returns `None` if a header is missing or cannot be parsed.
pub(super) fn retry_after_ms(headers: &HeaderMap) -> Option<u64> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let asked = text(RETRY_AFTER)?;
    let seconds = if !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit()) {
        asked.parse().unwrap_or(u64::MAX)
    } else {
        date(asked)?.saturating_sub(date(text(DATE)?)?)
    };
    Some(seconds.saturating_mul(1000))
}

/// Parses a date as seconds since 1970: `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two older forms
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
fn date(text: &str) -> Option<u64> {
    let words: Vec<&str> =
        text.split([' ', ',', '-']).filter(|word| !word.is_empty()).take(7).collect();
    let (day, month, year, time) = match words.as_slice() {
        [_, day, month, year, time, "GMT"] => (day, month, year, time),
        [_, month, day, time, year] => (day, month, year, time),
        _ => return None,
    };
    let month = MONTHS.iter().position(|name| name == month)?;
    let day = number(day).filter(|day| (1..=31).contains(day))?;
    let year = match (year.len(), number(year)?) {
        (2, short @ 70..) => 1900 + short,
        (2, short) => 2000 + short,
        (4, year @ 1970..) => year,
        _ => return None,
    };
    let mut parts = time.split(':').map(number);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(days(year, month as u64 + 1, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

fn number(text: &str) -> Option<u64> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Returns the days from 1970-01-01 to a Gregorian date. Years are counted from March, so that leap days come last.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let from_march = (month + 9) % 12;
    let day_of_year = (153 * from_march + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "Sun, 15 Nov 2026 03:00:00 GMT";

    fn asked(after: &str, date: Option<&str>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, after.parse().unwrap());
        if let Some(date) = date {
            headers.insert(DATE, date.parse().unwrap());
        }
        retry_after_ms(&headers)
    }

    #[test]
    fn a_date_is_read_in_its_three_forms() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(date(text), Some(784_111_777), "{text}");
        }
        assert_eq!(date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(date("Tue, 29 Feb 2000 00:00:00 GMT"), Some(951_782_400));
        assert_eq!(date("Fri, 31 Dec 9999 23:59:60 GMT"), Some(253_402_300_800));
    }

    #[test]
    fn a_wait_is_given_in_seconds_or_as_a_date_after_that_of_the_answer() {
        assert_eq!(asked("120", None), Some(120_000));
        assert_eq!(asked(" 0 ", None), Some(0));
        assert_eq!(asked("Sun, 15 Nov 2026 03:02:30 GMT", Some(NOW)), Some(150_000));
        assert_eq!(asked("Sun, 15 Nov 2026 02:00:00 GMT", Some(NOW)), Some(0), "it is over");
        assert_eq!(asked(&"9".repeat(40), None), Some(u64::MAX), "core bounds it");
    }

    #[test]
    fn what_cannot_be_read_asks_for_nothing() {
        assert_eq!(retry_after_ms(&HeaderMap::new()), None);
        let dates = ["Sun, 15 Nov 2026 03:02:30 GMT", "Sun Nov 15 03:02:30 2026"];
        for text in dates {
            assert_eq!(asked(text, None), None, "no `Date` to count from");
            assert_eq!(asked(text, Some("soon")), None);
        }
        for text in [
            "",
            "soon",
            "-1",
            "1.5",
            "+3",
            "1 2",
            "0x10",
            "Sun, 15 Nov 2026 03:02:30 UTC",
            "Sun, 32 Nov 2026 03:02:30 GMT",
            "Sun, 00 Nov 2026 03:02:30 GMT",
            "Sun, 15 Foo 2026 03:02:30 GMT",
            "Sun, 15 Nov 1969 03:02:30 GMT",
            "Sun, 15 Nov 26000 03:02:30 GMT",
            "Sun, 15 Nov 2026 24:02:30 GMT",
            "Sun, 15 Nov 2026 03:60:30 GMT",
            "Sun, 15 Nov 2026 03:02 GMT",
            "Sun, 15 Nov 2026 03:02:30:1 GMT",
            "Sun, 15 Nov 2026 3h GMT x y z",
        ] {
            assert_eq!(asked(text, Some(NOW)), None, "{text}");
        }
    }
}
