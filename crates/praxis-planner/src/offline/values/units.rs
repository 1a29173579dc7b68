//! Units of numbers.

use super::scan::ValueScan;
use crate::lexicon::{UnitWord, any, zh};
use praxis_core::text::phrase::is_chinese;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Chinese units in the order of the lexicon; the first match wins.
static CHINESE: LazyLock<Vec<&str>> = LazyLock::new(|| words(&zh::UNITS).collect());
/// Unit words in lower case.
static WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| words(&any::UNIT_WORDS).collect());
/// Units of time, of both lists.
static TIMES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let all = any::UNIT_WORDS.iter().chain(zh::UNITS.iter());
    all.filter(|unit| unit.is_time).map(|unit| unit.word).collect()
});

fn words(units: &'static [UnitWord]) -> impl Iterator<Item = &'static str> {
    units.iter().map(|unit| unit.word)
}

/// Reads the unit after a number.
pub(super) fn unit<'a>(scan: &mut ValueScan<'a>) -> Option<&'a str> {
    let mut behind = *scan;
    if behind.eat("-").is_none() {
        behind.blanks();
    }
    let is_apart = behind.at() > scan.at();
    let mut ahead = behind;
    if ahead.eat_any(&CHINESE).is_none() {
        latin(&mut ahead, is_apart)?;
    }
    let unit = ahead.since(behind.at());
    *scan = ahead;
    Some(unit)
}

/// Returns the unit at the beginning of a text. Units of one letter do not count.
pub fn leading_unit(text: &str) -> Option<&str> {
    let mut scan = ValueScan::new(text, 0);
    unit(&mut scan).filter(|unit| unit.len() > 1 && text.starts_with(unit))
}

/// Returns true for a unit of time.
pub(super) fn is_time(unit: &str) -> bool {
    TIMES.contains(unit.to_ascii_lowercase().as_str())
}

/// Reads a unit that is not Chinese: `km`, `m/s`, `kN/m^3`, `m²`, `degrees Celsius`.
fn latin(scan: &mut ValueScan<'_>, is_apart: bool) -> Option<()> {
    base(scan, is_apart)?;
    for _ in 0..2 {
        power(scan);
        let mut ahead = *scan;
        if ahead.one(|c| matches!(c, '/' | '·')).is_none() || base(&mut ahead, false).is_none() {
            break;
        }
        *scan = ahead;
    }
    power(scan);
    let mut ahead = *scan;
    ahead.blanks();
    if ahead.eat_word(&any::SCALES).is_some() {
        *scan = ahead;
    }
    scan.is_edge().then_some(())
}

fn base(scan: &mut ValueScan<'_>, is_apart: bool) -> Option<()> {
    let word = scan.run(|c| (c.is_alphabetic() && !is_chinese(c)) || matches!(c, '°' | '℃' | '℉'));
    // A single letter apart from the number is usually not a unit: `5 A` and `5 C` are not amperes and degrees.
    let is_lone = word.chars().count() == 1 && !any::APART_SYMBOLS.contains(&word);
    let is_symbol = any::UNIT_SYMBOLS.contains(&word) && !(is_apart && is_lone);
    let is_word = !(is_apart && is_lone) && WORDS.contains(word.to_ascii_lowercase().as_str());
    (is_symbol || is_word).then_some(())
}

fn power(scan: &mut ValueScan<'_>) {
    let mut ahead = *scan;
    let is_raised = ahead.eat("^").is_some();
    if ahead.one(|c| matches!(c, '²' | '³' | '2' | '3')).is_some() && (is_raised || ahead.is_edge())
    {
        *scan = ahead;
    }
}

/// Returns true for a number with its unit, such as `10km`, which is not an identifier.
pub(super) fn is_amount(token: &str) -> bool {
    let mut scan = ValueScan::new(token, 0);
    let digits = scan.run(|c| c.is_ascii_digit() || c == '.');
    !digits.is_empty() && unit(&mut scan).is_some() && scan.rest().is_empty()
}
