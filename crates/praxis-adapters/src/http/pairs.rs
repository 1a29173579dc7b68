//! Pairs of names and values: a query, a form.
//!
//! - in: values, or templates and the arguments that fill them
//! - out: pairs of strings, ordered by name
//! - never: drops a pair that has a value, or sends an object as text

use super::request::{FilledTemplate, fill_value};
use praxis_core::problem::Bilingual;
use serde_json::Value;
use std::collections::BTreeMap;

/// Name-value pairs, not yet encoded.
pub(crate) type UrlPairs = Vec<(String, String)>;

/// Fills the templates. A pair whose argument is missing or `null` is left out.
pub(super) fn filled(
    templates: &BTreeMap<String, Value>,
    arguments: &Value,
) -> Result<UrlPairs, Bilingual> {
    let mut pairs = UrlPairs::new();
    for (name, template) in templates {
        let listed = template.as_array().map_or(std::slice::from_ref(template), Vec::as_slice);
        for template in listed {
            if let FilledTemplate::With(value) = fill_value(template, arguments)? {
                push(&mut pairs, name, &value)?;
            }
        }
    }
    Ok(pairs)
}

/// Converts literal values to pairs.
pub(crate) fn plain(values: &BTreeMap<String, Value>) -> Result<UrlPairs, Bilingual> {
    let mut pairs = UrlPairs::new();
    for (name, value) in values {
        push(&mut pairs, name, value)?;
    }
    Ok(pairs)
}

/// Appends a value: a list repeats the name, `null` adds no pair.
fn push(pairs: &mut UrlPairs, name: &str, value: &Value) -> Result<(), Bilingual> {
    let listed = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    for value in listed {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null => continue,
            Value::Array(_) | Value::Object(_) => {
                let en =
                    format!("`{name}` must be a string, a number, a boolean or a list of these");
                return Err(
                    (en, format!("`{name}` 必须是字符串、数字、布尔值或由它们组成的列表")).into()
                );
            }
        };
        pairs.push((name.to_owned(), text));
    }
    Ok(())
}

/// Encodes the pairs as a URL-encoded form.
pub(super) fn encoded(pairs: &UrlPairs) -> String {
    // A dummy URL encodes the pairs: a form is encoded like a query.
    let Ok(mut url) = reqwest::Url::parse("http://form.invalid/") else { return String::new() };
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn templates(value: Value) -> BTreeMap<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_pair_without_its_argument_is_left_out_and_a_list_repeats_its_name() {
        let written = templates(json!({
            "a": "{a}", "b": "from {a} to {gone}", "c": ["{list}", "x", "{gone}"], "d": "{none}", "e": true, "f": 1.5,
        }));
        let arguments = json!({"a": "1 &=杭", "list": [1, null, false], "none": null});
        let pairs = filled(&written, &arguments).unwrap();
        assert_eq!(encoded(&pairs), "a=1+%26%3D%E6%9D%AD&c=1&c=false&c=x&e=true&f=1.5");
        for bad in [json!({"a": {"b": 1}}), json!({"a": [[1]]})] {
            assert!(plain(&templates(bad.clone())).is_err());
            assert!(filled(&templates(json!({"x": "{a}"})), &bad).is_err());
        }
    }
}
