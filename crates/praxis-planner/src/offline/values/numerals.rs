//! Chinese numerals.
//!
//! - in: a position in a text
//! - out: the number that is written there in Chinese characters, and whether it is so short that it may be part of a
//!   word
//! - never: decides whether a single character is a number: the caller knows what follows

use super::scan::ValueScan;
use crate::lexicon::zh;

/// A Chinese numeral.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numeral {
    /// The numeric value.
    pub(super) number: f64,
    /// True for one character or two digits, which may be part of a word: `五一`, `统一`.
    pub(super) is_short: bool,
}

fn number_of(list: &[(char, u32)], c: char) -> Option<u32> {
    list.iter().find(|(one, _)| *one == c).map(|(_, number)| *number)
}

fn digit(c: char) -> Option<f64> {
    number_of(&zh::DIGITS, c).map(f64::from)
}

fn small_unit(c: char) -> Option<u32> {
    number_of(&zh::SMALL_UNITS, c)
}

/// Returns the power of ten of `万` or `亿`, which multiply everything before them.
pub(super) fn large_unit(c: char) -> Option<i32> {
    number_of(&zh::LARGE_UNITS, c).and_then(|power| i32::try_from(power).ok())
}

fn is_numeral(c: char) -> bool {
    digit(c).is_some() || small_unit(c).is_some() || large_unit(c).is_some()
}

/// Reads the numeral at this position: `三十`, `一百二十`, `两万五千`, `二〇二六`, `三点五`.
pub(super) fn numeral(scan: &mut ValueScan<'_>) -> Option<Numeral> {
    let mut before = scan.past().chars().rev();
    // No numeral begins in the middle of another.
    if before.next().is_some_and(is_numeral) && before.next().is_some_and(is_numeral) {
        return None;
    }
    let mut ahead = *scan;
    let run = ahead.run(is_numeral);
    let is_digits = run.chars().all(|c| digit(c).is_some());
    let mut number = if is_digits { in_digits(run) } else { in_units(run) }?;
    let length = run.chars().count();
    let fraction = fraction(&mut ahead);
    number += fraction.unwrap_or_default();
    let is_short = fraction.is_none() && (length == 1 || (is_digits && length == 2));
    *scan = ahead;
    Some(Numeral { number, is_short })
}

/// Reads the decimals `点五`, but not the `点` of the hour `三点`.
fn fraction(scan: &mut ValueScan<'_>) -> Option<f64> {
    let mut ahead = *scan;
    ahead.eat("点")?;
    let run = ahead.run(|c| digit(c).is_some());
    // `三点二十分` is a time of day.
    let goes_on = ahead.peek().is_some_and(|c| is_numeral(c) || matches!(c, '分' | '刻'));
    let digits = in_digits(run).filter(|_| !run.is_empty() && !goes_on)?;
    let places = i32::try_from(run.chars().count()).ok()?;
    *scan = ahead;
    Some(digits / 10_f64.powi(places))
}

/// Reads one character per digit: `二〇二六`. More than 15 digits are not exact in an `f64`.
fn in_digits(run: &str) -> Option<f64> {
    let fits = (1..=15).contains(&run.chars().count());
    fits.then(|| run.chars().filter_map(digit).fold(0.0, |sum, digit| sum * 10.0 + digit))
}

/// Reads digits with their units: `一百二十三万四千`. A unit other than ten needs a digit before it, and two digits are
/// adjacent only around a zero.
fn in_units(run: &str) -> Option<f64> {
    let (mut total, mut part, mut open) = (0.0, 0.0, None);
    let mut last_unit = 1.0;
    let mut fits = run.chars().count() <= 24;
    for (at, c) in run.chars().enumerate() {
        if let Some(digit) = digit(c) {
            fits &= open.is_none_or(|open| open == 0.0);
            open = Some(digit);
        } else if let Some(unit) = small_unit(c) {
            let ten = (unit == 10 && (at == 0 || part > 0.0)).then_some(1.0);
            let count = open.take().filter(|count| *count > 0.0).or(ten);
            fits &= count.is_some();
            part += count.unwrap_or_default() * f64::from(unit);
            last_unit = f64::from(unit);
        } else if let Some(power) = large_unit(c) {
            part += open.take().unwrap_or_default();
            fits &= part > 0.0 || total > 0.0;
            last_unit = 10_f64.powi(power);
            total = if part > 0.0 && last_unit < 1e8 {
                total + part * last_unit
            } else {
                (total + part) * last_unit
            };
            part = 0.0;
        }
    }
    // `两万五` is 25,000 and `一百二` is 120: the last digit counts the next smaller unit.
    let rest = open.unwrap_or_default();
    let is_short = rest > 0.0 && last_unit >= 100.0 && !run.contains(['零', '〇']);
    let rest = if is_short { rest * last_unit / 10.0 } else { rest };
    fits.then_some(total + part + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_numerals_are_read_in_units_and_in_digits() {
        for (text, expected) in [
            ("十", 10.0),
            ("十二", 12.0),
            ("三十", 30.0),
            ("九十九", 99.0),
            ("一百", 100.0),
            ("一百零五", 105.0),
            ("一百二", 120.0),
            ("一百二十", 120.0),
            ("一百一十三", 113.0),
            ("一千零一", 1001.0),
            ("两万五", 25_000.0),
            ("两万五千", 25_000.0),
            ("十二万三千四百五十六", 123_456.0),
            ("三亿两千万", 320_000_000.0),
            ("一千二百亿", 120_000_000_000.0),
            ("一万亿", 1_000_000_000_000.0),
            ("二〇二六", 2026.0),
            ("三点五", 3.5),
            ("三点一六", 3.16),
            ("壹佰贰拾", 120.0),
            ("五", 5.0),
        ] {
            let mut scan = ValueScan::new(text, 0);
            let number = numeral(&mut scan).map(|found| found.number);
            assert!(
                number.is_some_and(|found| (found - expected).abs() < 1e-9),
                "{text}: {number:?}"
            );
            assert_eq!(scan.rest(), "", "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_numeral_is_none() {
        for text in ["万一", "百度", "千万", "亿", "三三十", "一百百", "", "点五"] {
            assert_eq!(numeral(&mut ValueScan::new(text, 0)), None, "{text}");
        }
        let mut scan = ValueScan::new("三点二十分", 0);
        assert_eq!(numeral(&mut scan).map(|found| found.number), Some(3.0));
        assert_eq!(scan.rest(), "点二十分");
    }
}
