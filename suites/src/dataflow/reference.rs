//! References in the data: translates them to placeholders, and resolves them independently of the engine.

use super::case::GoldReference;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A piece of a text in the data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ReferencePiece {
    Text(String),
    Read { step: String, path: Vec<String> },
}

/// A function that splits a text of the data into pieces.
pub(crate) type CutReferences<'a> = &'a dyn Fn(&str) -> Vec<ReferencePiece>;

/// Returns the parameters with placeholders, and their references.
pub(crate) fn translate(
    arguments: &Map<String, Value>,
    cut: CutReferences<'_>,
) -> (Map<String, Value>, Vec<GoldReference>) {
    let mut reads = Vec::new();
    let translated = translate_value(&Value::Object(arguments.clone()), "", cut, &mut reads);
    match translated {
        Value::Object(parameters) => (parameters, reads),
        _ => (Map::new(), reads),
    }
}

fn translate_value(
    value: &Value,
    at: &str,
    cut: CutReferences<'_>,
    reads: &mut Vec<GoldReference>,
) -> Value {
    match value {
        Value::String(text) => {
            let pieces = cut(text);
            let written = pieces.iter().map(|piece| match piece {
                ReferencePiece::Text(text) => text.replace("{{", "\\{{").replace("${", "\\${"),
                ReferencePiece::Read { step, path } => {
                    reads.push(GoldReference { pointer: at.to_owned(), producer: step.clone() });
                    placeholder(step, path)
                }
            });
            Value::String(written.collect())
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| translate_value(item, &format!("{at}/{index}"), cut, reads))
            .collect(),
        Value::Object(map) => {
            let inner = map.iter().map(|(key, item)| {
                let token = key.replace('~', "~0").replace('/', "~1");
                (key.clone(), translate_value(item, &format!("{at}/{token}"), cut, reads))
            });
            Value::Object(inner.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Returns a placeholder for a part of a step's output.
pub(crate) fn placeholder(step: &str, path: &[String]) -> String {
    let plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let segments = path.iter().map(|name| match name.parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) if plain(name) => format!(".{name}"),
        Err(_) => format!("[{}]", Value::from(name.as_str())),
    });
    format!("{{{{{step}.outputs{}}}}}", segments.collect::<String>())
}

/// Replaces every reference by the expected output of its producer. A reference that is the whole text keeps its
/// type; inside a text it is formatted.
pub(crate) fn expected(
    value: &Value,
    cut: CutReferences<'_>,
    outputs: &BTreeMap<String, Value>,
) -> Value {
    match value {
        Value::String(text) => {
            let pieces = cut(text);
            if let [ReferencePiece::Read { step, path }] = pieces.as_slice() {
                return look_up(step, path, outputs);
            }
            let shown = pieces.iter().map(|piece| match piece {
                ReferencePiece::Text(text) => text.clone(),
                ReferencePiece::Read { step, path } => match look_up(step, path, outputs) {
                    Value::String(text) => text,
                    other => other.to_string(),
                },
            });
            Value::String(shown.collect())
        }
        Value::Array(items) => items.iter().map(|item| expected(item, cut, outputs)).collect(),
        Value::Object(map) => {
            let inner = map.iter().map(|(key, item)| (key.clone(), expected(item, cut, outputs)));
            Value::Object(inner.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn look_up(step: &str, path: &[String], outputs: &BTreeMap<String, Value>) -> Value {
    let whole = outputs.get(step).unwrap_or(&Value::Null);
    let part = path.iter().try_fold(whole, |value, name| match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        other => other.get(name),
    });
    part.cloned().unwrap_or_default()
}
