//! Violations of a schema in words, in both languages.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the kinds are the validator's; one that has no words here is told in the validator's"
)]

use crate::field_error::{FieldError, ViolationKind};
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

/// The length from which a value is cut.
const SHOWN_CHARS: usize = 60;

/// Describes a violation in both languages. The words of rare kinds are the validator's, in English.
pub(super) fn violation(error: &ValidationError<'_>) -> FieldError {
    let pointer = error.instance_path().to_string();
    let told = match words(error.kind(), error.instance()) {
        Some(words) => FieldError::new(pointer, words),
        None => FieldError::untranslated(pointer, error.to_string()),
    };
    told.of_kind(kind(error.kind()))
}

fn kind(kind: &Kind) -> ViolationKind {
    match kind {
        Kind::Required { property } => property
            .as_str()
            .map_or(ViolationKind::Form, |name| ViolationKind::Missing(name.into())),
        Kind::Enum { .. } | Kind::Constant { .. } => ViolationKind::NotAllowed,
        _ => ViolationKind::Form,
    }
}

/// Returns the English and the Chinese words; `None` for rare kinds.
fn words(kind: &Kind, value: &Value) -> Option<(String, String)> {
    let got = |(en, zh): (String, String)| {
        let value = shown(value);
        (format!("{en}, got {value}"), format!("{zh}，实际为 {value}"))
    };
    Some(match kind {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            (format!("`{name}` is missing"), format!("缺少必填字段 `{name}`"))
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let names: Vec<String> = unexpected.iter().map(|name| format!("`{name}`")).collect();
            let en = if names.len() == 1 { "unknown field" } else { "unknown fields" };
            (format!("{en} {}", names.join(", ")), format!("未知的字段：{}", names.join("、")))
        }
        Kind::UniqueItems => pair("has an item more than once", "有重复的项"),
        _ => got(type_words(kind).or_else(|| bound_words(kind)).or_else(|| form_words(kind))?),
    })
}

/// Returns the words for a value of the wrong type, or outside of the allowed values.
fn type_words(kind: &Kind) -> Option<(String, String)> {
    Some(match kind {
        Kind::Type { kind } => {
            let (en, zh) = types(kind);
            (format!("must be {en}"), format!("类型应为{zh}"))
        }
        Kind::Enum { options } => {
            let all: Vec<String> = options.as_array().into_iter().flatten().map(shown).collect();
            let (en, zh) = (all.join(", "), all.join("、"));
            (format!("must be one of {en}"), format!("应为以下之一：{zh}"))
        }
        Kind::Constant { expected_value } => {
            (format!("must be {expected_value}"), format!("应为 {expected_value}"))
        }
        _ => return None,
    })
}

/// Returns the words for a value beyond a limit.
fn bound_words(kind: &Kind) -> Option<(String, String)> {
    let counted = |limit: &u64, one: &str| {
        if *limit == 1 { format!("1 {one}") } else { format!("{limit} {one}s") }
    };
    Some(match kind {
        Kind::Minimum { limit } => {
            (format!("must be at least {limit}"), format!("不能小于 {limit}"))
        }
        Kind::Maximum { limit } => {
            (format!("must be at most {limit}"), format!("不能大于 {limit}"))
        }
        Kind::ExclusiveMinimum { limit } => {
            (format!("must be greater than {limit}"), format!("必须大于 {limit}"))
        }
        Kind::ExclusiveMaximum { limit } => {
            (format!("must be less than {limit}"), format!("必须小于 {limit}"))
        }
        Kind::MultipleOf { multiple_of } => {
            (format!("must be a multiple of {multiple_of}"), format!("必须是 {multiple_of} 的倍数"))
        }
        Kind::MinLength { limit } => {
            let en = format!("must have at least {}", counted(limit, "character"));
            (en, format!("至少需要 {limit} 个字符"))
        }
        Kind::MaxLength { limit } => {
            let en = format!("must have at most {}", counted(limit, "character"));
            (en, format!("最多 {limit} 个字符"))
        }
        Kind::MinItems { limit } => {
            let en = format!("must have at least {}", counted(limit, "item"));
            (en, format!("至少需要 {limit} 项"))
        }
        Kind::MaxItems { limit } => {
            let en = format!("must have at most {}", counted(limit, "item"));
            (en, format!("最多 {limit} 项"))
        }
        Kind::MinProperties { limit } => {
            let en = format!("must have at least {}", counted(limit, "field"));
            (en, format!("至少需要 {limit} 个字段"))
        }
        Kind::MaxProperties { limit } => {
            let en = format!("must have at most {}", counted(limit, "field"));
            (en, format!("最多 {limit} 个字段"))
        }
        _ => return None,
    })
}

/// Returns the words for a value of the wrong form.
fn form_words(kind: &Kind) -> Option<(String, String)> {
    Some(match kind {
        Kind::Pattern { pattern } => {
            (format!("must match the pattern {pattern}"), format!("不匹配模式 {pattern}"))
        }
        Kind::Format { format } => {
            (format!("must be a valid {format}"), format!("不是有效的 {format}"))
        }
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            pair("matches none of the allowed forms", "不符合任何一种允许的形式")
        }
        Kind::OneOfMultipleValid { .. } => pair(
            "matches several of the allowed forms, and must match exactly one",
            "同时符合多种形式，只能符合一种",
        ),
        Kind::FalseSchema => pair("no value is allowed here", "此处不允许任何值"),
        _ => return None,
    })
}

fn pair(en: &str, zh: &str) -> (String, String) {
    (en.to_owned(), zh.to_owned())
}

fn types(kind: &TypeKind) -> (String, String) {
    let named = |name: &str| match name {
        "string" => pair("a string", "字符串"),
        "number" => pair("a number", "数字"),
        "integer" => pair("an integer", "整数"),
        "boolean" => pair("true or false", "布尔值"),
        "array" => pair("a list", "列表"),
        "object" => pair("an object", "对象"),
        other => (other.to_owned(), format!(" {other} ")),
    };
    match kind {
        TypeKind::Single(one) => named(&one.to_string()),
        TypeKind::Multiple(many) => {
            let (en, zh): (Vec<String>, Vec<String>) =
                many.iter().map(|one| named(&one.to_string())).unzip();
            (en.join(" or "), zh.join("或"))
        }
    }
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
    use crate::field_error::ViolationKind;
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
            "/count must be at least 1, got 0",
            "/order must be one of \"up\", \"down\", got \"left\"",
            " unknown field `more`",
            " `from` is missing",
        ];
        let chinese = [
            "/count 不能小于 1，实际为 0",
            "/order 应为以下之一：\"up\"、\"down\"，实际为 \"left\"",
            " 未知的字段：`more`",
            " 缺少必填字段 `from`",
        ];
        assert_eq!(told(Lang::En), english);
        assert_eq!(told(Lang::Zh), chinese);
    }

    #[test]
    fn a_long_value_is_cut_in_the_message() {
        let schema = Schema::compile(&json!({"type": "integer"})).unwrap();
        let errors = schema.errors(&json!("x".repeat(1000)));
        let short = |lang| errors.iter().all(|error| error.text(lang).chars().count() < 100);
        assert!(short(Lang::Zh) && short(Lang::En));
    }

    #[test]
    fn the_kind_of_a_violation_does_not_depend_on_its_words() {
        let schema = json!({"required": ["required"], "properties": {
            "a": {"const": 1}, "b": {"pattern": "required"}, "c": {"enum": ["x"]}}});
        let schema = Schema::compile(&schema).unwrap();
        let errors = schema.errors(&json!({"a": 2, "b": "is not one of ", "c": "required"}));
        let kinds: Vec<_> = errors.into_iter().filter_map(|error| error.kind).collect();
        let missing = ViolationKind::Missing("required".to_owned());
        let expected =
            [missing, ViolationKind::NotAllowed, ViolationKind::Form, ViolationKind::NotAllowed];
        assert_eq!(kinds, expected);
    }
}
