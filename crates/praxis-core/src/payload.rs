//! Values as the journal holds them: small ones as they are, large ones as a reference to a blob.

use crate::ids::BlobId;
use crate::mask::masked;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Values whose JSON text is longer live in a blob.
pub const LARGE_BYTES: usize = 64 * 1024;
/// How much of a large text its reference shows.
const PREVIEW_CHARS: usize = 200;
/// A field of a large object is kept beside the reference up to this size.
const SMALL_FIELD_BYTES: usize = 1024;
/// How many bytes of small fields are kept beside the reference in all.
const KEPT_BYTES: usize = 16 * 1024;
/// How many fields of a large object its reference names.
const MOST_FIELDS: usize = 10_000;

/// A JSON value, or where to find it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    /// The value itself.
    Json(Arc<Value>),
    /// The value is in a blob.
    Blob(Arc<StoredValue>),
}

/// A reference to a large value: enough to show it, to sync its small fields and to find the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredValue {
    /// The blob with the value's JSON text.
    pub blob: BlobId,
    /// The length of that text.
    pub bytes: u64,
    /// `object`, `array` or `string`.
    pub shape: String,
    /// How the text begins, what looks like a secret hidden.
    pub preview: String,
    /// The fields of an object: small ones with their value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<Arc<str>, StoredField>,
}

/// A top-level field of a large object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredField {
    /// Small enough to be kept here.
    Json(Value),
    /// Only in the blob; its shape.
    InBlob(String),
}

/// A value on its way to a reader: at hand, or inside a blob under a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PayloadValue<'a> {
    /// At hand.
    Value(&'a Value),
    /// The whole content of a blob, or one top-level field of it.
    InBlob {
        /// Where.
        stored: &'a StoredValue,
        /// Which field; none means the whole.
        key: Option<&'a str>,
    },
}

impl Payload {
    /// A value that is known to be small.
    pub fn json(value: Value) -> Self {
        Self::Json(Arc::new(value))
    }

    /// The whole value.
    pub fn whole(&self) -> PayloadValue<'_> {
        match self {
            Self::Json(value) => PayloadValue::Value(value),
            Self::Blob(stored) => PayloadValue::InBlob { stored, key: None },
        }
    }

    /// The blob that it is in, if it is in one.
    pub fn blob(&self) -> Option<&BlobId> {
        match self {
            Self::Json(_) => None,
            Self::Blob(stored) => Some(&stored.blob),
        }
    }

    /// A top-level field of an object.
    pub fn field(&self, name: &str) -> Option<PayloadValue<'_>> {
        match self {
            Self::Json(value) => value.as_object()?.get(name).map(PayloadValue::Value),
            Self::Blob(stored) => match stored.fields.get_key_value(name)? {
                (_, StoredField::Json(value)) => Some(PayloadValue::Value(value)),
                (key, StoredField::InBlob(_)) => {
                    Some(PayloadValue::InBlob { stored, key: Some(key) })
                }
            },
        }
    }

    /// The names of the top-level fields in order; none if this is no object.
    pub fn field_names(&self) -> Option<Vec<&str>> {
        match self {
            Self::Json(value) => Some(value.as_object()?.keys().map(String::as_str).collect()),
            Self::Blob(stored) if stored.shape == "object" => {
                Some(stored.fields.keys().map(|key| &**key).collect())
            }
            Self::Blob(_) => None,
        }
    }

    /// `object`, `array`, `string`, `number`, `boolean` or `null`.
    pub fn shape(&self) -> &str {
        match self {
            Self::Json(value) => shape(value),
            Self::Blob(stored) => &stored.shape,
        }
    }
}

impl StoredValue {
    /// Describes a large value whose JSON text is `text` and is stored as `blob`.
    pub fn describe(value: &Value, text: &str, blob: BlobId) -> Self {
        let mut kept = 0;
        let mut describe = |(key, value): (&String, &Value)| {
            let bytes = if text_is_within(value, SMALL_FIELD_BYTES) {
                value.to_string().len()
            } else {
                KEPT_BYTES
            };
            let field = if kept + bytes <= KEPT_BYTES && bytes < KEPT_BYTES {
                kept += bytes;
                StoredField::Json(value.clone())
            } else {
                StoredField::InBlob(shape(value).to_owned())
            };
            (Arc::from(key.as_str()), field)
        };
        let fields =
            value.as_object().map(|map| map.iter().take(MOST_FIELDS).map(&mut describe).collect());
        let begin = |text: &str| text.chars().take(PREVIEW_CHARS).collect();
        let preview = match masked(value) {
            Cow::Borrowed(_) => begin(text),
            Cow::Owned(masked) => begin(&masked.to_string()),
        };
        Self {
            blob,
            bytes: text.len() as u64,
            shape: shape(value).to_owned(),
            preview,
            fields: fields.unwrap_or_default(),
        }
    }
}

/// The JSON name of a value's type.
pub fn shape(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether a value's JSON text is surely not much longer than `limit`, found without writing it.
pub fn text_is_within(value: &Value, limit: usize) -> bool {
    fn spend(value: &Value, left: usize) -> Option<usize> {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => left.checked_sub(5),
            Value::String(text) => left.checked_sub(text.len() + 3),
            Value::Array(items) => {
                items.iter().try_fold(left.checked_sub(2)?, |left, item| spend(item, left))
            }
            Value::Object(map) => {
                map.iter().try_fold(left.checked_sub(2)?, |left, (key, value)| {
                    spend(value, left.checked_sub(key.len() + 4)?)
                })
            }
        }
    }
    spend(value, limit).is_some()
}

/// Whether a value has at most `levels` levels of arrays and objects. What is written deeper than a
/// [document](crate::document::DEEPEST) may be could not be read back.
pub fn depth_is_within(value: &Value, levels: usize) -> bool {
    let inside = |value: &Value| levels.checked_sub(1).is_some_and(|n| depth_is_within(value, n));
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        Value::Array(items) => levels > 0 && items.iter().all(inside),
        Value::Object(map) => levels > 0 && map.values().all(inside),
    }
}

/// The longest value that an event carries whole, in bytes.
pub const MOST_SHOWN: usize = 4096;

/// A value, or what it is if it is long.
pub fn shown(payload: &Payload) -> Value {
    match payload {
        Payload::Json(value) if text_is_within(value, MOST_SHOWN) => masked(value).into_owned(),
        Payload::Json(value) => {
            let preview: String = masked(value).to_string().chars().take(200).collect();
            json!({"shape": shape(value), "preview": preview})
        }
        Payload::Blob(stored) => json!({
            "blob": stored.blob, "bytes": stored.bytes, "shape": stored.shape, "preview": stored.preview,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_preview_of_a_large_value_tells_no_secret() {
        let value = json!({"api_key": "sk-123", "text": "x".repeat(LARGE_BYTES)});
        let stored = StoredValue::describe(&value, &value.to_string(), BlobId::from("b"));
        assert!(
            stored.preview.starts_with(r#"{"api_key":"***","text":"xxx"#),
            "{}",
            stored.preview
        );
        assert_eq!(stored.preview.chars().count(), PREVIEW_CHARS);
    }
}
