//! Schemas and their words, in both languages.

use super::*;
use serde_json::json;

/// A schema, and what is said of it in English and in Chinese.
type Row = (Value, &'static str, &'static str);

fn texts() -> Vec<Row> {
    vec![
        (json!(true), "any value", "任意值"),
        (json!({}), "any value", "任意值"),
        (json!({"type": "string"}), "text", "文本"),
        (json!({"type": "string", "minLength": 1}), "text", "文本"),
        (
            json!({"type": "string", "minLength": 2, "maxLength": 5}),
            "text of 2 to 5 characters",
            "2 到 5 个字符的文本",
        ),
        (
            json!({"type": "string", "maxLength": 9}),
            "text of at most 9 characters",
            "至多 9 个字符的文本",
        ),
        (
            json!({"type": "string", "pattern": "^[A-Z]$"}),
            "text matching ^[A-Z]$",
            "符合 ^[A-Z]$ 的文本",
        ),
        (
            json!({"type": "string", "format": "date"}),
            "a date like 2027-01-31",
            "日期（如 2027-01-31）",
        ),
        (
            json!({"type": "string", "format": "date-time"}),
            "a time like 2027-01-31T08:30:00Z",
            "时间（如 2027-01-31T08:30:00Z）",
        ),
        (json!({"type": "string", "format": "uuid"}), "text in uuid format", "uuid 格式的文本"),
    ]
}

fn others() -> Vec<Row> {
    vec![
        (json!({"type": "integer"}), "a whole number", "整数"),
        (
            json!({"type": "integer", "minimum": 1}),
            "a whole number of at least 1",
            "不小于 1 的整数",
        ),
        (
            json!({"type": "number", "minimum": 0, "maximum": 2}),
            "a number from 0 to 2",
            "0 到 2 的数字",
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
            "a number above 0 and below 1",
            "大于 0 且小于 1 的数字",
        ),
        (json!({"type": "boolean"}), "yes or no", "是或否"),
        (json!({"enum": ["a", "b", 3]}), "one of: a, b, 3", "任选其一：a、b、3"),
        (
            json!({"type": "string", "enum": ["", " x"]}),
            "one of: \"\", \" x\"",
            "任选其一：\"\"、\" x\"",
        ),
        (json!({"type": ["string", "null"]}), "text or null", "文本或null"),
        (json!({"type": ["string", "integer"]}), "text or a whole number", "文本或整数"),
        (json!({"type": "array"}), "a list of any values", "列表，各项为任意值"),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            "a list of text values",
            "列表，各项为文本",
        ),
        (
            json!({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "maxItems": 2}),
            "a list of 1 to 2 values from: a, b",
            "1 到 2 项的列表，各项为以下之一：a、b",
        ),
        (
            json!({"type": "integer", "default": 3, "description": "how many"}),
            "a whole number, default 3 · how many",
            "整数，默认 3 · how many",
        ),
        (
            json!({"type": "string", "default": "", "title": "名称"}),
            "text, default \"\" · 名称",
            "文本，默认 \"\" · 名称",
        ),
    ]
}

#[test]
fn a_schema_is_told_in_words_in_both_languages() {
    for (schema, en, zh) in texts().into_iter().chain(others()) {
        assert_eq!(wanted(&schema, Lang::En), en, "{schema}");
        assert_eq!(wanted(&schema, Lang::Zh), zh, "{schema}");
    }
}

#[test]
fn a_value_that_no_words_describe_is_sketched_and_its_schema_never_shown() {
    let by = json!({"type": "object", "required": ["column"], "properties": {
        "column": {"type": "string"}, "direction": {"enum": ["ascending", "descending"]}}});
    let deep =
        (0..9).fold(json!({"type": "string"}), |it, _| json!({"type": "array", "items": it}));
    for (schema, sketch) in [
        (json!({"type": "object", "properties": {"zip": {"type": "string"}}}), Some("{…}")),
        (json!({"type": "array", "items": by}), Some("[{\"column\":\"…\"}]")),
        (json!({"type": "array", "items": {"type": "object"}}), Some("[{…}]")),
        (json!({"type": ["array", "string"], "maxItems": 3}), Some("[…]")),
        (json!({"anyOf": [{"type": "object"}, {"type": "string"}]}), Some("{…}")),
        (json!({"examples": [[1, 2]], "contains": {}}), Some("[1,2]")),
        (deep, Some("[[[[[…]]]]]")),
        (json!({"type": "integer", "multipleOf": 5}), None),
        (json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}), None),
        (json!({"type": "string", "not": {"const": "x"}}), None),
        (json!(false), None),
    ] {
        let told = sketch.map_or("a value".to_owned(), |sketch| format!("a value like {sketch}"));
        let is_plain = kind(&schema, Lang::En).is_some();
        assert!(is_plain || wanted(&schema, Lang::En) == told, "{schema}: {told}");
        assert_eq!(super::sketch(&schema).as_deref(), sketch, "{schema}");
    }
}

#[test]
fn what_is_long_is_cut_and_nothing_drives_the_terminal() {
    let many: Vec<String> = (0..200).map(|n| format!("choice {n}")).collect();
    let told = wanted(&json!({ "enum": many }), Lang::En);
    assert!(told.ends_with('…') && told.chars().count() < 100, "{told}");
    let schema = json!({"type": "string", "description": format!("a\u{1b}[2J{}", "b".repeat(500))});
    let told = wanted(&schema, Lang::Zh);
    assert!(!told.contains('\u{1b}') && told.chars().count() < 130, "{told}");
}
