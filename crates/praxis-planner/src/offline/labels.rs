//! Finds bare words that may name a column or a field of records: `by amount`, `the price column`, `各个 city`.
//!
//! - in: a request, its words and its values
//! - out: such words with their positions
//! - never: returns a word that is part of another value

use super::filler_words::is_manner;
use super::phrases::is_article;
use super::text::WordToken;
use super::values::{FoundValue, ValueKind};
use crate::lexicon::{en, zh};
use crate::retrieve::words::is_ideograph;
use serde_json::Value;

/// The maximum length of a Chinese name, in characters.
const LONGEST_ZH: usize = 8;

/// Returns the possible column names in a text.
pub fn labels(text: &str, tokens: &[WordToken], said: &[FoundValue]) -> Vec<FoundValue> {
    let is_chinese = tokens.iter().any(|token| token.text.chars().all(is_ideograph));
    let taken = |token: &WordToken| {
        let covers = |one: &FoundValue| one.from < token.place.end && token.place.start < one.to;
        let own = |kind: ValueKind| {
            !matches!(kind, ValueKind::Word | ValueKind::Name | ValueKind::Id | ValueKind::List)
        };
        said.iter().any(|one| own(one.kind) && covers(one))
    };
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.text.chars().all(is_ideograph) {
            found.extend(in_chinese(text, token));
        } else if is_name(token) && !taken(token) && (is_chinese || is_placed(tokens, at)) {
            let value = text.get(token.place.clone()).unwrap_or_default();
            found.push(label(token.place.start, value));
        }
    }
    found
}

fn label(from: usize, value: &str) -> FoundValue {
    let (to, value) = (from + value.len(), Value::String(value.to_owned()));
    FoundValue { from, to, kind: ValueKind::Label, value, key: None, unit: None }
}

fn is_name(token: &WordToken) -> bool {
    token.text.starts_with(|c: char| c.is_alphabetic())
        && !token.text.chars().any(is_ideograph)
        && token.text.len() > 1
        && !is_manner(&token.text)
        && !en::NO_COLUMNS.contains(&token.text.as_str())
}

/// Returns true if an English word is in a position where column names occur.
fn is_placed(tokens: &[WordToken], at: usize) -> bool {
    let mut before = tokens.iter().take(at).rev().map(|token| token.text.as_str());
    let first = before.by_ref().find(|word| !is_article(word)).unwrap_or_default();
    let next = tokens.get(at + 1).map_or("", |token| token.text.as_str());
    let after = tokens.get(at + 2).map_or("", |token| token.text.as_str());
    let is_compared = en::COMPARES.contains(&next) || next == "at";
    let is_identifier = tokens.get(at).is_some_and(|token| token.text.contains('_'));
    en::BEFORE_COLUMNS.contains(&first)
        || (en::BEHIND_COLUMNS.contains(&next) && !en::NAMING.contains(&after))
        || is_identifier
        || (en::LINKS.contains(&first) && is_compared)
}

/// Finds names between markers: `城市` in `按城市分组`.
fn in_chinese(text: &str, run: &WordToken) -> Vec<FoundValue> {
    let mut found = Vec::new();
    let whole = text.get(run.place.clone()).unwrap_or_default();
    for (at, _) in whole.char_indices() {
        let rest = whole.get(at..).unwrap_or_default();
        let Some(mark) = zh::BEFORE_COLUMNS.iter().find(|mark| rest.starts_with(**mark)) else {
            continue;
        };
        let rest = rest.get(mark.len()..).unwrap_or_default();
        let end = zh::BEHIND_COLUMNS.iter().filter_map(|end| rest.find(end)).min();
        let name = end.and_then(|end| rest.get(..end)).unwrap_or_default();
        if (1..=LONGEST_ZH).contains(&name.chars().count()) {
            found.push(label(run.place.start + at + mark.len(), name));
        }
    }
    found
}
