//! Numbers with their signs, units, currencies and percent signs.
//!
//! - in: a `PlainText`
//! - out: numbers as JSON numbers, with the unit as written
//! - never: a number that would lose a digit, or a code such as `007`: those stay text

use super::found_value::{FoundValue, ValueKind};
use super::number_words;
use super::numerals::{large_unit, numeral};
use super::page::PlainText;
use super::scan::ValueScan;
use super::units;
use crate::lexicon::{any, en, zh};
use praxis_core::text::phrase::is_chinese;
use serde_json::Value;

/// Takes the numbers and booleans of a text.
pub(super) fn read(page: &mut PlainText<'_>) {
    page.read(number);
    page.read_one(boolean);
}

/// Reads `true` and `false`, which are booleans in any context.
fn boolean(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let word = scan.eat_word(&["true", "false"]).filter(|_| scan.is_edge())?;
    Some(FoundValue::new(from, scan.at(), ValueKind::Boolean, word == "true"))
}

/// Returns true if the number at this position has a unit, a currency or a percent sign.
pub(super) fn is_amount(scan: ValueScan<'_>) -> bool {
    let mut ahead = scan;
    let mut has_unit = || amount(&mut ahead).is_some() && units::unit(&mut ahead).is_some();
    money(scan).is_some() || percent(scan).is_some() || has_unit()
}

/// Returns all readings of the number at this position.
fn number(scan: ValueScan<'_>) -> Vec<FoundValue> {
    let from = scan.at();
    if let Some((value, unit, end)) = money(scan) {
        let money = FoundValue::new(from, end, ValueKind::Money, value).with_unit(Some(unit));
        return std::iter::once(money).chain(code(unit, end)).collect();
    }
    if let Some((value, end)) = percent(scan) {
        return vec![FoundValue::new(from, end, ValueKind::Percent, value).with_unit(Some("%"))];
    }
    let mut ahead = scan;
    if let Some(value) = ordinal(&mut ahead) {
        return vec![FoundValue::new(from, ahead.at(), ValueKind::Number, value)];
    }
    let Some(amount) = amount(&mut ahead) else { return as_text(scan).into_iter().collect() };
    let unit = units::unit(&mut ahead);
    if (amount.is_lone && unit.is_none()) || !(unit.is_some() || ahead.is_edge()) {
        return Vec::new();
    }
    let number = FoundValue::new(from, ahead.at(), ValueKind::Number, amount.value).with_unit(unit);
    let span = unit.filter(|unit| units::is_time(unit)).map(|unit| {
        FoundValue::new(from, ahead.at(), ValueKind::Span, ahead.since(from)).with_unit(Some(unit))
    });
    std::iter::once(number).chain(span).collect()
}

/// Returns the currency code after an amount as a name, because a parameter may take the code alone.
fn code(unit: &str, end: usize) -> Option<FoundValue> {
    let is_code = unit.len() == 3 && unit.bytes().all(|byte| byte.is_ascii_uppercase());
    let from = end.checked_sub(unit.len()).filter(|_| is_code)?;
    Some(FoundValue::new(from, end, ValueKind::Name, unit))
}

/// A number without its unit.
pub(super) struct FoundAmount {
    pub(super) value: Value,
    /// True for a short Chinese numeral, which without a unit is usually part of a word.
    is_lone: bool,
}

/// Reads a number in digits, Chinese characters or English words.
pub(super) fn amount(scan: &mut ValueScan<'_>) -> Option<FoundAmount> {
    let first = scan.peek()?;
    if first.is_ascii_digit() || matches!(first, '-' | '+' | '.') {
        return Some(FoundAmount { value: in_digits(scan)?, is_lone: false });
    }
    if is_chinese(first) || first == '〇' {
        let found = numeral(scan)?;
        let value = exact(&found.number.to_string(), 0)?;
        return Some(FoundAmount { value, is_lone: found.is_short });
    }
    let number = number_words::number(scan)?;
    Some(FoundAmount { value: number.into(), is_lone: false })
}

/// Reads `1,234.5`, `-3`, `1e6`, `.5`, `3.5万`, `5k`, `2 million`, `1/2`.
fn in_digits(scan: &mut ValueScan<'_>) -> Option<Value> {
    let touches = scan
        .before()
        .is_some_and(|c| c.is_alphanumeric() && !is_chinese(c) || matches!(c, ')' | '.'));
    let mut ahead = *scan;
    let sign = ahead.one(|c| matches!(c, '-' | '+')).filter(|_| !touches);
    if ahead.at() > scan.at() && sign.is_none() {
        return None;
    }
    let mut digits = grouped(&mut ahead)?;
    if let Some(part) = fraction(&mut ahead, &digits) {
        *scan = ahead;
        return serde_json::Number::from_f64(part).map(Value::Number);
    }
    if sign == Some('-') {
        digits.insert(0, '-');
    }
    let power = power(&mut ahead);
    let value = exact(&digits, power)?;
    *scan = ahead;
    Some(value)
}

/// Reads the digits, decimals and exponent of a number, without thousands separators.
fn grouped(scan: &mut ValueScan<'_>) -> Option<String> {
    let mut digits = scan.run(|c| c.is_ascii_digit()).to_owned();
    let mut ahead = *scan;
    let is_grouped = (1..=3).contains(&digits.len());
    while is_grouped && ahead.eat(",").is_some() && ahead.digits(3, 3).is_some() {
        digits.push_str(ahead.since(ahead.at() - 3));
        *scan = ahead;
    }
    let mut ahead = *scan;
    let is_point = ahead.eat(".").is_some();
    let decimals = ahead.run(|c| c.is_ascii_digit());
    if is_point && !decimals.is_empty() {
        digits.push('.');
        digits.push_str(decimals);
        *scan = ahead;
    }
    let begins = digits.starts_with(|c: char| c.is_ascii_digit()) || digits.len() > 1;
    let exponent = exponent(scan);
    (begins && digits.len() < 40).then(|| digits + exponent)
}

/// Reads an exponent: `e6`, `E-3`.
fn exponent<'a>(scan: &mut ValueScan<'a>) -> &'a str {
    let from = scan.at();
    let mut ahead = *scan;
    let is_one = ahead.one(|c| matches!(c, 'e' | 'E')).is_some();
    ahead.one(|c| matches!(c, '-' | '+'));
    if is_one && ahead.digits(1, 3).is_some() && ahead.is_edge() {
        *scan = ahead;
    }
    scan.since(from)
}

/// Reads the denominator of a common fraction such as `1/2`, if the fraction stands alone.
fn fraction(scan: &mut ValueScan<'_>, digits: &str) -> Option<f64> {
    let mut ahead = *scan;
    ahead.eat("/")?;
    let below = ahead.digits(1, 3)?;
    let above: u64 = digits.parse().ok()?;
    let is_usual = matches!(below, 2..=10 | 12 | 16 | 32 | 64 | 100) && (1..below).contains(&above);
    let is_alone = ahead.is_edge() && !ahead.rest().starts_with(['/', '-']);
    let touched = scan.past().trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(['/', '-']);
    if !is_usual || !is_alone || touched {
        return None;
    }
    *scan = ahead;
    Some(above as f64 / below as f64)
}

/// Reads the power of ten after digits: `万`, `k`, `million`.
fn power(scan: &mut ValueScan<'_>) -> i32 {
    let mut ahead = *scan;
    let mut power = 0;
    while let Some(more) = ahead.one(|c| large_unit(c).is_some() || matches!(c, '千' | '百')) {
        power += large_unit(more).unwrap_or(if more == '千' { 3 } else { 2 });
    }
    // In `3千米` (a length) and `3百分点` (percentage points), `千` and `百` belong to the unit.
    let is_unit =
        ahead.past().ends_with(['千', '百']) && ahead.rest().starts_with(&*zh::KILO_UNITS);
    if power > 0 && !is_unit {
        *scan = ahead;
        return power;
    }
    let mut ahead = *scan;
    let letter = en::LARGE_LETTERS.iter().find(|(letter, _)| ahead.eat(letter).is_some());
    let letter = letter.filter(|_| ahead.is_edge());
    let by_letter = letter.and_then(|(_, power)| i32::try_from(*power).ok());
    let by_word = || {
        ahead = *scan;
        ahead.blanks();
        match number_words::factor(ahead.letters())? {
            100 => Some(2),
            1000 => Some(3),
            1_000_000 => Some(6),
            1_000_000_000 => Some(9),
            _ => None,
        }
    };
    let found = by_letter.or_else(by_word);
    if found.is_some() {
        *scan = ahead;
    }
    found.unwrap_or(0)
}

/// Returns the number for digits and a power of ten; `None` for a code such as `007`, or a whole number beyond 64
/// bits.
fn exact(digits: &str, power: i32) -> Option<Value> {
    let bare = digits.trim_start_matches('-');
    let is_code =
        bare.len() > 1 && bare.starts_with('0') && bare.bytes().all(|byte| byte.is_ascii_digit());
    if is_code {
        return None;
    }
    let is_whole = power == 0 && bare.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole {
        let small = digits.parse::<i64>().ok().map(Value::from);
        return small.or_else(|| digits.parse::<u64>().ok().map(Value::from));
    }
    let written = if power == 0 { digits.to_owned() } else { format!("{digits}e{power}") };
    let number: f64 = written.parse().ok()?;
    let shifted = power > 0 || digits.contains(['e', 'E']);
    if shifted && number.fract() == 0.0 && number.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "whole and small enough")]
        return Some(Value::from(number as i64));
    }
    serde_json::Number::from_f64(number).map(Value::Number)
}

/// Reads digits that are not a number: `007`, or more digits than a number keeps.
fn as_text(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let digits = scan.run(|c| c.is_ascii_digit());
    (digits.len() > 1 && scan.is_edge())
        .then(|| FoundValue::new(from, scan.at(), ValueKind::Id, digits))
}

/// Reads an amount of money (`$1,200.50`, `1200 USD`, `300元`): the number, the currency and the end.
fn money(scan: ValueScan<'_>) -> Option<(Value, &str, usize)> {
    let mut ahead = scan;
    let from = ahead.at();
    if ahead.eat_any(&any::SIGNS_BEFORE).is_some() {
        let sign = ahead.since(from);
        ahead.blanks();
        let is_digit = ahead.peek().is_some_and(|c| c.is_ascii_digit() || c == '.');
        let value = in_digits(&mut ahead).filter(|_| is_digit && ahead.is_edge())?;
        return Some((value, sign, ahead.at()));
    }
    let value = amount(&mut ahead)?.value;
    ahead.blanks();
    let behind = ahead.at();
    if ahead.eat_any(&zh::CURRENCIES).is_none() {
        let mut country = ahead;
        if country.eat_any(&any::COUNTRIES).and_then(|_| country.eat(" ")).is_some() {
            country.blanks();
            ahead = country;
        }
        let is_sign = ahead.eat_any(&any::SIGNS_BEHIND).is_some();
        let is_money =
            is_sign || (ahead.eat_word(&any::CURRENCY_WORDS).is_some() && ahead.is_edge());
        is_money.then_some(())?;
    }
    Some((value, ahead.since(behind), ahead.at()))
}

/// Reads a percentage (`5%`, `5 percent`, `百分之五`): the number and the end.
fn percent(scan: ValueScan<'_>) -> Option<(Value, usize)> {
    let mut ahead = scan;
    if ahead.eat("百分之").is_some() {
        let value = amount(&mut ahead)?.value;
        return Some((value, ahead.at()));
    }
    let value = amount(&mut ahead)?.value;
    ahead.blanks();
    let is_sign = ahead.one(|c| matches!(c, '%' | '‰')).is_some();
    let is_told = is_sign || ahead.eat_word(&en::PERCENTS).is_some();
    (is_told || ahead.eat("个百分点").is_some()).then(|| (value, ahead.at()))
}

/// Reads an ordinal: `3rd`, `第三`, `第3`, `the third`.
fn ordinal(scan: &mut ValueScan<'_>) -> Option<Value> {
    let mut ahead = *scan;
    if ahead.eat("第").is_some() {
        let value = amount(&mut ahead)?.value;
        *scan = ahead;
        return Some(value);
    }
    let digits = ahead.digits(1, 6);
    let is_ordinal = ahead.eat_word(&en::ORDINAL_ENDINGS).is_some() && ahead.is_edge();
    if let Some(number) = digits.filter(|_| is_ordinal) {
        *scan = ahead;
        return Some(number.into());
    }
    let mut ahead = *scan;
    let number = number_words::ordinal(&mut ahead)?;
    *scan = ahead;
    Some(number.into())
}
