//! Extracts `key: value`, `key=value` and `键：值` pairs from the text of a request.
//!
//! - in: a text written by a person
//! - out: keys with typed values: numbers, booleans, lists, objects, quoted strings, paths, plain text
//! - never: reads an address, a time, a comparison or a secret as a pair

use super::phrase::{is_chinese, is_word};
use crate::document::read_json;
use crate::mask::is_secret_key;
use serde_json::{Map, Value};
use std::ops::Range;

/// Maximum number of pairs in one text.
const MOST: usize = 200;
/// Maximum length of a key, in characters.
const LONGEST_KEY: usize = 32;
/// Labels that introduce the request itself and are not keys of values.
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
/// Characters that end an unquoted value.
const ENDS: &[char] = &[',', '，', ';', '；', '。', '！', '？', '、', '\n', '\t', '）', ')'];
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('「', '」'), ('《', '》')];

/// Predicate that is true for a key that the caller asked for.
type IsWantedKey<'a> = &'a dyn Fn(&str) -> bool;

/// Returns the pairs of a text. The last value of a repeated key wins.
pub fn pairs(text: &str) -> Map<String, Value> {
    pairs_with(text, &|_| false)
}

/// Returns the pairs of a text. A key that was asked for is accepted even if it is a label or names a secret.
pub fn pairs_with(text: &str, is_asked: IsWantedKey<'_>) -> Map<String, Value> {
    let mut found = Map::new();
    let mut from = 0;
    while let Some(pair) = next_pair(text, from, is_asked).filter(|_| found.len() < MOST) {
        from = pair.end;
        found.insert(pair.key.to_owned(), pair.value);
    }
    found
}

/// One pair and its position in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextPair<'a> {
    pub key: &'a str,
    /// Byte offset of the key.
    pub at: usize,
    pub value: Value,
    /// Byte range of the value, including its quotes.
    pub span: Range<usize>,
    /// Byte offset at which to continue.
    pub end: usize,
}

/// Returns the first pair at or after `from`.
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

/// Returns the key before the `:` or `=` at `sign`, and its offset. A key is one word or one run of Chinese.
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
    let is_key = fits && !is_barred && !is_not_pair(text, key, sign);
    is_key.then_some((from + before.len() - key.len(), key))
}

/// Returns true for `https://…`, `C:\…`, `a := b` and `a == b`, which contain `:` or `=` but no pair.
fn is_not_pair(text: &str, key: &str, sign: usize) -> bool {
    let after = text.get(after_sign(text, sign)..).unwrap_or_default();
    let drive = key.len() == 1 && after.starts_with(['\\', '/']);
    !is_equals(text, sign) && (after.starts_with("//") || drive) || after.starts_with(is_sign)
}

/// Returns the end of the URL whose `://` is at `sign`, so that its query string is not read as pairs.
fn end_of_address(text: &str, sign: usize) -> Option<usize> {
    let after = text.get(sign..).filter(|rest| rest.starts_with("://"))?;
    let ends = |c: char| c.is_whitespace() || is_chinese(c) || ENDS.contains(&c);
    Some(sign + after.find(ends).unwrap_or(after.len()))
}

/// Returns the value after the `:` or `=` at `sign`, its range, and the offset at which to continue.
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
        let end = json_end(value)?;
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

/// Returns the end of the JSON value at the start of a text.
pub fn json_end(value: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// Returns the end of an unquoted value: at punctuation or before the next pair. Only plain text after a colon may
/// contain blanks.
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

/// Parses a number or a boolean that keeps its exact value; anything else is text.
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
