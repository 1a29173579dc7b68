//! Scores numbers for parameters that count: items, time units, decimal places.
//!
//! - in: a number with its position, and a parameter that counts
//! - out: the signed number in the unit of the parameter, and the score of the words next to it
//! - never: returns a number that would have to be rounded

use super::needs::{ToolField, ValueShape};
use super::reading::RequestReading;
use super::sense::{TimeSense, is_count, time, time_of};
use super::values::{FoundValue, ValueKind};
use crate::lexicon::{en, zh};
use crate::retrieve::words::{is_ideograph, words};
use crate::weights::WEIGHTS;
use praxis_core::schema::description::descriptions;
use serde_json::{Number, Value};

/// Converts a number for a parameter that counts, and scores the words next to it.
pub fn measured(
    reading: &RequestReading,
    said: &FoundValue,
    slot: &ToolField,
) -> Option<(Value, f32)> {
    if said.kind != ValueKind::Number
        || !matches!(slot.shape, ValueShape::Integer | ValueShape::Number)
    {
        return None;
    }
    let number = said.value.as_f64()?;
    if let (Some(own), Some(wanted)) = (said.unit.as_deref().and_then(time), time_of(slot)) {
        let (number, more) = converted(number, own, wanted)?;
        let sign = if goes_back(reading, said) && may_go_back(slot) { -1.0 } else { 1.0 };
        return Some((written(sign * number)?, more));
    }
    if is_followed_by_its_words(reading, said, slot) {
        return Some((said.value.clone(), WEIGHTS.measures.counted));
    }
    let counts = is_count(slot) && said.unit.as_deref().and_then(time).is_none();
    (counts && is_counted(reading, said)).then(|| (said.value.clone(), WEIGHTS.measures.counted))
}

fn converted(number: f64, own: TimeSense, wanted: TimeSense) -> Option<(f64, f32)> {
    match (own, wanted) {
        (own, wanted) if own == wanted => Some((number, WEIGHTS.measures.same_unit)),
        (TimeSense::Minutes(own), TimeSense::Minutes(wanted)) => {
            let number = number * own / wanted;
            (number.fract().abs() < 1e-9).then_some((number, WEIGHTS.measures.other_unit))
        }
        (
            TimeSense::Minutes(_) | TimeSense::Period(_),
            TimeSense::Minutes(_) | TimeSense::Period(_),
        ) => None,
    }
}

/// Writes a whole number as an integer.
#[expect(clippy::cast_possible_truncation, reason = "whole and small")]
fn written(number: f64) -> Option<Value> {
    let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
    let number = if is_whole { Number::from(number as i64) } else { Number::from_f64(number)? };
    Some(Value::Number(number))
}

/// Returns true if a parameter may be negative.
fn may_go_back(slot: &ToolField) -> bool {
    slot.legal.allows(&Value::from(-1))
}

fn goes_back(reading: &RequestReading, said: &FoundValue) -> bool {
    let behind = reading.text.get(said.to..).unwrap_or_default().trim_start();
    let before = reading.text.get(..said.from).unwrap_or_default().trim_end();
    let next: String = behind.chars().take_while(|c| c.is_alphabetic()).collect();
    en::BACKWARDS.contains(&next.to_lowercase().as_str())
        || zh::BACKWARDS.iter().any(|word| behind.starts_with(word))
        || zh::BACKWARDS_BEFORE.iter().any(|word| before.ends_with(word))
}

/// Returns true if the description of an optional parameter starts with the word after the number: `two decimals`.
fn is_followed_by_its_words(reading: &RequestReading, said: &FoundValue, slot: &ToolField) -> bool {
    if slot.required || slot.shape != ValueShape::Integer {
        return false;
    }
    let first = words(&descriptions(&slot.schema)).into_iter().next();
    let next = reading.inside(&(said.to..reading.text.len())).first();
    first
        .zip(next)
        .is_some_and(|(first, next)| next.stems.contains(&first) || next.also.contains(&first))
}

/// Returns true if the word next to a number makes it a count: `top 5`.
fn is_counted(reading: &RequestReading, said: &FoundValue) -> bool {
    let before = reading.inside(&(0..said.from)).last();
    let behind = reading.inside(&(said.to..reading.text.len())).first();
    let beside = [before, behind].into_iter().flatten();
    let text = reading.text.get(..said.from).unwrap_or_default();
    let own = reading.text.get(said.from..said.to).unwrap_or_default();
    let in_chinese = text.chars().next_back().is_some_and(is_ideograph) || own.contains('前');
    beside.into_iter().any(|token| en::COUNTING.contains(&token.text.as_str()))
        || (in_chinese && zh::COUNTING.iter().any(|word| text.ends_with(word)))
}
