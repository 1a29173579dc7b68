//! Phrases that the messages of several tools share.

use praxis_core::problem::Bilingual;
use serde_json::Value;
use std::fmt::Display;

/// The separators between the names of a list, in English and in Chinese.
const BETWEEN: (&str, &str) = (", ", "、");

/// Asks for one of some similar names.
pub(crate) fn did_you_mean(names: &[String]) -> Bilingual {
    let (en, zh) = match names.split_last() {
        Some((last, others)) if !others.is_empty() => {
            let Bilingual { en, zh } = listed(others);
            (format!("{en} or `{last}`"), format!("{zh} 或 `{last}`"))
        }
        _ => {
            let Bilingual { en, zh } = listed(names);
            (en, zh)
        }
    };
    (format!("did you mean {en}?"), format!("是否想写 {zh}？")).into()
}

/// Lists names in backticks.
pub(crate) fn listed<N: Display>(names: impl IntoIterator<Item = N>) -> Bilingual {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    (quoted.join(BETWEEN.0), quoted.join(BETWEEN.1)).into()
}

/// Says that a number is out of range.
pub(crate) fn must_be_between(
    least: impl Display,
    most: impl Display,
    found: impl Display,
) -> Bilingual {
    let en = format!("must be between {least} and {most}, got {found}");
    (en, format!("必须在 {least} 到 {most} 之间，实际为 {found}")).into()
}

/// Names the type of a value.
pub(crate) fn kind(value: &Value) -> Bilingual {
    match value {
        Value::Null => ("null", "null"),
        Value::Bool(_) => ("a boolean", "布尔值"),
        Value::Number(_) => ("a number", "数字"),
        Value::String(_) => ("a string", "字符串"),
        Value::Array(_) => ("a list", "列表"),
        Value::Object(_) => ("an object", "对象"),
    }
    .into()
}

/// Puts a text before a message in both languages.
pub(crate) fn prefixed(en: impl Display, zh: impl Display, why: &Bilingual) -> Bilingual {
    (format!("{en}{}", why.en), format!("{zh}{}", why.zh)).into()
}
