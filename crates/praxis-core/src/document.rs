//! Reads JSON, YAML and TOML from the outside world into one kind of value, strictly.
//!
//! - in: untrusted bytes
//! - out: a value that means exactly what the text says, or the reason why there is none
//! - never: keeps the last of two equal keys, rounds an integer, or recurses without a limit

mod strict;

use crate::document::strict::{StrictReader, StrictRules};
use serde::de::DeserializeSeed;
use serde_json::Value;

/// The maximum nesting depth of arrays and objects.
pub const DEEPEST: usize = 100;
/// The maximum nesting depth in YAML, whose parser needs more stack for each level.
const DEEPEST_YAML: usize = 64;
/// The maximum nesting depth in TOML, set by its parser.
const DEEPEST_TOML: usize = 80;
/// The maximum number of values in a document. A plan of 10,000 steps has about 100,000.
pub const MAX_VALUES: usize = 2_000_000;

/// The maximum number of values that the aliases of a YAML document may expand to.
const MAX_ALIASED: usize = 100_000;
/// The maximum number of digits of a number in an error message.
const MAX_DIGITS: usize = 40;

/// Document formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentFormat {
    /// RFC 8259.
    Json,
    /// YAML 1.2.
    Yaml,
    /// TOML 1.
    Toml,
}

impl DocumentFormat {
    /// Returns the format for the extension of a file name.
    pub fn of_name(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }
}

/// The reason for which a text cannot be read, and its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{why}", place(*.at))]
pub struct UnreadableDocument {
    /// The violated rule.
    pub why: DocumentBreach,
    /// The line and column, if known.
    pub at: Option<(u64, u64)>,
}

/// The rule that a text violates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentBreach {
    /// Invalid UTF-8, with the position of the first bad byte.
    #[error("byte {0} is not valid UTF-8")]
    NotUtf8(usize),
    /// A syntax error of the format.
    #[error("{0}")]
    Syntax(String),
    /// Nesting deeper than allowed.
    #[error("it is nested deeper than {0} levels")]
    Deep(usize),
    /// More values than allowed.
    #[error("it contains more than {0} values")]
    Many(usize),
    /// YAML aliases that expand to more values than allowed.
    #[error("its aliases expand to more than {0} values")]
    Aliases(usize),
    /// A duplicate key.
    #[error("duplicate key `{0}`")]
    Twice(String),
    /// An infinite number or NaN.
    #[error("a number must be finite")]
    NotFinite,
    /// More than one YAML document.
    #[error("it contains more than one YAML document")]
    Documents,
    /// A number that would be rounded.
    #[error("the number `{0}` is too large to be kept exactly")]
    Inexact(String),
    /// A YAML number that would lose its leading zeros: `007`.
    #[error("`{0}` starts with a zero; if it is a string, quote it")]
    LeadingZero(String),
}

impl DocumentBreach {
    /// Returns the stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8(_) => "not_utf8",
            Self::Inexact(_) | Self::LeadingZero(_) => "number_inexact",
            Self::Syntax(_)
            | Self::Deep(_)
            | Self::Many(_)
            | Self::Aliases(_)
            | Self::Twice(_)
            | Self::NotFinite
            | Self::Documents => "malformed",
        }
    }

    fn nowhere(self) -> UnreadableDocument {
        UnreadableDocument { why: self, at: None }
    }
}

fn place(at: Option<(u64, u64)>) -> String {
    at.map(|(line, column)| format!("line {line} column {column}: ")).unwrap_or_default()
}

/// Reads a whole document.
pub fn read(bytes: &[u8], format: DocumentFormat) -> Result<Value, UnreadableDocument> {
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|error| DocumentBreach::NotUtf8(error.valid_up_to()).nowhere())?;
    // Some editors write a byte order mark first, which has no meaning.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        DocumentFormat::Json => read_json(text),
        DocumentFormat::Yaml => read_yaml(text),
        DocumentFormat::Toml => read_toml(text),
    }
}

/// Reads one JSON text.
pub fn read_json(text: &str) -> Result<Value, UnreadableDocument> {
    if let Some(number) = inexact_integer(text) {
        return Err(inexact(number).nowhere());
    }
    let rules = StrictRules::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = StrictReader::new(&rules).deserialize(&mut deserializer);
    value.and_then(|value| deserializer.end().map(|()| value)).map_err(|error| {
        let said = error.to_string();
        let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
        let (line, column) = (error.line() as u64, error.column() as u64);
        UnreadableDocument {
            why: rules.breach_or(json_breach(said)),
            at: (line > 0).then_some((line, column)),
        }
    })
}

/// Translates a message of `serde_json`.
fn json_breach(said: &str) -> DocumentBreach {
    match said.strip_prefix("EOF while parsing ") {
        Some(what) => DocumentBreach::Syntax(format!("the text ends inside {what}")),
        None if said == "number out of range" => DocumentBreach::NotFinite,
        None if said == "expected ident" => DocumentBreach::Syntax("expected value".to_owned()),
        None => DocumentBreach::Syntax(said.to_owned()),
    }
}

fn read_yaml(text: &str) -> Result<Value, UnreadableDocument> {
    let rules = StrictRules::default();
    // The size limits are ours, so that they are the same for every format.
    let budget = serde_saphyr::budget! {
        max_depth: DEEPEST_YAML,
        max_nodes: 2 * MAX_VALUES,
        max_events: 4 * MAX_VALUES,
    };
    let options = serde_saphyr::options! {
        budget: budget,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIASED },
        strict_booleans: true,
        with_snippet: false,
    };
    let value = serde_saphyr::with_deserializer_from_str_with_options(text, options, |yaml| {
        StrictReader::new(&rules).deserialize(yaml)
    })
    .map_err(|error| {
        let location = error.location().map(|found| (found.line(), found.column()));
        UnreadableDocument { why: rules.breach_or(yaml_breach(&error)), at: location }
    })?;
    if let Some(number) = rounded_integer(text, &value) {
        return Err(inexact(number).nowhere());
    }
    match leading_zero(text, &value) {
        Some(number) => Err(DocumentBreach::LeadingZero(number.to_owned()).nowhere()),
        None => Ok(value),
    }
}

/// Translates an error of `serde_saphyr`; anything that is not about our rules is a syntax error.
#[expect(clippy::wildcard_enum_match_arm, reason = "there are many, and more to come")]
fn yaml_breach(error: &serde_saphyr::Error) -> DocumentBreach {
    use serde_saphyr::Error as Yaml;
    use serde_saphyr::budget::BudgetBreach;
    match error {
        Yaml::WithSnippet { error, .. } | Yaml::AliasError { error, .. } => yaml_breach(error),
        Yaml::DuplicateMappingKey { key, .. } => {
            DocumentBreach::Twice(key.clone().unwrap_or_default())
        }
        Yaml::MultipleDocuments { .. } => DocumentBreach::Documents,
        Yaml::NonFiniteFloat { .. } => DocumentBreach::NotFinite,
        Yaml::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            DocumentBreach::Deep(DEEPEST_YAML)
        }
        Yaml::Budget { .. } => DocumentBreach::Many(MAX_VALUES),
        Yaml::AliasReplayLimitExceeded { .. }
        | Yaml::AliasExpansionLimitExceeded { .. }
        | Yaml::AliasReplayStackDepthExceeded { .. } => DocumentBreach::Aliases(MAX_ALIASED),
        other => {
            let said = other.to_string();
            if said.contains("recursion limit") {
                return DocumentBreach::Deep(DEEPEST_YAML);
            }
            // The position is reported separately, in the same way for all formats.
            let said = said.lines().next().unwrap_or_default();
            let said = said.rsplit_once(" at line ").map_or(said, |(said, _)| said);
            DocumentBreach::Syntax(said.to_owned())
        }
    }
}

fn read_toml(text: &str) -> Result<Value, UnreadableDocument> {
    let rules = StrictRules::default();
    let read = toml::Deserializer::parse(text)
        .and_then(|deserializer| StrictReader::new(&rules).deserialize(deserializer));
    read.map_err(|error| {
        let at = error.span().map(|span| line_and_column(text, span.start));
        let why = match error.message() {
            said if said.contains("recur") => DocumentBreach::Deep(DEEPEST_TOML),
            said => DocumentBreach::Syntax(said.replace('\n', "; ")),
        };
        UnreadableDocument { why: rules.breach_or(why), at }
    })
}

/// Builds the error for a number that would be rounded, with a long number cut off.
fn inexact(number: &str) -> DocumentBreach {
    let told: String = number.chars().take(MAX_DIGITS).collect();
    let more = if told.len() < number.len() { "…" } else { "" };
    DocumentBreach::Inexact(format!("{told}{more}"))
}

fn line_and_column(text: &str, byte: usize) -> (u64, u64) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line as u64, column as u64)
}

/// Finds an integer outside of strings that fits neither `i64` nor `u64`.
fn inexact_integer(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut position = 0;
    while let Some(&byte) = bytes.get(position) {
        match byte {
            b'"' => position = end_of_string(bytes, position),
            b'-' | b'0'..=b'9' => {
                let rest = bytes.get(position + 1..).unwrap_or_default();
                let end = rest
                    .iter()
                    .position(|b| !matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
                    .map_or(bytes.len(), |length| position + 1 + length);
                let number = text.get(position..end).unwrap_or_default();
                let integer = !number.contains(['.', 'e', 'E']);
                let fits = number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok();
                if integer && !fits && number.len() > 18 {
                    return Some(number);
                }
                position = end;
            }
            _ => position += 1,
        }
    }
    None
}

/// Finds an integer in a YAML text that was read as a float: its digits are in the text, and the value holds the
/// number that they round to.
fn rounded_integer<'a>(text: &'a str, value: &Value) -> Option<&'a str> {
    let runs = text.split(|c: char| !c.is_ascii_digit());
    let mut long = runs.filter(|run| run.len() > 18 && run.parse::<u64>().is_err());
    long.find(|run| run.parse().is_ok_and(|rounded| holds_float(value, rounded)))
}

/// Finds an integer in a YAML text that begins with a zero and was read as a float.
fn leading_zero<'a>(text: &'a str, value: &Value) -> Option<&'a str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}'));
    let digits = |word: &&str| {
        let plain = word.trim_start_matches(['-', '+']);
        plain.len() > 1 && plain.starts_with('0') && plain.bytes().all(|b| b.is_ascii_digit())
    };
    let rounded = |word: &str| word.trim_start_matches(['-', '+']).parse().ok();
    words.filter(digits).find(|word| rounded(word).is_some_and(|n| holds_float(value, n)))
}

fn holds_float(value: &Value, wanted: f64) -> bool {
    match value {
        Value::Number(number) => {
            number.is_f64() && number.as_f64().is_some_and(|n| n.abs().total_cmp(&wanted).is_eq())
        }
        Value::Array(items) => items.iter().any(|item| holds_float(item, wanted)),
        Value::Object(map) => map.values().any(|item| holds_float(item, wanted)),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Returns the position after the string that begins at `start`.
pub(crate) fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut position = start + 1;
    while let Some(&byte) = bytes.get(position) {
        match byte {
            b'"' => return position + 1,
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn two_equal_keys_are_refused_in_every_format() {
        for (text, format) in [
            (r#"{"a":1,"a":2}"#, DocumentFormat::Json),
            ("a: 1\na: 2\n", DocumentFormat::Yaml),
            ("a = 1\na = 2\n", DocumentFormat::Toml),
        ] {
            assert!(read(text.as_bytes(), format).is_err(), "{format:?}");
        }
    }

    #[test]
    fn a_yaml_number_that_would_lose_its_zeros_is_refused_and_a_text_is_not() {
        for number in ["007", "00501", "-010", "08"] {
            for text in
                [format!("zip: {number}"), format!("[1, {number}]"), format!("- {number}\n")]
            {
                let refused = read(text.as_bytes(), DocumentFormat::Yaml).unwrap_err();
                assert_eq!(refused.why, DocumentBreach::LeadingZero(number.to_owned()), "{text}");
            }
        }
        let kept =
            read(b"a: '007'\nb: 0\nc: 0.5\nd: 007x\ne: \"00501\"", DocumentFormat::Yaml).unwrap();
        assert_eq!(kept, json!({"a": "007", "b": 0, "c": 0.5, "d": "007x", "e": "00501"}));
    }

    #[test]
    fn an_integer_that_would_be_rounded_is_refused_and_a_float_is_not() {
        let refused = read_json(r#"{"n": 123456789012345678901}"#).unwrap_err();
        assert_eq!(refused.why, DocumentBreach::Inexact("123456789012345678901".to_owned()));
        assert_eq!(read_json("18446744073709551615").unwrap(), json!(u64::MAX));
        assert_eq!(read_json(r#"["12345678901234567890123", 1e30]"#).unwrap()[1], json!(1e30));
        assert!(read_json("1e400").is_err());
        assert!(read(b"n: 123456789012345678901", DocumentFormat::Yaml).is_err());
    }

    #[test]
    fn depth_and_bytes_are_bounded_without_a_panic() {
        assert!(read_json(&"[".repeat(100_000)).is_err());
        let latin = read(&[b'"', 0xff, b'"'], DocumentFormat::Json).unwrap_err();
        assert_eq!(latin.why, DocumentBreach::NotUtf8(1));
        assert!(read("- ".repeat(5000).as_bytes(), DocumentFormat::Yaml).is_err());
    }

    #[test]
    fn yaml_json_and_toml_give_the_same_value() {
        let value = json!({"a": [1, 2.5, "x"], "b": {"c": true}});
        let yaml = "a: [1, 2.5, x]\nb:\n  c: true\n";
        let toml = "a = [1, 2.5, \"x\"]\n[b]\nc = true\n";
        assert_eq!(read(value.to_string().as_bytes(), DocumentFormat::Json).unwrap(), value);
        assert_eq!(read(yaml.as_bytes(), DocumentFormat::Yaml).unwrap(), value);
        assert_eq!(read(toml.as_bytes(), DocumentFormat::Toml).unwrap(), value);
    }
}
