//! The `not_empty` rule of a manifest: a call with an empty output fails.
//!
//! - in: the rule and an output
//! - out: true if the output is empty where the rule requires content
//! - never: treats a number or a boolean as empty

use crate::dataflow::lex::segments;
use crate::dataflow::path::walk;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The part of an output that must not be empty, and the parameters that recovery may drop to find more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotEmpty {
    /// The path of the field, in placeholder syntax: `data.items`. The whole output by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Parameters that only narrow the search, in the order in which recovery may drop them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widen: Vec<String>,
}

impl NotEmpty {
    /// Returns true if the field is missing or [empty](is_empty).
    pub fn is_broken_by(&self, output: &Value) -> bool {
        let Some(field) = &self.field else { return is_empty(output) };
        let found = segments(field).ok().and_then(|path| walk(output, &path).ok());
        found.is_none_or(|found| is_empty(&found))
    }
}

/// Returns true for `null`, blank strings, empty lists and empty objects.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_is_null_and_what_has_nothing_in_it_and_never_a_number() {
        let whole = NotEmpty::default();
        for nothing in [json!(null), json!(" "), json!([]), json!({})] {
            assert!(whole.is_broken_by(&nothing), "{nothing}");
        }
        for something in [json!(0), json!(false), json!([null]), json!({"a": []})] {
            assert!(!whole.is_broken_by(&something), "{something}");
        }
        let field = NotEmpty { field: Some("data.items".to_owned()), widen: vec![] };
        assert!(field.is_broken_by(&json!({"data": {"items": []}, "total": 0})));
        assert!(field.is_broken_by(&json!({"data": {}})), "what is not there is empty");
        assert!(!field.is_broken_by(&json!({"data": {"items": [0]}})));
    }
}
