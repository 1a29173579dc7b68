//! Scores a value of the request for a parameter.
//!
//! - in: a value with its position in the request, and a parameter
//! - out: the value converted to the shape of the parameter, with its score
//! - never: returns a number for a text that is not a number, or a value outside of the choices

use super::hints;
use super::measure::measured;
use super::needs::{ToolField, ValueShape, named};
use super::reading::RequestReading;
use super::sense;
use super::suit::{is_moment, is_text, of_sense};
use super::text::WordToken;
use super::values::{FoundValue, ValueKind};
use crate::lexicon::en;
use crate::retrieve::words::words;
use crate::weights::WEIGHTS;
use serde_json::{Number, Value};

/// The number of words before a value that are taken into account.
const BEFORE: usize = 6;
/// The number of words after a value that are taken into account.
const BEHIND: usize = 3;

/// A value that fits a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueFit {
    /// The value as given to the tool.
    pub value: Value,
    /// The score.
    pub score: f32,
    /// True if the words next to the value point to this parameter.
    pub told: bool,
}

/// Scores a value for a parameter; `None` if the parameter cannot take it.
pub fn fit(reading: &RequestReading, said: &FoundValue, slot: &ToolField) -> Option<ValueFit> {
    let (mut value, of_kind) = shaped(said, slot)?;
    let of_sense = of_sense(said, slot)?;
    let mut told = context(reading, said, slot);
    if let Some(key) = &said.key {
        told += WEIGHTS.fit.key * overlap(&slot.name, &named(key));
    }
    if said.kind == ValueKind::Word {
        let (bare, more) = bare(reading, said, slot);
        value = bare;
        told += more;
    }
    if said.unit.as_ref().is_some_and(|unit| is_unit_of(unit, slot)) {
        told += WEIGHTS.fit.unit;
    }
    if let Some((number, more)) = measured(reading, said, slot) {
        value = number;
        told += more;
    }
    if is_text(slot) && is_moment(said.kind) {
        // A parameter that takes any text gets a date as written.
        value = Value::String(reading.text.get(said.from..said.to)?.to_owned());
    }
    let strays = said.kind == ValueKind::Path && !sense::is_file(slot);
    if (strays && told < WEIGHTS.fit.told) || !slot.legal.allows(&value) {
        return None;
    }
    let role = word_before(reading, said).map_or(0.0, |word| hints::role(word, slot));
    let of_hint = hints::kind(said.kind, slot);
    let of_hint = if is_text(slot) { of_hint.max(0.0) } else { of_hint };
    let score = of_kind + of_sense + of_hint + role + told;
    (score > 0.0).then_some(ValueFit { value, score, told: told >= WEIGHTS.fit.told })
}

fn is_unit_of(unit: &str, slot: &ToolField) -> bool {
    words(unit).iter().any(|word| slot.name.contains(word) || slot.about.contains(word))
}

/// Converts a value to the shape of a parameter, and scores its kind.
fn shaped(said: &FoundValue, slot: &ToolField) -> Option<(Value, f32)> {
    if !slot.choices.is_empty() {
        return chosen(&said.value, &slot.choices).map(|choice| (choice, WEIGHTS.shapes.choice));
    }
    let (value, shapes) = (said.value.clone(), WEIGHTS.shapes);
    match slot.shape {
        ValueShape::Integer | ValueShape::Number => {
            let number = numeric(said)?;
            let is_whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
            let fits = slot.shape == ValueShape::Number || is_whole;
            let plain = matches!(
                said.kind,
                ValueKind::Number | ValueKind::Money | ValueKind::Percent | ValueKind::Span
            );
            let more = if plain { shapes.number } else { shapes.other_number };
            fits.then_some((Value::Number(number), more))
        }
        ValueShape::Boolean => value.is_boolean().then_some((value, shapes.boolean)),
        ValueShape::List if value.is_array() => Some((value, shapes.list)),
        ValueShape::List => {
            // A single value becomes a list of one, but not if the items are rows or records.
            let items = slot.items.as_deref();
            let holds =
                |items: &ToolField| matches!(items.shape, ValueShape::Object | ValueShape::List);
            let wrapped = items.is_none_or(|items| !holds(items));
            wrapped.then(|| (Value::Array(vec![value]), shapes.one_of_list))
        }
        ValueShape::Object => value.is_object().then_some((value, shapes.object)),
        ValueShape::Text if value.is_number() && slot.takes(ValueShape::Number) => {
            Some((value, shapes.number_or_text))
        }
        ValueShape::Text => {
            let written = match value {
                Value::String(_) => value,
                Value::Array(_) | Value::Object(_) => return None,
                Value::Null | Value::Bool(_) | Value::Number(_) => Value::String(value.to_string()),
            };
            Some((written, as_text(said.kind)))
        }
        ValueShape::Any => Some((value, as_text(said.kind))),
    }
}

fn chosen(value: &Value, choices: &[Value]) -> Option<Value> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
    choices.iter().find(|choice| text(choice) == text(value)).cloned()
}

/// Returns the score of a kind of value for a text parameter.
fn as_text(kind: ValueKind) -> f32 {
    let texts = WEIGHTS.texts;
    match kind {
        ValueKind::Quote => texts.quoted,
        ValueKind::Url
        | ValueKind::Email
        | ValueKind::Path
        | ValueKind::Id
        | ValueKind::Name
        | ValueKind::Date
        | ValueKind::Time
        | ValueKind::DateTime
        | ValueKind::Phone => texts.named,
        ValueKind::Number | ValueKind::Money | ValueKind::Percent | ValueKind::Span => texts.number,
        ValueKind::Word => texts.bare_word,
        ValueKind::Boolean | ValueKind::Json | ValueKind::List => texts.structured,
        ValueKind::Label | ValueKind::Unit => texts.label,
    }
}

fn numeric(said: &FoundValue) -> Option<Number> {
    match &said.value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) if matches!(said.kind, ValueKind::Quote | ValueKind::Id) => {
            let text = text.trim();
            let whole = text.parse::<i64>().map(Number::from).ok();
            whole.or_else(|| Number::from_f64(text.parse().ok()?))
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// Returns the share of a name's words that occur in `others`; the last word has a higher weight.
#[expect(clippy::cast_precision_loss, reason = "words of a name")]
pub fn overlap(name: &[String], others: &[String]) -> f32 {
    if name.is_empty() {
        return 0.0;
    }
    let last = name.len() - 1;
    let weight = |at: usize| if at == last { WEIGHTS.fit.last_word } else { 1.0 };
    let shared = name.iter().enumerate().filter(|(_, word)| others.contains(word));
    shared.map(|(at, _)| weight(at)).sum::<f32>() / (name.len() as f32 + 1.0)
}

/// Returns the score of the words around a value for a parameter.
fn context(reading: &RequestReading, said: &FoundValue, slot: &ToolField) -> f32 {
    let piece = reading.pieces.get(reading.piece_at(said.from)).cloned().unwrap_or_default();
    let before = reading.inside(&(piece.start..said.from.max(piece.start))).iter().rev();
    let behind = reading.inside(&(said.to.min(piece.end)..piece.end)).iter();
    let told = beside(before, BEFORE, slot, WEIGHTS.fit.named_before)
        + beside(behind, BEHIND, slot, WEIGHTS.fit.named_behind);
    told.min(WEIGHTS.fit.most_told)
}

/// Returns the score of the words on one side; near words count more.
#[expect(clippy::cast_precision_loss, reason = "a few words")]
fn beside<'a>(
    side: impl Iterator<Item = &'a WordToken>,
    reach: usize,
    slot: &ToolField,
    weight: f32,
) -> f32 {
    let count = slot.name.len().max(1) as f32;
    let mut seen: Vec<&String> = Vec::new();
    let (mut told, mut share) = (0.0, 1.0);
    for (distance, token) in side.take(reach).enumerate() {
        if en::APART.contains(&token.text.as_str()) {
            share = WEIGHTS.fit.beyond;
        }
        // Digits next to a value are another value, even if they occur in an example of the description.
        if token.text.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let near = share * (1.0 - distance as f32 / (reach as f32 + WEIGHTS.fit.fading));
        for stem in token.stems.iter().chain(&token.also) {
            if seen.contains(&stem) {
                continue;
            }
            seen.push(stem);
            if slot.name.contains(stem) {
                told += weight * near / count.sqrt();
            } else if slot.about.contains(stem) {
                told += WEIGHTS.fit.about * near;
            }
        }
    }
    told
}

/// Removes words from the ends of a phrase that only name the parameter: `the staging environment` is the environment
/// `staging`.
fn bare(reading: &RequestReading, said: &FoundValue, slot: &ToolField) -> (Value, f32) {
    let inside: Vec<&WordToken> = reading.inside(&(said.from..said.to)).iter().collect();
    let names = |token: &&WordToken| {
        !token.stems.is_empty() && token.stems.iter().all(|stem| slot.name.contains(stem))
    };
    let mut rest = inside.as_slice();
    while let [first, others @ ..] = rest
        && !others.is_empty()
        && names(first)
    {
        rest = others;
    }
    while let [others @ .., last] = rest
        && !others.is_empty()
        && names(last)
    {
        rest = others;
    }
    let (Some(first), Some(last)) = (rest.first(), rest.last()) else {
        return (said.value.clone(), 0.0);
    };
    let text = reading.text.get(first.place.start..last.place.end).unwrap_or_default();
    let more = if rest.len() < inside.len() { WEIGHTS.fit.named_within } else { 0.0 };
    (Value::String(text.to_owned()), more)
}

/// Returns the word before a value, skipping one article.
fn word_before<'a>(reading: &'a RequestReading, said: &FoundValue) -> Option<&'a str> {
    let close = |token: &&WordToken| {
        let gap = reading.text.get(token.place.end..said.from);
        gap.is_some_and(|gap| !gap.contains([',', '.', ';', '，', '。']))
    };
    let mut before = reading.inside(&(0..said.from)).iter().rev().take(2).filter(close);
    let word = before.next()?.text.as_str();
    if super::phrases::is_article(word) {
        before.next().map(|token| token.text.as_str())
    } else {
        Some(word)
    }
}
