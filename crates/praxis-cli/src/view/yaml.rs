//! Writes a plan as YAML that people can read and edit.
//!
//! - in: a JSON value
//! - out: YAML that parses to the same value
//! - never: a bare string that YAML would parse as another type; such a string is quoted as in JSON

use serde_json::Value;

/// Keys written first; the others keep their order.
const FIRST: [&str; 8] = [
    "plan_id",
    "plan_description",
    "step_id",
    "action_id",
    "step_name",
    "name",
    "tool",
    "depends_on",
];

/// Formats a value as YAML.
pub(crate) fn yaml(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => block(value, 0, &mut out),
        Value::Array(items) if !items.is_empty() => block(value, 0, &mut out),
        scalar => out.push_str(&format!("{}\n", inline(scalar))),
    }
    out
}

fn block(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
            pairs.sort_by_key(|(key, _)| {
                FIRST.iter().position(|it| it == key).unwrap_or(FIRST.len())
            });
            for (key, inner) in pairs {
                out.push_str(&format!("{indent}{}:", plain_or_quoted(key)));
                below(inner, depth, out);
            }
        }
        Value::Array(items) => {
            for item in items {
                let mut inner = String::new();
                match item {
                    Value::Object(map) if !map.is_empty() => block(item, depth + 1, &mut inner),
                    other => inner.push_str(&format!("{indent}  {}\n", flow(other))),
                }
                // The dash takes the place of the last two columns of the first line's indent.
                let first = inner.get(indent.len() + 2..).unwrap_or_default();
                out.push_str(&format!("{indent}- {first}"));
            }
        }
        scalar => out.push_str(&format!("{indent}{}\n", inline(scalar))),
    }
}

fn below(value: &Value, depth: usize, out: &mut String) {
    let is_long = match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        _ => false,
    };
    if is_long {
        out.push('\n');
        block(value, depth + 1, out);
    } else {
        out.push_str(&format!(" {}\n", flow(value)));
    }
}

/// Formats a value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, inner)| format!("{}: {}", quoted(key), flow(inner)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        scalar => inline(scalar),
    }
}

fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => plain_or_quoted(text),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Writes a string without quotes only if no YAML reader can take it for another type.
pub(super) fn plain_or_quoted(text: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let is_word = text.chars().next().is_some_and(char::is_alphabetic)
        && text.chars().all(|c| word(c) || matches!(c, '-' | '.' | '/' | ' '))
        && text.chars().last().is_some_and(word);
    let lower = text.to_lowercase();
    let means = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    if is_word && !means.contains(&lower.as_str()) { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use praxis_core::document::{DocumentFormat, read};
    use serde_json::json;

    #[test]
    fn what_is_written_reads_as_the_same_value() {
        let plans = [
            json!({"plan_description": "对 load.csv 做预测: 明天", "steps": [
                {"step_id": "a", "tool": "look", "parameters": {}, "depends_on": []},
                {"step_id": "b", "parameters": {"from": "{{a.outputs.from}}", "n": 1.5, "deep": {"x": [1, {"y": null}]}},
                 "depends_on": ["a"], "note": "no", "t": "line\nbreak # not a comment", "z": "- x", "e": ""}]}),
            json!([[1, 2], ["true", true], {}]),
            json!({"1": "2", "yes": "~", "a b": "c: d", "q": "\"'", "u": "\u{7}\u{2028}"}),
            json!("text"),
            json!([{"a": [{"b": [{"c": 1}]}]}]),
        ];
        for plan in plans {
            let written = yaml(&plan);
            let found = read(written.as_bytes(), DocumentFormat::Yaml);
            assert_eq!(found.ok().as_ref(), Some(&plan), "{written}");
        }
    }
}
