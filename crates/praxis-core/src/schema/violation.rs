//! Violations of a schema in words, in both languages.

use crate::field_error::FieldError;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

/// The length from which a value is cut.
const SHOWN_CHARS: usize = 60;

/// Describes a violation. The English words are the validator's: rules of recovery recognise them in old journals.
pub(super) fn violation(error: &ValidationError<'_>) -> FieldError {
    let pointer = error.instance_path().to_string();
    let en = error.to_string();
    match chinese(error.kind(), error.instance()) {
        Some(zh) => FieldError::new(pointer, (en, zh)),
        None => FieldError::untranslated(pointer, en),
    }
}

/// Returns the Chinese words; `None` for rare kinds, which are shown in English.
fn chinese(kind: &Kind, value: &Value) -> Option<String> {
    let got = format!("，实际为 {}", shown(value));
    Some(match kind {
        Kind::Required { property } => format!("缺少必填字段 {property}"),
        Kind::Type { kind } => format!("类型应为{}{got}", types(kind)),
        Kind::Enum { options } => format!("应为以下之一：{}{got}", listed(options)),
        Kind::Constant { expected_value } => format!("应为 {expected_value}{got}"),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("不允许的字段：{}", unexpected.join("、"))
        }
        Kind::Minimum { limit } => format!("不能小于 {limit}{got}"),
        Kind::Maximum { limit } => format!("不能大于 {limit}{got}"),
        Kind::ExclusiveMinimum { limit } => format!("必须大于 {limit}{got}"),
        Kind::ExclusiveMaximum { limit } => format!("必须小于 {limit}{got}"),
        Kind::MultipleOf { multiple_of } => format!("必须是 {multiple_of} 的倍数{got}"),
        Kind::MinLength { limit } => format!("至少需要 {limit} 个字符{got}"),
        Kind::MaxLength { limit } => format!("最多 {limit} 个字符{got}"),
        Kind::Pattern { pattern } => format!("不匹配模式 {pattern}{got}"),
        Kind::Format { format } => format!("不是有效的 {format}{got}"),
        Kind::MinItems { limit } => format!("至少需要 {limit} 项"),
        Kind::MaxItems { limit } => format!("最多 {limit} 项"),
        Kind::UniqueItems => "有重复的项".to_owned(),
        Kind::MinProperties { limit } => format!("至少需要 {limit} 个字段"),
        Kind::MaxProperties { limit } => format!("最多 {limit} 个字段"),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => format!("不符合任何一种允许的形式{got}"),
        Kind::OneOfMultipleValid { .. } => format!("同时符合多种形式，只能符合一种{got}"),
        Kind::FalseSchema => format!("此处不允许任何值{got}"),
        Kind::AdditionalItems { .. }
        | Kind::BacktrackLimitExceeded { .. }
        | Kind::RegexEngineFailure { .. }
        | Kind::Contains
        | Kind::ContentEncoding { .. }
        | Kind::ContentMediaType { .. }
        | Kind::Custom { .. }
        | Kind::FromUtf8 { .. }
        | Kind::Not { .. }
        | Kind::PropertyNames { .. }
        | Kind::UnevaluatedItems { .. }
        | Kind::Referencing(_) => return None,
    })
}

fn types(kind: &TypeKind) -> String {
    let named = |name: &str| match name {
        "string" => "字符串".to_owned(),
        "number" => "数字".to_owned(),
        "integer" => "整数".to_owned(),
        "boolean" => "布尔值".to_owned(),
        "array" => "列表".to_owned(),
        "object" => "对象".to_owned(),
        other => format!(" {other} "),
    };
    match kind {
        TypeKind::Single(one) => named(&one.to_string()),
        TypeKind::Multiple(many) => {
            many.iter().map(|one| named(&one.to_string())).collect::<Vec<_>>().join("或")
        }
    }
}

fn listed(options: &Value) -> String {
    let all: Vec<String> = options.as_array().into_iter().flatten().map(shown).collect();
    all.join("、")
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use crate::lang::Lang;
    use crate::schema::Schema;
    use serde_json::json;

    #[test]
    fn a_violation_is_told_in_both_languages() {
        let schema = json!({"type": "object", "required": ["from"], "additionalProperties": false, "properties": {
            "from": {}, "count": {"type": "integer", "minimum": 1}, "order": {"enum": ["up", "down"]}}});
        let schema = Schema::compile(&schema).unwrap();
        let value = json!({"count": 0, "order": "left", "more": 1});
        let told = |lang| {
            let all = schema.errors(&value).into_iter();
            all.map(|error| format!("{} {}", error.pointer, error.text(lang))).collect::<Vec<_>>()
        };
        let english = [
            "/count 0 is less than the minimum of 1",
            "/order \"left\" is not one of \"up\" or \"down\"",
            " Additional properties are not allowed ('more' was unexpected)",
            " \"from\" is a required property",
        ];
        let chinese = [
            "/count 不能小于 1，实际为 0",
            "/order 应为以下之一：\"up\"、\"down\"，实际为 \"left\"",
            " 不允许的字段：more",
            " 缺少必填字段 \"from\"",
        ];
        assert_eq!(told(Lang::En), english);
        assert_eq!(told(Lang::Zh), chinese);
    }

    #[test]
    fn a_long_value_is_cut_in_the_message() {
        let schema = Schema::compile(&json!({"type": "integer"})).unwrap();
        let errors = schema.errors(&json!("x".repeat(1000)));
        assert!(errors.iter().all(|error| error.text(Lang::Zh).chars().count() < 100));
    }
}
