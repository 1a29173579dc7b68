//! What a plan says that its goal does not: whether it is the planner's own, and holds for other values too.

use super::slot::ValueSlot;
use crate::offline::values::{FoundValue, ValueKind, values};
use serde_json::{Map, Value};

/// A word of so many characters is no chance.
const TELLING_CHARS: usize = 3;

/// What a constant must not come from.
pub(super) struct SchemaConstants<'a> {
    pub(super) goal: &'a str,
    pub(super) said: &'a [FoundValue],
    pub(super) slots: &'a [ValueSlot],
    pub(super) metadata: &'a Map<String, Value>,
}

impl SchemaConstants<'_> {
    /// Whether a value of a plan may stay as it is when the goal says other values.
    pub(super) fn may_keep(&self, constant: &Value) -> bool {
        if self.metadata.values().any(|value| has(value, constant)) {
            return false;
        }
        match constant {
            Value::String(text) => self.may_keep_text(&without_placeholders(text)),
            // A number could be reckoned from another one.
            Value::Number(_) => !self.slots.iter().any(|slot| is_reckoned_with(slot.form.kind)),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => true,
        }
    }

    fn may_keep_text(&self, text: &str) -> bool {
        // A day that the goal does not say was told from today, or from another one.
        let dated = |said: &FoundValue| {
            matches!(said.kind, ValueKind::DateTime | ValueKind::Date | ValueKind::Time)
        };
        let dated = values(text).iter().any(dated);
        !dated && !self.texts().any(|of_goal| is_about(text, &of_goal))
    }

    /// How the goal writes the value of a slot.
    pub(super) fn text_of(&self, slot: &ValueSlot) -> &str {
        self.goal.get(slot.place.clone()).map(bare).unwrap_or_default()
    }

    /// The values of the goal as texts: those that the plan uses, and those that nobody could take for plain words.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        let used = self.slots.iter().map(|slot| slot.place.clone());
        let plain = |kind: ValueKind| matches!(kind, ValueKind::Word | ValueKind::Boolean);
        let said = self.said.iter().filter(move |said| !plain(said.kind));
        let places = used.chain(said.map(|said| said.from..said.to));
        let text = |place| self.goal.get(place).map(bare);
        places.filter_map(text).filter(|text| !text.is_empty()).map(str::to_lowercase)
    }
}

/// A text without quotes around it.
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

/// Whether a text has a value of a goal in it, or a part of it, be it a single digit.
pub(super) fn is_about(text: &str, of_goal: &str) -> bool {
    let digits = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let is_part = |c: char| !c.is_alphanumeric();
    let shared = |word: &str| of_goal.split(is_part).any(|other| other == word);
    tells(text, of_goal) || text.split(is_part).any(|word| digits(word) && shared(word))
}

/// The same of words for people, which may count: the third step is no value of a goal with a 3 in it.
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

/// Whether a value is, or has in it, another one that tells something.
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
