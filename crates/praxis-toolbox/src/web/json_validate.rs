//! `json_validate`: validates a value against a JSON Schema.

use crate::error::{BuiltinError, arguments};
use crate::json_text;
use crate::local::CallContext;
use praxis_core::schema::Schema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonValidateArguments {
    value: Value,
    schema: Value,
}

/// Validates the value. A value that does not fit is a result, not a failure.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let JsonValidateArguments { value, schema } = arguments(value)?;
    let schema = json_text::opened("/schema", schema)?;
    let schema = Schema::compile(&schema).map_err(|why| {
        let en = format!("not a valid JSON Schema: {why}");
        BuiltinError::argument("/schema", (en, format!("不是有效的 JSON Schema：{why}")))
    })?;
    let problems: Vec<Value> = schema
        .errors(&value)
        .into_iter()
        .map(|error| json!({"pointer": error.pointer, "detail": error.detail}))
        .collect();
    Ok(json!({"is_valid": problems.is_empty(), "problems": problems}))
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    fn schema() -> Value {
        json!({"type": "object", "required": ["load_mw"], "properties": {"load_mw": {"type": "number"}}})
    }

    #[test]
    fn a_value_that_does_not_fit_is_told_place_by_place() {
        let good = ask("json_validate", json!({"value": {"load_mw": 1}, "schema": schema()}));
        assert_eq!(good, Ok(json!({"is_valid": true, "problems": []})));
        let bad = json!({"value": {"load_mw": "x"}, "schema": schema().to_string()});
        let output = ask("json_validate", bad).unwrap();
        assert_eq!(output["is_valid"], false);
        assert_eq!(output["problems"][0]["pointer"], "/load_mw");
    }

    #[test]
    fn a_schema_that_is_none_or_would_be_fetched_is_refused() {
        for (schema, why) in [
            (json!({"type": "nothing"}), "/schema not a valid JSON Schema"),
            (json!({"$ref": "http://127.0.0.1/x.json"}), "which is not read"),
            (json!({"$ref": "file:///etc/passwd"}), "which is not read"),
            (json!("{"), "/schema not valid JSON:"),
        ] {
            let said = refused(ask("json_validate", json!({"value": 1, "schema": schema})));
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_for_ever_ends_without_harm() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
            json!({"allOf": [{"$ref": "#"}]}),
        ] {
            let _ = ask("json_validate", json!({"value": 1, "schema": schema}));
        }
        let slow = json!({"type": "string", "pattern": "^(a+)+$"});
        let _ = ask("json_validate", json!({"value": "a".repeat(40) + "!", "schema": slow}));
    }
}
