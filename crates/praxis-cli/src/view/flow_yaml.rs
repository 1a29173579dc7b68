//! Writes a flow as readable YAML: keys in the order of `KEYS`, short values on one line.
//!
//! - in: a flow as a document
//! - out: YAML that parses to the same document
//! - never: leaves a text unquoted that YAML would read as something else

use super::text::width;
use super::yaml::plain_or_quoted;
use praxis_core::flow::write::KEYS;
use serde_json::{Map, Value};

/// Maximum width of a value written on one line.
const MOST_COLUMNS: usize = 78;

/// Formats the flow as YAML.
pub(crate) fn flow_yaml(document: &Value) -> String {
    let mut out = String::new();
    if let Value::Object(map) = document {
        table(map, 0, &mut out);
    }
    out
}

fn table(map: &Map<String, Value>, depth: usize, out: &mut String) {
    for (key, value) in in_order(map) {
        let head = format!("{}{}:", "  ".repeat(depth), plain_or_quoted(key));
        match value {
            Value::Array(items) if is_list_of_lines(key) && !items.is_empty() => {
                out.push_str(&format!("{head}\n"));
                for item in items {
                    entry(item, depth + 1, out);
                }
            }
            value => below(&head, value, depth, out),
        }
    }
}

/// Returns true for the lists of a flow, whose items always get a line each.
fn is_list_of_lines(key: &str) -> bool {
    ["nodes", "before", "after", "edges", "branches"].contains(&key)
}

fn below(head: &str, value: &Value, depth: usize, out: &mut String) {
    if let Some(text) = block_text(value, depth + 1) {
        out.push_str(&format!("{head} {text}"));
        return;
    }
    let line = format!("{head} {}", in_one(value));
    match value {
        Value::Object(map) if !map.is_empty() && !fits(&line, value) => {
            out.push_str(&format!("{head}\n"));
            table(map, depth + 1, out);
        }
        Value::Array(items) if !items.is_empty() && !fits(&line, value) => {
            out.push_str(&format!("{head}\n"));
            for item in items {
                entry(item, depth + 1, out);
            }
        }
        _ => out.push_str(&format!("{line}\n")),
    }
}

/// Writes an item of a list.
fn entry(item: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let line = format!("{indent}- {}", in_one(item));
    match item {
        Value::Object(map) if !map.is_empty() && !fits(&line, item) => {
            let mut inner = String::new();
            table(map, depth + 1, &mut inner);
            // The dash replaces the last indent of the first line.
            let first = inner.get(indent.len() + 2..).unwrap_or_default();
            out.push_str(&format!("{indent}- {first}"));
        }
        _ => out.push_str(&format!("{line}\n")),
    }
}

/// Returns true if a value can be written on one line: it is short and contains no nodes and no multi-line text.
fn fits(line: &str, value: &Value) -> bool {
    let has_nodes = value.get("nodes").is_some() || value.get("branches").is_some();
    width(line) <= MOST_COLUMNS && !has_nodes && !has_lines(value)
}

/// Returns true if the value contains a text of several lines.
fn has_lines(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\n'),
        Value::Array(items) => items.iter().any(has_lines),
        Value::Object(map) => map.values().any(has_lines),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn in_order(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
    pairs.sort_by_key(|(key, _)| KEYS.iter().position(|it| it == key).unwrap_or(KEYS.len()));
    pairs
}

fn in_one(value: &Value) -> String {
    match value {
        Value::String(text) => arrows(text).unwrap_or_else(|| plain_or_quoted(text)),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(in_one).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let pair = |(key, value): (&String, &Value)| {
                format!("{}: {}", plain_or_quoted(key), in_one(value))
            };
            let pairs: Vec<String> = in_order(map).into_iter().map(pair).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns an edge such as `a -> b` unquoted if its node names need no quotes.
fn arrows(text: &str) -> Option<String> {
    let mut stations = text.split(" -> ");
    let is_edge =
        text.contains(" -> ") && stations.all(|station| plain_or_quoted(station) == station);
    is_edge.then(|| text.to_owned())
}

/// Formats a multi-line text as a YAML block, if YAML preserves it exactly.
fn block_text(value: &Value, depth: usize) -> Option<String> {
    let text = value.as_str().filter(|text| text.contains('\n'))?;
    let body = text.strip_suffix('\n').unwrap_or(text);
    let is_plain = |line: &str| !line.chars().any(|c| c.is_control() || c == '\u{feff}');
    let is_kept = !body.ends_with('\n')
        && !body.starts_with([' ', '\n'])
        && !body.is_empty()
        && body.split('\n').all(|line| is_plain(line) && line.trim_end() == line)
        && !text.contains(['\u{2028}', '\u{2029}', '\u{85}']);
    let sign = if text.ends_with('\n') { "|" } else { "|-" };
    let indent = "  ".repeat(depth);
    let line =
        |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") };
    is_kept.then(|| format!("{sign}\n{}", body.split('\n').map(line).collect::<String>()))
}
