//! Keeps the promise of a plan in its template, with holes in place of the values of the goal.
//!
//! - in: the promise of a plan, and the slots that were taken out of that plan
//! - out: the promise with holes; later the promise filled for another goal
//! - never: keeps a promise that contains a value of the first goal

use super::constant::{ConstantCheck, without_placeholders};
use super::slot::is_whole_word;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Replaces the values of the goal in a promise by holes; `None` if one would remain.
pub(super) fn opened(
    promise: &Value,
    names: &[String],
    known: &ConstantCheck<'_>,
) -> Option<Value> {
    let mut slots: Vec<(&str, &String)> =
        known.slots.iter().map(|slot| known.text_of(slot)).zip(names).collect();
    // Longest first: a value may be part of another one.
    slots.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    each_leaf(promise, &|leaf| match leaf {
        Value::String(text) => {
            let open = slots
                .iter()
                .filter(|(value, _)| !value.is_empty())
                .fold(text.clone(), |text, (value, name)| with_holes(&text, value, name));
            let kept = Value::String(without_placeholders(&open));
            known.may_keep(&kept).then_some(Value::String(open))
        }
        Value::Number(_) => known.may_keep(leaf).then(|| leaf.clone()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => Some(leaf.clone()),
    })
}

/// Fills the holes of a promise with the texts of another goal.
pub(super) fn closed(promise: &Value, said: &BTreeMap<String, String>) -> Value {
    let filled = each_leaf(promise, &|leaf| {
        let Value::String(text) = leaf else { return Some(leaf.clone()) };
        let filled = said.iter().fold(text.clone(), |text, (name, value)| {
            text.replace(&format!("{{{{{name}}}}}"), value)
        });
        Some(Value::String(filled))
    });
    filled.unwrap_or_default()
}

/// Replaces a value by a hole where it occurs as whole words, outside of placeholders.
fn with_holes(text: &str, value: &str, name: &str) -> String {
    let mut open = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(value) {
        let (place, before) = (at..at + value.len(), text.get(..at).unwrap_or_default());
        let inside = before.rfind("{{") > before.rfind("}}");
        if inside || at < done || !is_whole_word(text, &place) {
            continue;
        }
        open.push_str(text.get(done..at).unwrap_or_default());
        let _ = write!(open, "{{{{{name}}}}}");
        done = place.end;
    }
    open.push_str(text.get(done..).unwrap_or_default());
    open
}

fn each_leaf(value: &Value, change: &dyn Fn(&Value) -> Option<Value>) -> Option<Value> {
    match value {
        Value::Array(items) => items.iter().map(|item| each_leaf(item, change)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| Some((name.clone(), each_leaf(field, change)?)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => change(value),
    }
}
