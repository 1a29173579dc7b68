//! Converts the text of a person to the type that a schema wants.
//!
//! - in: the schema of a field, and a text
//! - out: a fitting value with the same meaning, or `None`
//! - never: guesses a word, loses a digit, or invents the offset of a time

use super::look::parts;
use crate::schema::Schema;
use crate::schema::coerce::{candidates, date};
use serde_json::{Map, Value, json};

const YES: [&str; 12] =
    ["true", "yes", "y", "on", "ok", "是", "是的", "对", "真", "开", "要", "好"];
const NO: [&str; 11] = ["false", "no", "n", "off", "否", "不是", "不", "错", "假", "关", "不要"];
/// Separators between list items.
const BETWEEN: &[char] = &[',', '，', '、', ';', '；', '\n'];
/// The maximum nesting of lists.
const DEEPEST: usize = 4;

/// Converts a text to a value that fits the schema.
pub fn coerced(schema: &Value, text: &str) -> Option<Value> {
    within(schema, text, DEEPEST)
}

fn within(schema: &Value, text: &str, deep: usize) -> Option<Value> {
    let (text, deep) = (text.trim(), deep.checked_sub(1)?);
    let compiled = Schema::with_formats(schema).ok().filter(|_| !text.is_empty())?;
    let said = Value::from(text);
    let plain = Value::from(half_width(text));
    let parts = parts(schema, schema);
    let mut meant: Vec<Value> = Vec::new();
    if may_be(&parts, &["integer", "number", "boolean"]) {
        meant.extend(candidates(&plain, schema, false).into_iter().find(is_scalar));
    }
    meant.push(said.clone());
    meant.extend(truth(&parts, text));
    meant.extend(only_word(&parts, text));
    meant.extend(moment(text).map(Value::from));
    meant.extend(items(schema, &parts, text, deep));
    meant.extend(candidates(&plain, schema, false));
    meant.into_iter().find(|value| compiled.fits(value))
}

fn is_scalar(value: &Value) -> bool {
    value.is_number() || value.is_boolean()
}

/// Returns true if the schema's `type` names one of these kinds.
fn may_be(parts: &[&Map<String, Value>], kinds: &[&str]) -> bool {
    let named = |kind: &Value| kind.as_str().is_some_and(|kind| kinds.contains(&kind));
    let mut types = parts.iter().filter_map(|part| part.get("type"));
    types.any(|kind| kind.as_array().map_or_else(|| named(kind), |all| all.iter().any(named)))
}

/// Converts words for yes and no to a boolean.
fn truth(parts: &[&Map<String, Value>], text: &str) -> Option<Value> {
    let text = text.trim_end_matches(['.', '。', '!', '！']).to_lowercase();
    let word = text.as_str();
    let found = YES.contains(&word).then_some(true).or(NO.contains(&word).then_some(false))?;
    may_be(parts, &["boolean"]).then(|| json!(found))
}

/// Returns the value of `const` if the text equals it except for case.
fn only_word(parts: &[&Map<String, Value>], text: &str) -> Option<Value> {
    let only = parts.iter().find_map(|part| part.get("const"))?;
    let same = only.as_str().is_some_and(|word| word.to_lowercase() == text.to_lowercase());
    same.then(|| only.clone())
}

/// Converts `2026/3/2 14:30Z` to `2026-03-02T14:30:00Z`. A time without an offset is ambiguous and not converted.
fn moment(text: &str) -> Option<String> {
    let (day, time) = text.split_once([' ', 'T', 't'])?;
    let time = time.trim().replace(' ', "").replace('z', "Z");
    let at = time.find(['Z', '+', '-'])?;
    let (clock, offset) = time.split_at_checked(at)?;
    let clock =
        if clock.matches(':').count() == 1 { format!("{clock}:00") } else { clock.to_owned() };
    Some(format!("{}T{clock}{offset}", date(day)?))
}

/// Splits a text into list items and converts each to the item type.
fn items(schema: &Value, parts: &[&Map<String, Value>], text: &str, deep: usize) -> Option<Value> {
    let item = parts.iter().find_map(|part| part.get("items")).filter(|item| !item.is_array());
    let alone = item.map_or_else(|| json!({}), |item| super::inline::standalone(schema, item));
    let is_list = may_be(parts, &["array"]) && !text.starts_with(['[', '{']);
    let said = text.split(BETWEEN).map(str::trim).filter(|part| !part.is_empty());
    let items = || said.map(|part| within(&alone, part, deep)).collect::<Option<Vec<_>>>();
    is_list.then(items)?.map(Value::Array)
}

/// Converts full-width digits and signs to ASCII.
fn half_width(text: &str) -> String {
    let narrow = |c: char| match c {
        '０'..='９' | '．' | '－' | '＋' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        other => other,
    };
    text.chars().map(narrow).collect()
}
