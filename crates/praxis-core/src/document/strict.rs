//! Builds a `serde_json::Value` from a document of any format and enforces our limits on the way.

use super::{DEEPEST, DocumentBreach, MAX_VALUES};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::{Cell, RefCell};
use std::fmt;

/// Number of values read so far, and the rule that was broken. Kept here because the parsers' own errors cannot carry
/// a `DocumentBreach`.
#[derive(Default)]
pub(super) struct StrictRules {
    values: Cell<usize>,
    broken: RefCell<Option<DocumentBreach>>,
}

impl StrictRules {
    fn refuse<E: serde::de::Error>(&self, why: DocumentBreach) -> E {
        let error = E::custom(&why);
        self.broken.replace(Some(why));
        error
    }

    /// Returns the rule that was broken, or `other` (the parser's own error) if no rule was.
    pub(super) fn breach_or(&self, other: DocumentBreach) -> DocumentBreach {
        self.broken.take().unwrap_or(other)
    }
}

/// A `DeserializeSeed` and `Visitor` that builds a `Value` within the `StrictRules`.
#[derive(Clone, Copy)]
pub(super) struct StrictReader<'a> {
    rules: &'a StrictRules,
    depth: usize,
}

impl<'a> StrictReader<'a> {
    /// Creates a reader for the root of a document.
    pub(super) fn new(rules: &'a StrictRules) -> Self {
        Self { rules, depth: 0 }
    }

    fn inside<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= DEEPEST {
            return Err(self.rules.refuse(DocumentBreach::Deep(DEEPEST)));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for StrictReader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let values = &self.rules.values;
        values.set(values.get() + 1);
        if values.get() > MAX_VALUES {
            return Err(self.rules.refuse(DocumentBreach::Many(MAX_VALUES)));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictReader<'_> {
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
        let whole = i64::try_from(value).map(Value::from);
        whole.map_err(|_| self.rules.refuse(DocumentBreach::Inexact(value.to_string())))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Value, E> {
        let whole = u64::try_from(value).map(Value::from);
        whole.map_err(|_| self.rules.refuse(DocumentBreach::Inexact(value.to_string())))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| self.rules.refuse(DocumentBreach::NotFinite))
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
                return Err(self.rules.refuse(DocumentBreach::Twice(key)));
            }
        }
        Ok(Value::Object(map))
    }
}
