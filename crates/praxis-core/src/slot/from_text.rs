//! Finds values for open fields in a free text.
//!
//! - in: the open fields with their schemas, and the text of a person
//! - out: fitting values of the named fields; a single open field takes the whole text
//! - never: guesses between two fields, or accepts a value that does not fit

use super::coerce::coerced;
use crate::document::read_json;
use crate::pointer::Pointer;
use crate::schema::Schema;
use crate::schema::description::descriptions;
use crate::text::pairs::pairs_with;
use crate::text::phrase::is_chinese;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The rank from which on a key is only a word of the title or description.
const BY_WORDS: usize = 3;

/// Returns the values of the fields that a text names, as `key: value`, `key=value`, `键：值` or a JSON object.
pub fn said(fields: &BTreeMap<Pointer, Value>, text: &str) -> BTreeMap<Pointer, Value> {
    let mut found = BTreeMap::new();
    for (key, value) in named(fields, text) {
        let field = field_of(fields, &key);
        let fitting = field.and_then(|(place, schema)| Some((place, fitting(schema, &value)?)));
        if let Some((place, value)) = fitting {
            found.insert(place.clone(), value);
        }
    }
    let only = fields.iter().next().filter(|_| fields.len() == 1 && found.is_empty());
    if let Some((place, schema)) = only {
        found.extend(coerced(schema, text).map(|value| (place.clone(), value)));
    }
    found
}

/// Returns the keys and values of a text. An open field may have any name, even that of a secret.
fn named(fields: &BTreeMap<Pointer, Value>, text: &str) -> Map<String, Value> {
    let is_asked = |key: &str| {
        let key = plain(key);
        fields.iter().any(|field| rank(field, &key).is_some_and(|rank| rank < BY_WORDS))
    };
    match read_json(text.trim()) {
        Ok(Value::Object(map)) => map,
        Ok(_) | Err(_) => pairs_with(text, &is_asked),
    }
}

fn fitting(schema: &Value, value: &Value) -> Option<Value> {
    let compiled = Schema::with_formats(schema).ok()?;
    match value {
        Value::String(text) => coerced(schema, text),
        Value::Object(_) | Value::Array(_) | Value::Null => {
            compiled.fits(value).then(|| value.clone())
        }
        Value::Bool(_) | Value::Number(_) if compiled.fits(value) => Some(value.clone()),
        Value::Bool(_) | Value::Number(_) => coerced(schema, &value.to_string()),
    }
}

/// Returns the field that a key means: by pointer, name or title, else by a word of its title or description. A key
/// that fits two fields equally well matches none.
fn field_of<'a>(
    fields: &'a BTreeMap<Pointer, Value>,
    key: &str,
) -> Option<(&'a Pointer, &'a Value)> {
    let key = plain(key);
    let mut best: Vec<(usize, (&Pointer, &Value))> = Vec::new();
    for field in fields {
        let Some(rank) = rank(field, &key) else { continue };
        best.retain(|(other, _)| *other <= rank);
        if best.first().is_none_or(|(other, _)| *other == rank) {
            best.push((rank, field));
        }
    }
    best.first().map(|(_, field)| *field).filter(|_| best.len() == 1)
}

/// Returns the rank of a match between a key and a field, 0 for the best, or `None` if they do not match.
fn rank((place, schema): (&Pointer, &Value), key: &str) -> Option<usize> {
    let written = place.as_str();
    let title = note(schema, "title");
    let ways = [
        plain(written) == key || plain(&written.replace('/', ".")) == key,
        plain(&place.name()) == key,
        title.is_some_and(|title| plain(title) == key),
        title.is_some_and(|title| mentions(title, key)),
        mentions(&descriptions(schema), key),
    ];
    ways.iter().position(|it| *it)
}

fn note<'a>(schema: &'a Value, key: &str) -> Option<&'a str> {
    schema.get(key).and_then(Value::as_str)
}

/// Normalises a name: lower case, without separators.
fn plain(name: &str) -> String {
    let name = name.trim_start_matches(['.', '/']).to_lowercase();
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect()
}

/// Returns true if a key is a word of a text. Chinese has no spaces between words, so a substring is enough.
fn mentions(text: &str, key: &str) -> bool {
    if key.chars().all(is_chinese) {
        return key.chars().count() > 1 && text.contains(key);
    }
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| plain(word) == key)
}
