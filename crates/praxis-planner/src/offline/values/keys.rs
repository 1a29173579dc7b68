//! Finds the keys of values: `key: value`, `key=value`, `key is value`, `X为Y`, `把X设为Y`.
//!
//! - in: the values of a text, and the text
//! - out: the values with their keys; text after a key that no reader recognized is added as a value
//! - never: a key that names a secret, or a word that only begins a request

use super::chinese;
use super::found_value::{FoundValue, ValueKind};
use super::scan::ValueScan;
use crate::lexicon::{en, zh};
use praxis_core::mask::is_secret_key;
use praxis_core::text::pairs::next_pair;
use praxis_core::text::phrase::{is_chinese, is_word};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of pairs that are read in one text.
const MOST: usize = 200;

/// Sets the keys of the values of a text.
pub(super) fn name(text: &str, found: &mut Vec<FoundValue>) {
    let closed = closed(found);
    let mut keys: BTreeMap<usize, &str> = BTreeMap::new();
    phrases(text, &mut keys);
    in_chinese(text, &mut keys);
    let spans: BTreeSet<(usize, usize)> = found.iter().map(|said| (said.from, said.to)).collect();
    let mut at = 0;
    for _ in 0..MOST {
        let Some(pair) = next_pair(text, at, &|_| false) else { break };
        at = pair.end;
        if is_closed(&closed, pair.at) {
            continue;
        }
        keys.insert(pair.span.start, pair.key);
        if !spans.contains(&(pair.span.start, pair.span.end)) {
            found.push(whole(pair.value, pair.span.start, pair.span.end));
        }
    }
    booleans(text, &keys, found);
    inside_quotes(found, &mut keys);
    for said in found {
        said.key = keys.get(&said.from).map(|key| (*key).to_owned());
    }
}

/// Gives the key of a quote also to the value inside it.
fn inside_quotes(found: &[FoundValue], keys: &mut BTreeMap<usize, &str>) {
    for said in found.iter().filter(|said| said.kind == ValueKind::Quote) {
        let inner = said.value.as_str().map_or(0, str::len);
        let sign = (said.to - said.from).saturating_sub(inner) / 2;
        if let Some(key) = keys.get(&said.from).copied() {
            keys.insert(said.from + sign, key);
        }
    }
}

/// Builds the value of a pair that no reader recognized.
fn whole(value: Value, from: usize, to: usize) -> FoundValue {
    let truth = value.as_str().and_then(truth);
    let kind = match &value {
        Value::Bool(_) => ValueKind::Boolean,
        Value::Number(_) => ValueKind::Number,
        Value::Array(_) => ValueKind::List,
        Value::Object(_) => ValueKind::Json,
        Value::String(_) | Value::Null => ValueKind::Word,
    };
    match truth {
        Some(truth) => FoundValue::new(from, to, ValueKind::Boolean, truth),
        None => FoundValue::new(from, to, kind, value),
    }
}

fn truth(word: &str) -> Option<bool> {
    let lower = word.to_lowercase();
    let is_in =
        |en: &[&str], zh: &[&str]| en.contains(&lower.as_str()) || zh.contains(&lower.as_str());
    let is_yes = is_in(&en::YES, &zh::YES);
    (is_yes || is_in(&en::NO, &zh::NO)).then_some(is_yes)
}

/// Returns the ranges that count as one value, so that no key is read inside them: quotes, JSON, addresses and paths.
fn closed(found: &[FoundValue]) -> BTreeMap<usize, usize> {
    let is_whole = |said: &&FoundValue| {
        matches!(
            said.kind,
            ValueKind::Quote
                | ValueKind::Json
                | ValueKind::Url
                | ValueKind::Path
                | ValueKind::Email
        )
    };
    found.iter().filter(is_whole).map(|said| (said.from, said.to)).collect()
}

fn is_closed(closed: &BTreeMap<usize, usize>, at: usize) -> bool {
    closed.range(..=at).next_back().is_some_and(|(_, to)| at < *to)
}

/// Adds boolean readings for `yes`, `off` and `开启` after a key.
fn booleans(text: &str, keys: &BTreeMap<usize, &str>, found: &mut Vec<FoundValue>) {
    let read = |said: &FoundValue| {
        let truth = truth(text.get(said.from..said.to)?)?;
        let is_value = said.kind == ValueKind::Word && keys.contains_key(&said.from);
        is_value.then(|| FoundValue::new(said.from, said.to, ValueKind::Boolean, truth))
    };
    let more: Vec<FoundValue> = found.iter().filter_map(read).collect();
    found.extend(more);
}

/// Finds keys of up to three words before a tie such as `is`: `the patient's ID is ASD123`.
fn phrases<'a>(text: &'a str, keys: &mut BTreeMap<usize, &'a str>) {
    for tie in en::KEY_TIES.iter().map(|tie| format!(" {tie} ")) {
        for (at, _) in text.match_indices(tie.as_str()) {
            if let Some(key) = words_before(text, at) {
                keys.insert(at + tie.len(), key);
            }
        }
    }
}

fn words_before(text: &str, end: usize) -> Option<&str> {
    let mut start = end;
    for _ in 0..3 {
        let before = text.get(..start)?;
        let before = if start == end { Some(before) } else { before.strip_suffix(' ') };
        let Some(before) = before else { break };
        let letters = before.char_indices().rev().take(32);
        let word = letters.take_while(|(_, c)| is_word(*c) || *c == '-').last();
        let Some((at, _)) = word.filter(|_| !before.ends_with("'s") && !before.ends_with("’s"))
        else {
            break;
        };
        let word = before.get(at..)?.to_ascii_lowercase();
        if en::BEFORE_KEYS.contains(&word.as_str()) || en::NO_KEYS.contains(&word.as_str()) {
            break;
        }
        start = at;
    }
    let key = text.get(start..end)?;
    (!key.is_empty() && !is_secret_key(key)).then_some(key)
}

/// Finds the keys of `城市为杭州` and `把温度设为30`.
fn in_chinese<'a>(text: &'a str, keys: &mut BTreeMap<usize, &'a str>) {
    let mut seen = BTreeSet::new();
    for tie in zh::KEY_TIES.iter() {
        for (at, _) in text.match_indices(*tie) {
            let end = at + tie.len();
            // Longer ties come first in `zh::KEY_TIES`, so a shorter one with the same end is skipped.
            if !seen.insert(end) {
                continue;
            }
            let is_word = zh::NO_KEY_TIES
                .iter()
                .any(|word| text.get(..end).is_some_and(|past| past.ends_with(word)));
            let is_question = text.get(end..).is_some_and(|rest| rest.starts_with(['否', '不']));
            let mut behind = ValueScan::new(text, end);
            behind.blanks();
            if let Some(key) = run_before(text, at).filter(|_| !is_word && !is_question) {
                keys.insert(behind.at(), key);
            }
        }
    }
}

/// Returns the key before a Chinese tie: a word of letters, or Chinese without the request words before it.
fn run_before(text: &str, end: usize) -> Option<&str> {
    let before = text.get(..end)?.trim_end_matches(' ');
    let last = before.chars().next_back()?;
    let fits = |c: char| if is_chinese(last) { is_chinese(c) } else { is_word(c) || c == '-' };
    let (start, _) = before.char_indices().rev().take(12).take_while(|(_, c)| fits(*c)).last()?;
    let run = before.get(start..)?;
    let lead = run.char_indices().rev().find(|(at, c)| {
        zh::KEY_LEADS.contains(c) && !run.get(*at..).is_some_and(|rest| rest.starts_with("的地"))
    });
    let run = lead.and_then(|(at, c)| run.get(at + c.len_utf8()..)).unwrap_or(run);
    let skipped = if is_chinese(last) { chinese::lead(run) } else { 0 };
    let key = run.get(skipped..)?;
    (!key.is_empty() && !zh::NO_KEYS.contains(&key) && !is_secret_key(key)).then_some(key)
}
