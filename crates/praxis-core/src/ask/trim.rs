//! Trims texts and JSON values to a token limit, and keeps their structure.
//!
//! - in: a text or a JSON value, the maximum number of tokens, and a `TokenCounter`
//! - out: the same if it fits, else a shorter one with a marker where it was cut
//! - never: exceeds the limit (unless even an empty string does), produces invalid JSON, or cuts a trimmed value
//!   again

use super::tokens::TokenCounter;
use serde_json::{Map, Value};

/// Marks the place where something was cut off.
pub const MARKER: &str = " ...(context truncated)";
/// The key that stands for the keys that were cut off.
const MORE: &str = "...";
/// A share of one.
const ALL: u64 = 1 << 20;

/// Cuts a text at its end. Returns an empty text if not even the marker fits.
pub fn text(text: &str, most: u64, tokens: &dyn TokenCounter) -> String {
    if tokens.count(text) <= most {
        return text.to_owned();
    }
    let fits = |length: u64| tokens.count(&cut(text, length)) <= most;
    greatest(text.len() as u64, fits).map_or_else(String::new, |length| cut(text, length))
}

/// Trims a value: first its strings, all in the same proportion; then the ends of its arrays; then keys. If nothing
/// of it fits, returns the marker alone, or else an empty string.
pub fn value(value: &Value, most: u64, tokens: &dyn TokenCounter) -> Value {
    let fits = |value: &Value| tokens.count(&value.to_string()) <= most;
    if fits(value) {
        return value.clone();
    }
    let try_all = |shares: &dyn Fn(u64) -> Shares| {
        let share = greatest(ALL, |share| fits(&shares(share).of(value)))?;
        Some(share)
    };
    if let Some(texts) = try_all(&|texts| Shares { texts, ..Shares::WHOLE }) {
        return Shares { texts, ..Shares::WHOLE }.of(value);
    }
    if let Some(lists) = try_all(&|lists| Shares { texts: 0, lists, keys: ALL }) {
        // Dropping whole items leaves some room for longer strings.
        let texts = try_all(&|texts| Shares { texts, lists, keys: ALL }).unwrap_or(0);
        return Shares { texts, lists, keys: ALL }.of(value);
    }
    let keys = try_all(&|keys| Shares { texts: 0, lists: 0, keys });
    let least = || {
        let marker = Value::from(MARKER);
        if fits(&marker) { marker } else { Value::from("") }
    };
    keys.map_or_else(least, |keys| Shares { texts: 0, lists: 0, keys }.of(value))
}

/// The shares of strings, arrays and objects that are kept, in units of [`ALL`].
struct Shares {
    texts: u64,
    lists: u64,
    keys: u64,
}

impl Shares {
    const WHOLE: Self = Self { texts: ALL, lists: ALL, keys: ALL };

    fn of(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => cut(text, part(text.len(), self.texts) as u64).into(),
            Value::Array(items) => self.of_list(items),
            Value::Object(map) => self.of_map(map),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn of_list(&self, items: &[Value]) -> Value {
        let kept = part(items.len(), self.lists);
        let mut cut: Vec<Value> = items.iter().take(kept).map(|item| self.of(item)).collect();
        if kept < items.len() {
            cut.push(MARKER.into());
        }
        Value::Array(cut)
    }

    fn of_map(&self, map: &Map<String, Value>) -> Value {
        let kept = part(map.len(), self.keys);
        let entry = |(key, value): (&String, &Value)| (key.clone(), self.of(value));
        let mut cut: Map<String, Value> = map.iter().take(kept).map(entry).collect();
        if kept < map.len() {
            cut.insert(MORE.to_owned(), MARKER.into());
        }
        Value::Object(cut)
    }
}

fn part(whole: usize, share: u64) -> usize {
    let part = (whole as u128 * u128::from(share)) / u128::from(ALL);
    usize::try_from(part).unwrap_or(whole)
}

/// Returns the first `length` bytes and the marker, or the text itself if that is not longer.
fn cut(text: &str, length: u64) -> String {
    let length = usize::try_from(length).unwrap_or(text.len());
    if length.saturating_add(MARKER.len()) >= text.len() {
        return text.to_owned();
    }
    let end = (0..=length).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}{MARKER}", text.get(..end).unwrap_or_default())
}

/// Finds the greatest number up to `most` that fits, with a precision of 0.1 %. `None` if not even zero fits.
fn greatest(most: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    if !fits(0) {
        return None;
    }
    let (mut good, mut bad) = (0, most.saturating_add(1));
    while bad - good > 1.max(good / 1000) {
        let middle = good + (bad - good) / 2;
        if fits(middle) { good = middle } else { bad = middle }
    }
    Some(good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::tokens::Estimate;
    use serde_json::json;

    fn to(value: &Value, most: u64) -> Value {
        super::value(value, most, &Estimate::default())
    }

    #[test]
    fn a_text_that_is_too_long_ends_in_the_marker_and_one_that_fits_is_left() {
        let cut = text(&"word ".repeat(100), 20, &Estimate::default());
        assert_eq!(cut, format!("{}{MARKER}", &"word ".repeat(12)[..57]));
        assert_eq!(text("short", 20, &Estimate::default()), "short");
        assert_eq!(text("longer than this", 1, &Estimate::default()), "");
        let chinese = text(&"预测".repeat(30), 16, &Estimate::default());
        assert_eq!(chinese, format!("{}{MARKER}", "预测".repeat(5)));
    }

    #[test]
    fn texts_are_cut_in_proportion_and_everything_else_stays() {
        let log = json!({"id": 7, "ok": true, "log": "x".repeat(4000), "note": "y".repeat(400)});
        let cut = to(&log, 200);
        let length = |key: &str| cut[key].as_str().unwrap().len() - MARKER.len();
        assert_eq!((&cut["id"], &cut["ok"]), (&json!(7), &json!(true)));
        assert!(length("log").abs_diff(10 * length("note")) <= 10, "{cut}");
        assert!(length("log") > 500, "no more is cut than must be: {cut}");
    }

    #[test]
    fn a_long_list_loses_its_end_and_a_wide_object_its_last_keys() {
        let numbers = json!({"rows": (0..1000).collect::<Vec<_>>(), "unit": "MW"});
        let cut = to(&numbers, 60);
        let rows = cut["rows"].as_array().unwrap();
        assert_eq!(rows.last(), Some(&json!(MARKER)));
        assert_eq!((&rows[0], &rows[1], &cut["unit"]), (&json!(0), &json!(1), &json!("MW")));
        let wide: Map<String, Value> = (0..500).map(|n| (format!("k{n:03}"), n.into())).collect();
        let cut = to(&wide.into(), 40);
        assert_eq!((&cut["k000"], &cut["..."]), (&json!(0), &json!(MARKER)));
        assert_eq!(to(&json!(["a"]), 0), json!(""));
    }
}
