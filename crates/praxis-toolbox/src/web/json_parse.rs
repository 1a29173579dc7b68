//! `json_parse`: parses a JSON text strictly.

use crate::error::{BuiltinError, arguments};
use crate::json_text;
use crate::local::CallContext;
use praxis_core::payload::shape;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonParseArguments {
    text: String,
}

/// Parses the text; duplicate keys and numbers that would be rounded are errors.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let JsonParseArguments { text } = arguments(value)?;
    let value = json_text::read("/text", &text)?;
    let size = value.as_array().map(Vec::len).or(value.as_object().map(serde_json::Map::len));
    Ok(json!({"kind": shape(&value), "size": size, "parsed_value": value}))
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::json;

    #[test]
    fn a_text_becomes_its_value() {
        let parsed = ask("json_parse", json!({"text": " [1, {\"a\": null}] "}));
        let expected = json!({"kind": "array", "size": 2, "parsed_value": [1, {"a": null}]});
        assert_eq!(parsed, Ok(expected));
        let scalar = ask("json_parse", json!({"text": "\"x\""}));
        assert_eq!(scalar, Ok(json!({"kind": "string", "size": null, "parsed_value": "x"})));
    }

    #[test]
    fn what_is_no_json_or_would_be_changed_by_reading_it_is_refused() {
        for text in
            ["{a: 1}", "", "{\"a\": 1, \"a\": 2}", "123456789012345678901234567890", "[1] 2"]
        {
            let why = refused(ask("json_parse", json!({"text": text})));
            assert!(why.starts_with("/text not valid JSON: "), "{why}");
        }
        let deep = "[".repeat(5000) + &"]".repeat(5000);
        assert!(refused(ask("json_parse", json!({"text": deep}))).contains("nested deeper"));
    }
}
