//! How well something that was said fits a parameter.
//!
//! - in: a value where it stands in the request, and a parameter
//! - out: the value in the shape of the parameter, with what speaks for it
//! - never: gives a number where there is none, or what is not among the choices

use super::hints;
use super::measure::measured;
use super::needs::{Shape, Slot, named};
use super::reading::Reading;
use super::sense;
use super::suit::{is_moment, is_text, of_sense};
use super::text::Token;
use super::values::{Kind, Said};
use crate::lexicon::en;
use crate::retrieve::words::words;
use crate::weights::WEIGHTS;
use serde_json::{Number, Value};

/// So many words before a value tell what it is.
const BEFORE: usize = 6;
/// So many behind it.
const BEHIND: usize = 3;

/// A value for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// As it is given to the tool.
    pub value: Value,
    /// How well it fits.
    pub score: f32,
    /// Whether words beside it tell that it is this parameter.
    pub told: bool,
}

/// How a value fits a parameter; none if it must not be given there.
pub fn fit(reading: &Reading, said: &Said, slot: &Slot) -> Option<Fit> {
    let (mut value, of_kind) = shaped(said, slot)?;
    let of_sense = of_sense(said, slot)?;
    let mut told = context(reading, said, slot);
    if let Some(key) = &said.key {
        told += WEIGHTS.fit.key * overlap(&slot.name, &named(key));
    }
    if said.kind == Kind::Word {
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
        // Who reads any text reads a date as it was written.
        value = Value::String(reading.text.get(said.from..said.to)?.to_owned());
    }
    let strays = said.kind == Kind::Path && !sense::is_file(slot);
    if (strays && told < WEIGHTS.fit.told) || !slot.legal.allows(&value) {
        return None;
    }
    let role = word_before(reading, said).map_or(0.0, |word| hints::role(word, slot));
    let of_hint = hints::kind(said.kind, slot);
    let of_hint = if is_text(slot) { of_hint.max(0.0) } else { of_hint };
    let score = of_kind + of_sense + of_hint + role + told;
    (score > 0.0).then_some(Fit { value, score, told: told >= WEIGHTS.fit.told })
}

fn is_unit_of(unit: &str, slot: &Slot) -> bool {
    words(unit).iter().any(|word| slot.name.contains(word) || slot.about.contains(word))
}

/// The value in the shape of the parameter, and how much its kind says for it.
fn shaped(said: &Said, slot: &Slot) -> Option<(Value, f32)> {
    if !slot.choices.is_empty() {
        return chosen(&said.value, &slot.choices).map(|choice| (choice, WEIGHTS.shapes.choice));
    }
    let (value, shapes) = (said.value.clone(), WEIGHTS.shapes);
    match slot.shape {
        Shape::Integer | Shape::Number => {
            let number = numeric(said)?;
            let is_whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
            let fits = slot.shape == Shape::Number || is_whole;
            let plain =
                matches!(said.kind, Kind::Number | Kind::Money | Kind::Percent | Kind::Span);
            let more = if plain { shapes.number } else { shapes.other_number };
            fits.then_some((Value::Number(number), more))
        }
        Shape::Boolean => value.is_boolean().then_some((value, shapes.boolean)),
        Shape::List if value.is_array() => Some((value, shapes.list)),
        Shape::List => {
            // One of several: what holds rows takes no single word.
            let items = slot.items.as_deref();
            let holds = |items: &Slot| matches!(items.shape, Shape::Object | Shape::List);
            let wrapped = items.is_none_or(|items| !holds(items));
            wrapped.then(|| (Value::Array(vec![value]), shapes.one_of_list))
        }
        Shape::Object => value.is_object().then_some((value, shapes.object)),
        Shape::Text if value.is_number() && slot.takes(Shape::Number) => {
            Some((value, shapes.number_or_text))
        }
        Shape::Text => {
            let written = match value {
                Value::String(_) => value,
                Value::Array(_) | Value::Object(_) => return None,
                Value::Null | Value::Bool(_) | Value::Number(_) => Value::String(value.to_string()),
            };
            Some((written, as_text(said.kind)))
        }
        Shape::Any => Some((value, as_text(said.kind))),
    }
}

fn chosen(value: &Value, choices: &[Value]) -> Option<Value> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
    choices.iter().find(|choice| text(choice) == text(value)).cloned()
}

/// How much a kind of value says for a parameter that takes texts.
fn as_text(kind: Kind) -> f32 {
    let texts = WEIGHTS.texts;
    match kind {
        Kind::Quote => texts.quoted,
        Kind::Url
        | Kind::Email
        | Kind::Path
        | Kind::Id
        | Kind::Name
        | Kind::Date
        | Kind::Time
        | Kind::DateTime
        | Kind::Phone => texts.named,
        Kind::Number | Kind::Money | Kind::Percent | Kind::Span => texts.number,
        Kind::Word => texts.bare_word,
        Kind::Boolean | Kind::Json | Kind::List => texts.structured,
        Kind::Label | Kind::Unit => texts.label,
    }
}

fn numeric(said: &Said) -> Option<Number> {
    match &said.value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) if matches!(said.kind, Kind::Quote | Kind::Id) => {
            let text = text.trim();
            let whole = text.parse::<i64>().map(Number::from).ok();
            whole.or_else(|| Number::from_f64(text.parse().ok()?))
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// The share of the words of a name that stand among others; the last word counts twice.
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

/// What the words beside a value say for a parameter.
fn context(reading: &Reading, said: &Said, slot: &Slot) -> f32 {
    let piece = reading.pieces.get(reading.piece_at(said.from)).cloned().unwrap_or_default();
    let before = reading.inside(&(piece.start..said.from.max(piece.start))).iter().rev();
    let behind = reading.inside(&(said.to.min(piece.end)..piece.end)).iter();
    let told = beside(before, BEFORE, slot, WEIGHTS.fit.named_before)
        + beside(behind, BEHIND, slot, WEIGHTS.fit.named_behind);
    told.min(WEIGHTS.fit.most_told)
}

/// What the words on one side say, the near ones more.
#[expect(clippy::cast_precision_loss, reason = "a few words")]
fn beside<'a>(
    side: impl Iterator<Item = &'a Token>,
    reach: usize,
    slot: &Slot,
    weight: f32,
) -> f32 {
    let count = slot.name.len().max(1) as f32;
    let mut seen: Vec<&String> = Vec::new();
    let (mut told, mut share) = (0.0, 1.0);
    for (distance, token) in side.take(reach).enumerate() {
        if en::APART.contains(&token.text.as_str()) {
            share = WEIGHTS.fit.beyond;
        }
        // Digits beside a value are another value, even if an example in the description has them.
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

/// A phrase without the words that only name the parameter: `the staging environment` is the environment `staging`.
fn bare(reading: &Reading, said: &Said, slot: &Slot) -> (Value, f32) {
    let inside: Vec<&Token> = reading.inside(&(said.from..said.to)).iter().collect();
    let names = |token: &&Token| {
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

/// The preposition before a value, over at most one article.
fn word_before<'a>(reading: &'a Reading, said: &Said) -> Option<&'a str> {
    let close = |token: &&Token| {
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
