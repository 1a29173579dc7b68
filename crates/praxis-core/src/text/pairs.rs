//! Finds `key: value`, `key=value` and `键：值` in the words of a request.
//!
//! - in: a text that a person wrote
//! - out: names with typed values: numbers, booleans, lists and objects, quoted texts, paths, words
//! - never: takes an address, a time, a comparison or a secret for a pair

use super::phrase::{is_chinese, is_word};
use crate::document::read_json;
use crate::mask::is_secret_key;
use serde_json::{Map, Value};
use std::ops::Range;

/// The most pairs of one text.
const MOST: usize = 200;
/// The longest key, in characters.
const LONGEST_KEY: usize = 32;
/// What begins the request itself and names no value of it.
const LABELS: [&str; 12] = [
    "意图",
    "用户输入",
    "任务",
    "目标",
    "需求",
    "请求",
    "intent",
    "input",
    "task",
    "goal",
    "request",
    "note",
];
/// What ends a value that is not in quotes.
const ENDS: &[char] = &[',', '，', ';', '；', '。', '！', '？', '、', '\n', '\t', '）', ')'];
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('「', '」'), ('《', '》')];

/// Whether a key is one that was asked for.
type IsWantedKey<'a> = &'a dyn Fn(&str) -> bool;

/// The pairs of a text. Of two with one key the later one counts.
pub fn pairs(text: &str) -> Map<String, Value> {
    pairs_with(text, &|_| false)
}

/// The pairs of a text in which some keys are asked for, so that they count even if they are such as begin
/// a request or name a secret.
pub fn pairs_with(text: &str, is_asked: IsWantedKey<'_>) -> Map<String, Value> {
    let mut found = Map::new();
    let mut from = 0;
    while let Some(pair) = next_pair(text, from, is_asked).filter(|_| found.len() < MOST) {
        from = pair.end;
        found.insert(pair.key.to_owned(), pair.value);
    }
    found
}

/// One pair, and where it stands in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextPair<'a> {
    pub key: &'a str,
    /// Where the key begins.
    pub at: usize,
    pub value: Value,
    /// Where the value begins and ends, with its quotes.
    pub span: Range<usize>,
    /// Where the text goes on.
    pub end: usize,
}

/// The first pair of a text behind a place.
pub fn next_pair<'a>(
    text: &'a str,
    from: usize,
    is_asked: IsWantedKey<'_>,
) -> Option<TextPair<'a>> {
    let mut from = from;
    while let Some(sign) = next_sign(text, from) {
        let pair = key_before(text, from, sign, is_asked).and_then(|(at, key)| {
            let (value, span, end) = value_after(text, sign, is_asked)?;
            Some(TextPair { key, at, value, span, end })
        });
        if pair.is_some() {
            return pair;
        }
        from = end_of_address(text, sign).unwrap_or_else(|| after_sign(text, sign));
    }
    None
}

fn is_sign(c: char) -> bool {
    matches!(c, ':' | '：' | '=' | '＝')
}

fn next_sign(text: &str, from: usize) -> Option<usize> {
    Some(from + text.get(from..)?.find(is_sign)?)
}

fn after_sign(text: &str, sign: usize) -> usize {
    let length = text.get(sign..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    sign + length
}

fn is_equals(text: &str, sign: usize) -> bool {
    text.get(sign..).is_some_and(|rest| rest.starts_with(['=', '＝']))
}

/// The name that ends before a sign, and where it begins: one word, or one run of Chinese.
fn key_before<'a>(
    text: &'a str,
    from: usize,
    sign: usize,
    is_asked: IsWantedKey<'_>,
) -> Option<(usize, &'a str)> {
    let before = text.get(from..sign)?.trim_end_matches(' ');
    let last = before.chars().next_back()?;
    let goes_on = |c: char| if is_chinese(last) { is_chinese(c) } else { is_word(c) || c == '-' };
    let start = before.rfind(|c| !goes_on(c)).map_or(0, |at| after_sign(before, at));
    let key = before.get(start..)?.trim_start_matches('-');
    let begins = key.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_label = LABELS.iter().any(|label| key.eq_ignore_ascii_case(label));
    let is_barred = (is_label || is_secret_key(key)) && !is_asked(key);
    let fits = begins && key.chars().count() <= LONGEST_KEY;
    let is_key = fits && !is_barred && !is_address(text, key, sign);
    is_key.then_some((from + before.len() - key.len(), key))
}

/// `https://…` and `C:\…` have a sign and are no pair; nor are `a := b` and `a == b`.
fn is_address(text: &str, key: &str, sign: usize) -> bool {
    let after = text.get(after_sign(text, sign)..).unwrap_or_default();
    let drive = key.len() == 1 && after.starts_with(['\\', '/']);
    !is_equals(text, sign) && (after.starts_with("//") || drive) || after.starts_with(is_sign)
}

/// Where the address ends that has this sign in it, if it is one. What looks like pairs in it is not.
fn end_of_address(text: &str, sign: usize) -> Option<usize> {
    let after = text.get(sign..).filter(|rest| rest.starts_with("://"))?;
    let ends = |c: char| c.is_whitespace() || is_chinese(c) || ENDS.contains(&c);
    Some(sign + after.find(ends).unwrap_or(after.len()))
}

/// The value after a sign, where it stands, and where the text goes on; none if there is none.
fn value_after(
    text: &str,
    sign: usize,
    is_asked: IsWantedKey<'_>,
) -> Option<(Value, Range<usize>, usize)> {
    let after = text.get(after_sign(text, sign)..)?;
    let value = after.trim_start_matches([' ', '\u{3000}']);
    let start = text.len() - value.len();
    if let Some((inner, end)) = quoted(value) {
        return Some((Value::from(inner), start..start + end, start + end));
    }
    if value.starts_with(['[', '{']) {
        let end = bracketed(value)?;
        return Some((read_json(value.get(..end)?).ok()?, start..start + end, start + end));
    }
    let end = plain_end(value, is_equals(text, sign), is_asked);
    let words = value.get(..end)?.trim_end();
    let words = words.strip_suffix('.').unwrap_or(words);
    (!words.is_empty()).then(|| (typed(words), start..start + words.len(), start + end))
}

fn quoted(value: &str) -> Option<(&str, usize)> {
    let first = value.chars().next()?;
    let (_, close) = QUOTES.into_iter().find(|(open, _)| *open == first)?;
    let inner = value.get(first.len_utf8()..)?;
    let end = inner.find(close)?;
    Some((inner.get(..end)?, first.len_utf8() + end + close.len_utf8()))
}

/// Where the JSON at the beginning of a text ends.
pub fn bracketed(value: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// Where a value without quotes ends: at a sign of punctuation, before the next pair, and at a blank
/// unless it is a text of several words after a colon.
fn plain_end(value: &str, after_equals: bool, is_asked: IsWantedKey<'_>) -> usize {
    let end = value.find(ENDS).unwrap_or(value.len());
    let end = value.get(..end).and_then(|part| part.find(". ")).unwrap_or(end);
    let line = value.get(..end).unwrap_or(value);
    let first = line.split(' ').next().unwrap_or(line);
    let is_path = first.starts_with(['/', '~', '.']) || first.contains(['/', '\\']);
    if after_equals || is_path || !typed(first).is_string() {
        return first.len();
    }
    let mut from = 0;
    while let Some(sign) = next_sign(line, from) {
        match key_before(line, from, sign, is_asked) {
            Some((start, _)) if start > 0 => return start,
            Some(_) | None => from = after_sign(line, sign),
        }
    }
    end
}

/// A number or a boolean where the words are one that can be kept exactly; else text.
fn typed(words: &str) -> Value {
    match read_json(words) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        Ok(Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_)) | Err(_) => {
            Value::from(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pairs_are_found_with_their_types_in_both_languages() {
        for (text, expected) in [
            ("对杭州做负荷预测，文件路径: /data/load.csv", json!({"文件路径": "/data/load.csv"})),
            (
                "file_path=/data/a.csv days=7 dry=true",
                json!({"file_path": "/data/a.csv", "days": 7, "dry": true}),
            ),
            (
                "城市：杭州，倍率：1.5；备注：“a, b”",
                json!({"城市": "杭州", "倍率": 1.5, "备注": "a, b"}),
            ),
            ("city: New York, days: 7.", json!({"city": "New York", "days": 7})),
            ("city: New York days: 7", json!({"city": "New York", "days": 7})),
            (
                "zip: 007, big: 123456789012345678901",
                json!({"zip": "007", "big": "123456789012345678901"}),
            ),
            (
                "ids=[1, 2] x={\"a\": \"b,c\"} y='z w'",
                json!({"ids": [1, 2], "x": {"a": "b,c"}, "y": "z w"}),
            ),
            ("文件: /data/load.csv 预测未来24小时", json!({"文件": "/data/load.csv"})),
            ("设置project_id=p1", json!({"project_id": "p1"})),
            ("a: 1. b: x.y. c: 3.", json!({"a": 1, "b": "x.y", "c": 3})),
            ("a=1, a=2", json!({"a": 2})),
        ] {
            assert_eq!(Value::Object(pairs(text)), expected, "{text}");
        }
    }

    #[test]
    fn addresses_times_comparisons_labels_and_secrets_are_no_pairs() {
        for text in [
            "see https://example.org:8080/x?a=1&b=2",
            "at 12:30",
            "x == 3",
            "a := 3",
            "a >= 3",
            "C:\\data",
            "任务: 做事",
            "Note: be quick",
            "password: abc",
            "API_KEY=sk-1",
            "key:",
            "=3",
            "：",
            "a: ,",
            "x=[1, 2",
            "",
            "意图: 负荷预测",
        ] {
            assert_eq!(pairs(text), Map::new(), "{text}");
        }
        assert_eq!(
            Value::Object(pairs("url: https://a.b/c, n: 1")),
            json!({"url": "https://a.b/c", "n": 1})
        );
        assert_eq!(Value::Object(pairs("at: 12:30")), json!({"at": "12:30"}));
    }
}
