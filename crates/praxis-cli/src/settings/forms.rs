//! Deserializers of setting values, one for each form.
//!
//! - in: a TOML value
//! - out: the typed value, or `found ..., expected ...`
//! - never: a default

use super::model::{Color, LangChoice, LimitsSetting, LogFormat, LogLevel, OnLimitSetting};
use praxis_adapters::http::Hosts;
use praxis_core::ask::price::Money;
use praxis_core::call::approval::{CallPolicy, PolicySource};
use praxis_core::dataflow::resolve::OnUnresolved;
use praxis_core::goal::spec::{
    JudgingMode, PlanApproval, ProgressMessages, RecoveryMode, TwoStage, ValueInference,
};
use praxis_core::intake::unanswered::UnansweredAction;
use praxis_core::journal::options::OnLimit;
use praxis_core::lang::{Lang, type_zh};
use praxis_core::problem::Bilingual;
use praxis_core::time::parse_span_ms;
use serde::de::{Deserialize, Deserializer, Error};
use std::collections::BTreeSet;
use std::path::PathBuf;
use toml::Value;

/// A type whose values are written as words.
pub(super) trait WordSetting: Copy + 'static {
    /// Every word and its value.
    const WORDS: &'static [(&'static str, Self)];
}

impl WordSetting for LangChoice {
    const WORDS: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("zh", Self::Set(Lang::Zh)), ("en", Self::Set(Lang::En))];
}

impl WordSetting for Color {
    const WORDS: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("always", Self::Always), ("never", Self::Never)];
}

impl WordSetting for LogLevel {
    const WORDS: &'static [(&'static str, Self)] =
        &[("off", Self::Off), ("warn", Self::Warn), ("info", Self::Info), ("debug", Self::Debug)];
}

impl WordSetting for LogFormat {
    const WORDS: &'static [(&'static str, Self)] = &[("text", Self::Text), ("json", Self::Json)];
}

impl WordSetting for OnLimitSetting {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("ask", Self::Set(OnLimit::Ask)),
        ("fail", Self::Set(OnLimit::Fail)),
    ];
}

impl WordSetting for OnUnresolved {
    const WORDS: &'static [(&'static str, Self)] =
        &[("ask", Self::Ask), ("error", Self::Error), ("keep", Self::Keep)];
}

impl WordSetting for LimitsSetting {
    const WORDS: &'static [(&'static str, Self)] =
        &[("advisory", Self::Advisory), ("hard", Self::Hard), ("seed-v1.0", Self::SeedV1_0)];
}

impl WordSetting for TwoStage {
    const WORDS: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("always", Self::Always), ("never", Self::Never)];
}

impl WordSetting for PlanApproval {
    const WORDS: &'static [(&'static str, Self)] =
        &[("review", Self::Review), ("writes", Self::Writes), ("allow", Self::Allow)];
}

impl WordSetting for CallPolicy {
    const WORDS: &'static [(&'static str, Self)] = &Self::WORDS;
}

impl WordSetting for UnansweredAction {
    const WORDS: &'static [(&'static str, Self)] = &Self::WORDS;
}

impl WordSetting for RecoveryMode {
    const WORDS: &'static [(&'static str, Self)] =
        &[("full", Self::Full), ("classes", Self::Classes), ("off", Self::Off)];
}

impl WordSetting for JudgingMode {
    const WORDS: &'static [(&'static str, Self)] = &[("auto", Self::Auto), ("model", Self::Model)];
}

impl WordSetting for ProgressMessages {
    const WORDS: &'static [(&'static str, Self)] =
        &[("rules", Self::Rules), ("model", Self::Model)];
}

impl WordSetting for ValueInference {
    const WORDS: &'static [(&'static str, Self)] =
        &[("missing", Self::Missing), ("all", Self::All), ("off", Self::Off)];
}

/// Deserializes one of the words of `T`.
pub(super) fn word<'de, D: Deserializer<'de>, T: WordSetting>(input: D) -> Result<T, D::Error> {
    let value = Value::deserialize(input)?;
    let known = T::WORDS.iter().find(|(word, _)| value.as_str() == Some(*word));
    known.map(|(_, meant)| *meant).ok_or_else(|| {
        let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
        let words = words.join("`, `");
        refuse(&value, (format!("one of `{words}`"), format!(" `{words}` 之一")))
    })
}

/// Deserializes `true` or `false`.
pub(super) fn flag<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(input)?;
    value.as_bool().ok_or_else(|| refuse(&value, ("`true` or `false`", " `true` 或 `false`")))
}

/// Deserializes an integer from `MIN` to `MAX`.
pub(super) fn within<'de, const MIN: u32, const MAX: u32, D: Deserializer<'de>>(
    input: D,
) -> Result<u32, D::Error> {
    let value = Value::deserialize(input)?;
    let number = value.as_integer().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| (MIN..=MAX).contains(number)).ok_or_else(|| {
        let en = format!("a whole number from {MIN} to {MAX}");
        refuse(&value, (en, format!(" {MIN} 到 {MAX} 的整数")))
    })
}

/// Deserializes a duration to milliseconds. Zero is refused: it would time out at once or cause a busy loop.
pub(super) fn span<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(input)?;
    let span = value.as_str().and_then(parse_span_ms).filter(|ms| *ms > 0);
    span.ok_or_else(|| {
        let words = (
            "a duration above zero such as `500ms`, `30s`, `10m`, `2h`, `1d`",
            "大于零的时长，如 `500ms`、`30s`、`10m`、`2h`、`1d`",
        );
        refuse(&value, words)
    })
}

/// Deserializes a duration; an empty text is `None`.
pub(super) fn span_or_none<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    let value = Value::deserialize(input)?;
    if value.as_str() == Some("") {
        return Ok(None);
    }
    span(value).map(Some).map_err(D::Error::custom)
}

/// Deserializes a size to bytes.
pub(super) fn size<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(input)?;
    let plain = value.as_integer().and_then(|bytes| u64::try_from(bytes).ok());
    let size = plain.or_else(|| parse_size(value.as_str()?)).filter(|bytes| *bytes > 0);
    size.ok_or_else(|| {
        let words = (
            "a size above zero such as `64KiB`, `16MiB`, `1048576`",
            "大于零的大小，如 `64KiB`、`16MiB`、`1048576`",
        );
        refuse(&value, words)
    })
}

/// Deserializes an amount of money; an empty text is `None`.
pub(super) fn money<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Money>, D::Error> {
    let value = Value::deserialize(input)?;
    match value.as_str().map(str::trim) {
        Some("") => Ok(None),
        Some(text) if Money::parse(text).is_some() => Ok(Money::parse(text)),
        _ => Err(refuse(&value, ("an amount such as `CNY 0.5`", "金额，如 `CNY 0.5`"))),
    }
}

/// Deserializes a path as written. It is made absolute after the layers are merged, because its base depends on the
/// layer.
pub(super) fn path<'de, D: Deserializer<'de>>(input: D) -> Result<PathBuf, D::Error> {
    let value = Value::deserialize(input)?;
    value.as_str().map(PathBuf::from).ok_or_else(|| refuse(&value, ("a path", "路径")))
}

/// Deserializes a list of non-empty texts.
pub(super) fn texts<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    let value = Value::deserialize(input)?;
    let entries = value
        .as_array()
        .map(|entries| entries.iter().map(|entry| entry.as_str().filter(|text| !text.is_empty())));
    let texts: Option<Vec<String>> =
        entries.and_then(|entries| entries.map(|entry| entry.map(str::to_owned)).collect());
    texts.ok_or_else(|| {
        let example = r#"`["one", "two"]`"#;
        let en = format!("a list of non-empty strings such as {example}");
        refuse(&value, (en, format!("非空字符串的列表，如 {example}")))
    })
}

/// Deserializes a list of paths as written.
pub(super) fn paths<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<PathBuf>, D::Error> {
    Ok(texts(input)?.into_iter().map(PathBuf::from).collect())
}

/// Deserializes the sources that may loosen the approval policy of the settings.
pub(super) fn policy_sources<'de, D: Deserializer<'de>>(
    input: D,
) -> Result<BTreeSet<PolicySource>, D::Error> {
    let source = |name: String| match name.as_str() {
        "scene" => Ok(PolicySource::Scene),
        "tool" => Ok(PolicySource::Tool),
        "node" => Ok(PolicySource::Node),
        _ => {
            let (en, zh) = ("`scene`, `tool` or `node`", " `scene`、`tool` 或 `node`");
            Err(refuse(&Value::String(name), (en, zh)))
        }
    };
    texts(input)?.into_iter().map(source).collect()
}

/// Deserializes a list of host names and patterns.
pub(super) fn hosts<'de, D: Deserializer<'de>>(input: D) -> Result<Hosts, D::Error> {
    let entries = texts(input)?;
    Hosts::read(&entries).map_err(|entry| {
        let example = r#"`["api.example.org", "*.example.com"]`, without scheme, port and path"#;
        let zh = r#"主机名，如 `["api.example.org", "*.example.com"]`，不含协议、端口和路径"#;
        refuse(&Value::String(entry), (format!("host names such as {example}"), zh.to_owned()))
    })
}

/// Converts text from a variable or a flag to the type of the key's default. Text that cannot be converted is kept,
/// and the key's deserializer refuses it.
pub(super) fn from_text(text: &str, default: &Value) -> Value {
    let same = || Value::String(text.to_owned());
    match default {
        Value::Integer(_) => text.trim().parse().map_or_else(|_| same(), Value::Integer),
        Value::Boolean(_) => text.trim().parse().map_or_else(|_| same(), Value::Boolean),
        Value::Array(_) => list_from_text(text),
        Value::String(_) | Value::Float(_) | Value::Datetime(_) | Value::Table(_) => same(),
    }
}

/// Parses `a, b` and `["a", "b"]`. A host such as `[::1]` is no TOML list, so it is read as the former.
fn list_from_text(text: &str) -> Value {
    let written = format!("list = {text}").parse::<toml::Table>().ok();
    let listed = written.and_then(|mut table| table.remove("list")).filter(Value::is_array);
    listed.unwrap_or_else(|| {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        Value::Array(parts.map(|part| Value::String(part.to_owned())).collect())
    })
}

fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// Separator of the English and Chinese text in one serde error message.
const BETWEEN: char = '\u{1f}';

fn refuse<E: Error>(value: &Value, expected: impl Into<Bilingual>) -> E {
    let (kind, expected) = (value.type_str(), expected.into());
    let en = format!("expected {}, got {kind} `{value}`", expected.en);
    E::custom(format!("{en}{BETWEEN}应为{}，实际为{} `{value}`", expected.zh, type_zh(kind)))
}

/// Splits a deserialization error into both languages; other errors are used for both.
pub(super) fn words(said: &str) -> Bilingual {
    let (en, zh) = said.split_once(BETWEEN).unwrap_or((said, said));
    Bilingual::from((en, zh))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units_and_overflow_is_refused() {
        assert_eq!(parse_size("64KiB"), Some(65_536));
        assert_eq!(parse_size("16 MiB"), Some(16_777_216));
        assert_eq!(parse_size("1GiB"), Some(1_073_741_824));
        assert_eq!(parse_size("512"), Some(512));
        assert_eq!(parse_size("64KB"), None);
        assert_eq!(parse_size("MiB"), None);
        assert_eq!(parse_size("99999999999GiB"), None);
    }

    #[test]
    fn a_list_is_written_with_commas_or_as_toml() {
        let list = |text| from_text(text, &Value::Array(Vec::new())).to_string();
        assert_eq!(list("a, b,,c"), r#"["a", "b", "c"]"#);
        assert_eq!(list(r#"["a,b", "c"]"#), r#"["a,b", "c"]"#);
        assert_eq!(list("[::1]:8080"), r#"["[::1]:8080"]"#);
        assert_eq!(list("5"), r#"["5"]"#);
        assert_eq!(list(""), "[]");
    }
}
