//! Checks the constants of a plan: values that its goal does not state may stay in a template only if they do not
//! depend on the values of that goal.

use super::slot::ValueSlot;
use crate::offline::values::{FoundValue, ValueKind, values};
use serde_json::{Map, Value};

/// The minimum length of a word whose match is not a coincidence.
const TELLING_CHARS: usize = 3;

/// The values of a goal, from which no constant of the plan may be derived.
pub(super) struct ConstantCheck<'a> {
    pub(super) goal: &'a str,
    pub(super) said: &'a [FoundValue],
    pub(super) slots: &'a [ValueSlot],
    pub(super) metadata: &'a Map<String, Value>,
}

impl ConstantCheck<'_> {
    /// Returns true if a constant of a plan also holds for a goal with other values.
    pub(super) fn may_keep(&self, constant: &Value) -> bool {
        if self.metadata.values().any(|value| has(value, constant)) {
            return false;
        }
        match constant {
            Value::String(text) => self.may_keep_text(&without_placeholders(text)),
            // A number could have been computed from a value of the goal.
            Value::Number(_) => !self.slots.iter().any(|slot| is_reckoned_with(slot.form.kind)),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => true,
        }
    }

    fn may_keep_text(&self, text: &str) -> bool {
        // A date that the goal does not state was derived from today or from another date.
        let dated = |said: &FoundValue| {
            matches!(said.kind, ValueKind::DateTime | ValueKind::Date | ValueKind::Time)
        };
        let dated = values(text).iter().any(dated);
        !dated && !self.texts().any(|of_goal| is_about(text, &of_goal))
    }

    /// Returns the text of a slot as written in the goal, without quotes.
    pub(super) fn text_of(&self, slot: &ValueSlot) -> &str {
        self.goal.get(slot.place.clone()).map(bare).unwrap_or_default()
    }

    /// Returns the values of the goal as lower-case text: those that the plan uses, and those that cannot be mistaken
    /// for plain words.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        let used = self.slots.iter().map(|slot| slot.place.clone());
        let plain = |kind: ValueKind| matches!(kind, ValueKind::Word | ValueKind::Boolean);
        let said = self.said.iter().filter(move |said| !plain(said.kind));
        let places = used.chain(said.map(|said| said.from..said.to));
        let text = |place| self.goal.get(place).map(bare);
        places.filter_map(text).filter(|text| !text.is_empty()).map(str::to_lowercase)
    }
}

/// Removes quotes around a text.
fn bare(text: &str) -> &str {
    text.trim_matches(['"', '\'', '“', '”', '‘', '’', '《', '》', '「', '」'])
}

fn is_reckoned_with(kind: ValueKind) -> bool {
    matches!(
        kind,
        ValueKind::DateTime
            | ValueKind::Date
            | ValueKind::Time
            | ValueKind::Span
            | ValueKind::Money
            | ValueKind::Percent
            | ValueKind::List
            | ValueKind::Number
    )
}

/// Returns true if a text contains a value of a goal or a part of it, even a single number.
pub(super) fn is_about(text: &str, of_goal: &str) -> bool {
    let digits = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let is_part = |c: char| !c.is_alphanumeric();
    let shared = |word: &str| of_goal.split(is_part).any(|other| other == word);
    tells(text, of_goal) || text.split(is_part).any(|word| digits(word) && shared(word))
}

/// Like `is_about` for text shown to people, in which single numbers do not count: `step 3` does not depend on a 3 in
/// the goal.
pub(super) fn tells(text: &str, of_goal: &str) -> bool {
    let text = text.to_lowercase();
    if text.trim().is_empty() {
        return false;
    }
    let is_part = |c: char| !c.is_alphanumeric();
    let telling = |word: &&str| word.is_ascii() && word.len() >= TELLING_CHARS;
    let shared = text
        .split(is_part)
        .filter(telling)
        .any(|word| of_goal.split(is_part).any(|other| other == word));
    let chinese = !of_goal.is_ascii() && text.contains(of_goal.trim());
    shared || chinese || text.trim() == of_goal.trim()
}

/// Returns true if a metadata value equals the constant, contains it as an element, or is part of its text.
fn has(value: &Value, constant: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| has(item, constant)),
        Value::Object(fields) => fields.values().any(|field| has(field, constant)),
        Value::String(text) => constant.as_str().is_some_and(|constant| {
            let long = text.chars().count() >= TELLING_CHARS;
            text == constant || (long && constant.contains(text.as_str()))
        }),
        Value::Number(_) => value == constant,
        Value::Null | Value::Bool(_) => false,
    }
}

pub(super) fn without_placeholders(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, behind)) = rest.split_once("{{") {
        kept.push_str(before);
        kept.push(' ');
        rest = behind.split_once("}}").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}
