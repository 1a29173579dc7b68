//! Finds JSON in a text, and bracketed lists that are almost JSON.

use super::found_value::{FoundValue, ValueKind};
use super::page::PlainText;
use praxis_core::document::read_json;
use praxis_core::text::pairs::json_end;
use serde_json::Value;

/// The maximum length of a bracketed list that is not JSON, in bytes.
const LONGEST_LIST: usize = 2000;

/// The number of brackets without a value after which the rest of the text is ignored.
const MOST_MISSES: usize = 200;

/// Finds objects and arrays. An object is a single value; the elements of an array are found as well, unless it has
/// objects.
pub(super) fn read(page: &mut PlainText<'_>) {
    let mut found = Vec::new();
    let (text, mut next, mut misses) = (page.text(), 0, 0);
    for (at, _) in text.match_indices(['[', '{']) {
        if at < next || misses > MOST_MISSES {
            continue;
        }
        let Some(rest) = text.get(at..) else { break };
        if let Some((length, value)) = json(rest).or_else(|| plain_list(rest)) {
            next = at + length;
            let kind = if value.is_array() { ValueKind::List } else { ValueKind::Json };
            found.push(FoundValue::new(at, next, kind, value));
        } else {
            misses += 1;
        }
    }
    for said in found {
        if said.kind == ValueKind::Json || has_objects(&said.value) {
            page.take(said);
        } else {
            page.add(said);
        }
    }
}

fn has_objects(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().any(Value::is_object))
}

fn json(rest: &str) -> Option<(usize, Value)> {
    let length = json_end(rest)?;
    Some((length, read_json(rest.get(..length)?).ok()?))
}

/// Parses `[a, b, c]`: a list of texts without quotes, or with quotes that JSON does not allow.
fn plain_list(rest: &str) -> Option<(usize, Value)> {
    let inner = rest.strip_prefix('[')?;
    let inner = inner.get(..inner.floor_char_boundary(LONGEST_LIST)).unwrap_or(inner);
    let end = inner.find(['[', ']', '{', '\n'])?;
    let inner =
        inner.get(..end).filter(|_| rest.get(end + 1..).is_some_and(|r| r.starts_with(']')))?;
    let items: Vec<Value> = inner.split([',', '，', '、']).map(item).collect::<Option<_>>()?;
    (items.len() > 1).then(|| (end + 2, Value::from(items)))
}

fn item(text: &str) -> Option<Value> {
    let text = text.trim();
    let bare = text.trim_matches(['\'', '"', '“', '”', '‘', '’']);
    let number = read_json(text).ok().filter(Value::is_number);
    (!bare.is_empty()).then(|| number.unwrap_or_else(|| bare.into()))
}
