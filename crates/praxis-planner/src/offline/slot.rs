//! A slot: a value of the goal that a plan uses, with its position and kind, to be filled from another goal.

use crate::lexicon::en;
use crate::offline::values::{FoundValue, ValueKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::Range;

/// The position and the form of a value in a goal.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ValueSlot {
    pub(super) place: Range<usize>,
    pub(super) form: SlotForm,
}

/// The form of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SlotForm {
    pub(super) kind: ValueKind,
    /// The unit of a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// True if the value is the text as written, not as interpreted: `5` as a string.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    as_written: bool,
}

impl ValueSlot {
    /// Serializes the slot for a template, with the name of its hole.
    pub(super) fn written(&self, hole: &str) -> Value {
        json!({"hole": hole, "form": self.form})
    }

    /// Parses a serialized slot with the name of its hole, which defaults to `name`.
    pub(super) fn read(written: &Value, name: &str) -> Option<(Self, String)> {
        let hole = written.get("hole").and_then(Value::as_str).unwrap_or(name).to_owned();
        let form = serde_json::from_value(written.get("form")?.clone()).ok()?;
        Some((Self { place: 0..0, form }, hole))
    }

    /// Returns the value at a position of another goal, if it has the same form. A slot for words takes any words
    /// that name a single thing.
    pub(super) fn value(
        &self,
        said: &[FoundValue],
        goal: &str,
        place: &Range<usize>,
    ) -> Option<Value> {
        let SlotForm { kind, unit, as_written } = &self.form;
        let text = goal.get(place.clone())?;
        // Placeholders may come only from a plan, never from a goal.
        if text.contains("{{") || text.contains("}}") {
            return None;
        }
        let same =
            |one: &&FoundValue| one.kind == *kind && one.unit == *unit && is_at(one, goal, place);
        if let Some(same) = said.iter().find(same) {
            return Some(if *as_written { text.into() } else { same.value.clone() });
        }
        let is_words =
            |kind: ValueKind| matches!(kind, ValueKind::Word | ValueKind::Name | ValueKind::Quote);
        let other = said.iter().any(|one| !is_words(one.kind) && is_at(one, goal, place));
        let fits = is_words(*kind) && !other && is_one(text) && is_whole_text(goal, place);
        fits.then(|| Value::from(text))
    }
}

/// Returns true if a value is at a position, apart from punctuation around it.
fn is_at(said: &FoundValue, goal: &str, place: &Range<usize>) -> bool {
    let covers = said.from <= place.start && place.end <= said.to;
    let around = |range: Range<usize>| {
        goal.get(range).is_some_and(|signs| !signs.contains(char::is_alphanumeric))
    };
    covers && around(said.from..place.start) && around(place.end..said.to)
}

/// Returns true if words name a single thing.
fn is_one(text: &str) -> bool {
    let several = text.contains([',', ';', '，', '；', '、', '和', '.', ':', '：', '\n', '"']);
    let joined = |word: &str| en::JOINS.contains(&word.to_lowercase().as_str());
    !several && !text.split_whitespace().any(joined)
}

/// Returns true if no sign next to a position could belong to the value.
fn is_whole_text(goal: &str, place: &Range<usize>) -> bool {
    let behind = goal.get(place.end..).unwrap_or_default();
    let ahead = goal.get(..place.start).unwrap_or_default();
    let next = behind.chars().next();
    let ends = next.is_none_or(|c| !matches!(c, '(' | ')' | '\'' | '\u{2019}' | '.' | '@' | '&'));
    let last_sign = next == Some('.') && behind.trim_end().len() == 1;
    (ends || last_sign) && !ahead.ends_with(['(', '@', '#', '&', '.'])
}

/// Finds the position of a value in a goal: `Some(None)` if it does not occur, `None` if it occurs twice.
#[expect(clippy::option_option, reason = "not told and told twice are different answers")]
pub(super) fn place_of(
    goal: &str,
    said: &[FoundValue],
    value: &Value,
) -> Option<Option<ValueSlot>> {
    // Booleans, null and empty text are constants.
    if matches!(value, Value::Null | Value::Bool(_)) || value.as_str().is_some_and(str::is_empty) {
        return Some(None);
    }
    let meant = said.iter().filter(|said| is_same(&said.value, value)).map(|said| ValueSlot {
        place: said.from..said.to,
        form: SlotForm { kind: said.kind, unit: said.unit.clone(), as_written: false },
    });
    // Then the value as literal text; interpreted values come first, as they may cover a longer range.
    let text = value.as_str().unwrap_or_default();
    let found = goal.match_indices(text).map(|(at, text)| at..at + text.len());
    let found = found.filter(|place| !place.is_empty() && is_whole_word(goal, place));
    let written = found.map(|place| {
        let exact = said.iter().find(|said| (said.from..said.to) == place);
        let kind = exact.map_or(ValueKind::Word, |said| said.kind);
        let unit = exact.and_then(|said| said.unit.clone());
        ValueSlot { place, form: SlotForm { kind, unit, as_written: true } }
    });
    // Of overlapping readings the first is the most specific.
    let mut apart: Vec<ValueSlot> = Vec::new();
    for slot in meant.chain(written) {
        let meets = |other: &ValueSlot| {
            other.place.start < slot.place.end && slot.place.start < other.place.end
        };
        if !apart.iter().any(meets) {
            apart.push(slot);
        }
    }
    if apart.len() > 1 { None } else { Some(apart.into_iter().next()) }
}

fn is_same(said: &Value, value: &Value) -> bool {
    match (said, value) {
        (Value::Number(said), Value::Number(value)) => said.as_f64() == value.as_f64(),
        (said, value) => said == value,
    }
}

/// Returns true if a position is not in the middle of a longer word.
pub(super) fn is_whole_word(goal: &str, place: &Range<usize>) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = goal.get(..place.start).and_then(|text| text.chars().next_back());
    let behind = goal.get(place.end..).and_then(|text| text.chars().next());
    let inside = goal.get(place.clone()).unwrap_or_default();
    let joins = |outer: Option<char>, inner: Option<char>| {
        outer.is_some_and(is_word) && inner.is_some_and(is_word)
    };
    !joins(before, inside.chars().next()) && !joins(behind, inside.chars().next_back())
}
