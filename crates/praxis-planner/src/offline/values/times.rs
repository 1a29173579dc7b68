//! Times of day: `10:30`, `3pm`, `下午3点半`.

use super::numerals::numeral;
use super::scan::ValueScan;
use crate::lexicon::{LexiconList, en, zh};

#[derive(Clone, Copy, PartialEq, Eq)]
enum TimePart {
    Morning,
    Noon,
    Evening,
}

impl TimePart {
    /// Converts an hour to the 24-hour clock.
    fn hour(self, hour: u64) -> u64 {
        match self {
            Self::Morning if hour == 12 => 0,
            Self::Noon if hour < 3 => hour + 12,
            Self::Evening if hour < 12 => hour + 12,
            Self::Morning | Self::Noon | Self::Evening => hour,
        }
    }
}

/// Reads a word for a part of the day.
fn part(
    scan: &mut ValueScan<'_>,
    parts: &[(&LexiconList<&'static str>, TimePart)],
) -> Option<TimePart> {
    parts.iter().find(|(words, _)| scan.eat_any(words).is_some()).map(|(_, part)| *part)
}

/// Reads a time of day as `15:30`; with seconds only if they are given.
pub(super) fn time(scan: &mut ValueScan<'_>) -> Option<String> {
    let mut ahead = *scan;
    let found = clock(&mut ahead).or_else(|| {
        ahead = *scan;
        chinese(&mut ahead)
    });
    let found = found.or_else(|| {
        ahead = *scan;
        word(&mut ahead)
    })?;
    *scan = ahead;
    Some(found)
}

fn written(hour: u64, minute: u64, second: Option<u64>) -> Option<String> {
    let fits = hour < 24 && minute < 60 && second.is_none_or(|second| second < 60);
    let seconds = second.map(|second| format!(":{second:02}")).unwrap_or_default();
    fits.then(|| format!("{hour:02}:{minute:02}{seconds}"))
}

/// Reads `10:30`, `10:30:15`, `10:30 am`, `3pm`, `3 o'clock`.
fn clock(scan: &mut ValueScan<'_>) -> Option<String> {
    let hour = scan.digits(1, 2)?;
    let mut ahead = *scan;
    let minute = ahead.eat(":").and_then(|()| ahead.digits(2, 2));
    if minute.is_some() {
        *scan = ahead;
    }
    let second = ahead.eat(":").and_then(|()| ahead.digits(2, 2)).filter(|_| minute.is_some());
    if second.is_some() {
        *scan = ahead;
        skip_fraction(scan);
    }
    let half = half_of_day(scan);
    let hour = match half {
        Some(_) if hour == 0 || hour > 12 => return None,
        Some(half) => half.hour(hour),
        None => hour,
    };
    let is_told = minute.is_some() || half.is_some() || o_clock(scan);
    // `Z` is the time zone of an ISO time.
    let is_over = scan.is_edge() || scan.rest().starts_with('Z');
    let goes_on = scan.rest().starts_with(':') || !is_over;
    written(hour, minute.unwrap_or(0), second).filter(|_| is_told && !goes_on)
}

/// Skips the fraction of the seconds: `.250`.
fn skip_fraction(scan: &mut ValueScan<'_>) {
    let mut ahead = *scan;
    if ahead.eat(".").and_then(|()| ahead.digits(1, 9)).is_some() {
        *scan = ahead;
    }
}

fn half_of_day(scan: &mut ValueScan<'_>) -> Option<TimePart> {
    let mut ahead = *scan;
    ahead.blanks();
    let halves = [(&en::MORNINGS, TimePart::Morning), (&en::EVENINGS, TimePart::Evening)];
    let half = part(&mut ahead, &halves).filter(|_| ahead.is_edge())?;
    *scan = ahead;
    Some(half)
}

fn o_clock(scan: &mut ValueScan<'_>) -> bool {
    let mut ahead = *scan;
    ahead.blanks();
    let found = ahead.eat_any(&en::O_CLOCK).is_some();
    if found {
        *scan = ahead;
    }
    found
}

/// Reads `noon`, `midnight`.
fn word(scan: &mut ValueScan<'_>) -> Option<String> {
    let word = scan.letters();
    let known = en::TIMES_OF_DAY.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    known.map(|(_, time)| (*time).to_owned())
}

/// Reads `下午3点半`, `8点15分`, `晚上八点`, `下午3:30`.
fn chinese(scan: &mut ValueScan<'_>) -> Option<String> {
    let part = part(
        scan,
        &[
            (&zh::MORNINGS, TimePart::Morning),
            (&zh::NOONS, TimePart::Noon),
            (&zh::EVENINGS, TimePart::Evening),
        ],
    );
    scan.blanks();
    let in_part = |hour: u64| part.map_or(hour, |part| part.hour(hour)) % 24;
    let mut plain = *scan;
    if let Some(time) = clock(&mut plain).filter(|_| part.is_some()) {
        *scan = plain;
        let (hour, rest) = time.split_once(':')?;
        return Some(format!("{:02}:{rest}", in_part(hour.parse().ok()?)));
    }
    let is_digits = scan.peek().is_some_and(|c| c.is_ascii_digit());
    let hour = small_number(scan).filter(|hour| *hour <= 24)?;
    let is_point = scan.eat_any(&["点", "时"])? == "点";
    let minute = minutes(scan);
    // `三点建议` means three suggestions, not three o'clock.
    let is_told = part.is_some() || minute.is_some() || (is_digits && is_point);
    written(in_part(hour), minute.unwrap_or(0), None).filter(|_| is_told)
}

/// Reads the minutes after the hour: `半`, `一刻`, `30分`, `整`, or plain digits.
fn minutes(scan: &mut ValueScan<'_>) -> Option<u64> {
    let fixed = zh::MINUTES.iter().find(|(word, _)| scan.eat(word).is_some());
    if let Some((_, minutes)) = fixed {
        return Some(*minutes);
    }
    let mut ahead = *scan;
    let is_digits = ahead.peek().is_some_and(|c| c.is_ascii_digit());
    let minute = small_number(&mut ahead)?;
    let is_told = ahead.eat("分").is_some() || is_digits;
    *scan = if is_told { ahead } else { *scan };
    is_told.then_some(minute)
}

fn small_number(scan: &mut ValueScan<'_>) -> Option<u64> {
    if let Some(number) = scan.digits(1, 2) {
        return Some(number);
    }
    let number = numeral(scan)?.number;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "less than 60")]
    let whole = number as u64;
    (number.fract() == 0.0 && number < 60.0).then_some(whole)
}
