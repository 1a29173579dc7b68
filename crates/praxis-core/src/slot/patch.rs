//! Writes answers into the data.
//!
//! - in: the schema, the data so far, and answers by pointer
//! - out: the data with all answers, or all errors
//! - never: changes its input data, leaves a gap in a list, or accepts an unknown field

use super::inline::standalone;
use super::look::{at, child, is_list};
use crate::field_error::FieldError;
use crate::lang::Bilingual;
use crate::payload::shape;
use crate::pointer::{Pointer, index};
use crate::schema::Schema;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns the data with the answers filled in. Answers may be incomplete, but each must fit the schema of its place.
pub fn patch(
    schema: &Value,
    data: &Value,
    answers: &BTreeMap<Pointer, Value>,
) -> Result<Value, Vec<FieldError>> {
    let mut patched = data.clone();
    let mut problems = Vec::new();
    for (place, tokens) in in_order(answers.keys()) {
        let Some(value) = answers.get(place) else { continue };
        let unfit = misfits(schema, place, tokens.as_deref(), value);
        if !unfit.is_empty() {
            problems.extend(unfit);
        } else if let Err(why) =
            put(schema, schema, &mut patched, &tokens.unwrap_or_default(), value)
        {
            problems.push(FieldError::new(place.as_str(), why));
        }
    }
    if problems.is_empty() { Ok(patched) } else { Err(problems) }
}

/// Sorts places: containers before their contents, list items by number instead of text.
fn in_order<'a>(
    places: impl Iterator<Item = &'a Pointer>,
) -> Vec<(&'a Pointer, Option<Vec<String>>)> {
    let mut places: Vec<_> = places.map(|place| (place, place.tokens())).collect();
    let number = |token: &String| (index(token), token.clone());
    places.sort_by_key(|(_, tokens)| {
        tokens.as_ref().map(|it| it.iter().map(number).collect::<Vec<_>>())
    });
    places
}

/// Returns the reasons why an answer does not fit its place.
fn misfits(
    schema: &Value,
    place: &Pointer,
    tokens: Option<&[String]>,
    value: &Value,
) -> Vec<FieldError> {
    let Some(tokens) = tokens else {
        return vec![FieldError::new(place.as_str(), ("not a JSON Pointer", "不是 JSON Pointer"))];
    };
    let Some(field) = at(schema, schema, tokens) else {
        return vec![FieldError::new(
            place.as_str(),
            ("the schema has no such field", "schema 没有这个字段"),
        )];
    };
    match Schema::with_formats(&standalone(schema, &field)) {
        Ok(field) => {
            let errors = field.errors(value).into_iter();
            errors.map(|error| error.below(place.as_str())).collect()
        }
        Err(why) => vec![FieldError::untranslated(place.as_str(), why)],
    }
}

/// Writes a value at a place and creates missing containers as the schema says.
fn put(
    root: &Value,
    schema: &Value,
    data: &mut Value,
    tokens: &[String],
    value: &Value,
) -> Result<(), Bilingual> {
    let Some((first, rest)) = tokens.split_first() else {
        *data = value.clone();
        return Ok(());
    };
    if data.is_null() {
        *data = if is_list(root, schema) { json!([]) } else { json!({}) };
    }
    let field = child(root, schema, first).unwrap_or_else(|| json!({}));
    let inner = match data {
        Value::Object(map) => map.entry(first.clone()).or_insert(Value::Null),
        Value::Array(items) => slot_of(items, first)?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let words = (
                format!("expected a value that contains `{first}`, got a {}", shape(data)),
                format!("应为包含 `{first}` 的值，实际为 {}", shape(data)),
            );
            return Err(words.into());
        }
    };
    put(root, &field, inner, rest, value)
}

/// Returns the slot of an existing item, or appends a new one.
fn slot_of<'a>(items: &'a mut Vec<Value>, token: &str) -> Result<&'a mut Value, Bilingual> {
    let no_index = || {
        let words =
            (format!("`{token}` is not an index of a list"), format!("`{token}` 不是列表的下标"));
        Bilingual::from(words)
    };
    let index = index(token).ok_or_else(no_index)?;
    let length = items.len();
    if index == length {
        items.push(Value::Null);
    }
    items.get_mut(index).ok_or_else(|| {
        let words = (
            format!("the list has {length} items, and none at index {index}"),
            format!("列表有 {length} 项，没有下标 {index}"),
        );
        words.into()
    })
}

/// Returns the top-level parameters that the answers change, with their new values.
pub fn whole_arguments(
    schema: &Value,
    known: &Value,
    answers: &BTreeMap<Pointer, Value>,
) -> Map<String, Value> {
    let Ok(Value::Object(patched)) = patch(schema, known, answers) else { return Map::new() };
    let changed = |key: &String| {
        answers.keys().any(|it| it.tokens().is_some_and(|tokens| tokens.first() == Some(key)))
    };
    patched.into_iter().filter(|(key, _)| changed(key)).collect()
}
