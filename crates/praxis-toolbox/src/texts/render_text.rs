//! `render_text`: fills `{name}` placeholders in a text.

use super::bound;
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use crate::wording::did_you_mean;
use praxis_core::near::near;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RenderTextArguments {
    template: String,
    values: Map<String, Value>,
    #[serde(default)]
    missing: MissingNames,
}

/// The treatment of a name without a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MissingNames {
    #[default]
    Error,
    Keep,
    Empty,
}

/// Fills every placeholder; placeholders inside of values are not filled.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let RenderTextArguments { template, values, missing } = arguments(value)?;
    bound::check("/template", &template)?;
    let mut text = String::new();
    let mut filled = 0_usize;
    let mut rest = template.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let hole = after.split_once('}').filter(|(name, _)| is_name(name));
        let Some((name, tail)) = hole else {
            text.push('{');
            rest = after;
            continue;
        };
        match (values.get(name), missing) {
            (Some(value), _) => {
                text.push_str(&shown(value));
                filled += 1;
            }
            (None, MissingNames::Error) => return Err(unknown(name, &values)),
            (None, MissingNames::Keep) => text.push_str(&format!("{{{name}}}")),
            (None, MissingNames::Empty) => {}
        }
        bound::check("/values", &text)?;
        rest = tail;
    }
    text.push_str(rest);
    Ok(json!({"rendered_text": text, "filled_count": filled}))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// Converts a value to text: a string as it is, `null` as nothing, any other value as JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

fn unknown(name: &str, values: &Map<String, Value>) -> BuiltinError {
    let meant = near(name, values.keys().map(String::as_str));
    let hint = if meant.is_empty() {
        let en = "add it to `values`, or set `missing` to `keep` or `empty`";
        (en, "请在 `values` 中给出，或将 `missing` 设为 `keep` 或 `empty`").into()
    } else {
        did_you_mean(&meant)
    };
    let en = format!("the placeholder `{{{name}}}` has no value; {}", hint.en);
    let zh = format!("占位符 `{{{name}}}` 没有值；{}", hint.zh);
    BuiltinError::argument("/values", (en, zh))
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn filled(template: &str, values: Value, missing: &str) -> Value {
        let asked = json!({"template": template, "values": values, "missing": missing});
        ask("render_text", asked).unwrap()["rendered_text"].clone()
    }

    #[test]
    fn names_are_filled_in_once_and_other_braces_stay() {
        let values = json!({"城市": "杭州", "n": 3, "list": [1, "a"], "none": null, "b": "{n}"});
        let template = "{城市}: {n} {list} [{none}] {b} {} {not a name} {n";
        let expected = "杭州: 3 [1,\"a\"] [] {n} {} {not a name} {n";
        assert_eq!(filled(template, values, "error"), expected);
    }

    #[test]
    fn a_name_without_a_value_is_an_error_kept_or_left_out() {
        assert_eq!(filled("a {b} c", json!({}), "keep"), "a {b} c");
        assert_eq!(filled("a {b} c", json!({}), "empty"), "a  c");
        let why = |template: &str| {
            let asked = json!({"template": template, "values": {"amount": 1}});
            refused(ask("render_text", asked))
        };
        assert_eq!(
            why("{amuont}"),
            "/values the placeholder `{amuont}` has no value; did you mean `amount`?"
        );
        assert!(
            why("{x}").ends_with("; add it to `values`, or set `missing` to `keep` or `empty`")
        );
    }
}
