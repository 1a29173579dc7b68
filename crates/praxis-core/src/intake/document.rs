//! Reads JSON, YAML and TOML from the outside world into one kind of value, strictly.
//!
//! - in: bytes that anybody may have written
//! - out: a value that means exactly what the text says, or the reason why not
//! - never: keeps the last of two equal keys, rounds an integer, or recurses without a bound

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;

/// How deep arrays and objects may be nested.
pub const DEEPEST: usize = 100;
/// How many values one document may hold. A plan of 10,000 steps has about 100,000.
pub const MOST_VALUES: usize = 2_000_000;

/// The ways a document may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// RFC 8259.
    Json,
    /// YAML 1.2.
    Yaml,
    /// TOML 1.
    Toml,
}

impl Format {
    /// The format that a file's name promises.
    pub fn of_name(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }
}

/// Why a text is no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The bytes are no text.
    #[error("byte {0} is not valid UTF-8")]
    NotUtf8(usize),
    /// The text breaks the rules of its format, or one of ours.
    #[error("{0}")]
    Malformed(String),
    /// The number would be rounded when read.
    #[error(
        "the number `{0}` is too large to be kept exactly; write it in quotes if it is an identifier"
    )]
    Inexact(String),
}

impl Unreadable {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8(_) => "not_utf8",
            Self::Malformed(_) => "malformed",
            Self::Inexact(_) => "number_inexact",
        }
    }
}

/// Reads a whole document.
pub fn read(bytes: &[u8], format: Format) -> Result<Value, Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|e| Unreadable::NotUtf8(e.valid_up_to()))?;
    match format {
        Format::Json => read_json(text),
        Format::Yaml => {
            let budget = Cell::new(0);
            let value = serde_saphyr::with_deserializer_from_str(text, |deserializer| {
                Strict::new(&budget).deserialize(deserializer)
            })
            .map_err(malformed)?;
            match rounded_integer(text, &value) {
                Some(number) => Err(Unreadable::Inexact(number.to_owned())),
                None => Ok(value),
            }
        }
        Format::Toml => {
            let budget = Cell::new(0);
            let deserializer = toml::Deserializer::parse(text).map_err(malformed)?;
            Strict::new(&budget).deserialize(deserializer).map_err(malformed)
        }
    }
}

/// Reads one JSON text.
pub fn read_json(text: &str) -> Result<Value, Unreadable> {
    if let Some(number) = inexact_integer(text) {
        return Err(Unreadable::Inexact(number.to_owned()));
    }
    let budget = Cell::new(0);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Strict::new(&budget).deserialize(&mut deserializer).map_err(malformed)?;
    deserializer.end().map_err(malformed)?;
    Ok(value)
}

fn malformed(error: impl fmt::Display) -> Unreadable {
    // Some readers add an excerpt of the text; the first line says what and where.
    let text = error.to_string();
    Unreadable::Malformed(text.lines().next().unwrap_or_default().to_owned())
}

/// Finds an integer that neither `i64` nor `u64` can hold, outside of strings.
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

/// Finds an integer of a YAML text that was read as a float: its digits stand in the text, and the
/// value holds the number they round to.
fn rounded_integer<'a>(text: &'a str, value: &Value) -> Option<&'a str> {
    let runs = text.split(|c: char| !c.is_ascii_digit());
    let mut long = runs.filter(|run| run.len() > 18 && run.parse::<u64>().is_err());
    long.find(|run| run.parse().is_ok_and(|rounded| holds_float(value, rounded)))
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

/// The position after the string that begins at `start`.
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

/// Builds a value and counts what it builds.
#[derive(Clone, Copy)]
struct Strict<'a> {
    values: &'a Cell<usize>,
    depth: usize,
}

impl<'a> Strict<'a> {
    fn new(values: &'a Cell<usize>) -> Self {
        Self { values, depth: 0 }
    }

    fn inside<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= DEEPEST {
            return Err(E::custom(format_args!("it is nested deeper than {DEEPEST} levels")));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > MOST_VALUES {
            return Err(D::Error::custom(format_args!("it holds more than {MOST_VALUES} values")));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Value, E> {
        i64::try_from(value).map(Value::from).map_err(|_| inexact(value))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Value, E> {
        u64::try_from(value).map(Value::from).map_err(|_| inexact(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number must be finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(inside)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let value = access.next_value_seed(inside)?;
            if map.insert(key.clone(), value).is_some() {
                return Err(A::Error::custom(format_args!("the key `{key}` stands twice")));
            }
        }
        Ok(Value::Object(map))
    }
}

fn inexact<E: serde::de::Error>(value: impl fmt::Display) -> E {
    E::custom(Unreadable::Inexact(value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn two_equal_keys_are_refused_in_every_format() {
        for (text, format) in [
            (r#"{"a":1,"a":2}"#, Format::Json),
            ("a: 1\na: 2\n", Format::Yaml),
            ("a = 1\na = 2\n", Format::Toml),
        ] {
            assert!(read(text.as_bytes(), format).is_err(), "{format:?}");
        }
    }

    #[test]
    fn an_integer_that_would_be_rounded_is_refused_and_a_float_is_not() {
        let refused = read_json(r#"{"n": 123456789012345678901}"#).unwrap_err();
        assert_eq!(refused, Unreadable::Inexact("123456789012345678901".to_owned()));
        assert_eq!(read_json("18446744073709551615").unwrap(), json!(u64::MAX));
        assert_eq!(read_json(r#"["12345678901234567890123", 1e30]"#).unwrap()[1], json!(1e30));
        assert!(read_json("1e400").is_err());
        assert!(read(b"n: 123456789012345678901", Format::Yaml).is_err());
    }

    #[test]
    fn depth_and_bytes_are_bounded_without_a_panic() {
        assert!(read_json(&"[".repeat(100_000)).is_err());
        assert!(read(&[b'"', 0xff, b'"'], Format::Json) == Err(Unreadable::NotUtf8(1)));
        assert!(read("- ".repeat(5000).as_bytes(), Format::Yaml).is_err());
    }

    #[test]
    fn yaml_json_and_toml_give_the_same_value() {
        let value = json!({"a": [1, 2.5, "x"], "b": {"c": true}});
        let yaml = "a: [1, 2.5, x]\nb:\n  c: true\n";
        let toml = "a = [1, 2.5, \"x\"]\n[b]\nc = true\n";
        assert_eq!(read(value.to_string().as_bytes(), Format::Json).unwrap(), value);
        assert_eq!(read(yaml.as_bytes(), Format::Yaml).unwrap(), value);
        assert_eq!(read(toml.as_bytes(), Format::Toml).unwrap(), value);
    }
}
