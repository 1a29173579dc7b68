//! Values as the journal stores them: small ones inline, large ones as a reference to a blob.

use crate::ids::BlobId;
use crate::mask::masked;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The length of JSON text above which a value is stored in a blob.
pub const LARGE_BYTES: usize = 64 * 1024;
/// The length of the preview in a reference.
const PREVIEW_CHARS: usize = 200;
/// The size up to which a field of a large object is kept in the reference.
const SMALL_FIELD_BYTES: usize = 1024;
/// The total size of the fields kept in a reference.
const KEPT_BYTES: usize = 16 * 1024;
/// The maximum number of fields that a reference lists.
const MOST_FIELDS: usize = 10_000;

/// A JSON value, inline or in a blob.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    /// The value itself.
    Json(Arc<Value>),
    /// A reference to the blob with the value.
    Blob(Arc<StoredValue>),
}

/// A reference to a large value: enough to show it, to sync its small fields and to find the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredValue {
    /// The blob with the value's JSON text.
    pub blob: BlobId,
    /// The length of that text.
    pub bytes: u64,
    /// The type of the value: `object`, `array` or `string`.
    pub shape: String,
    /// The beginning of the text, with secrets masked.
    pub preview: String,
    /// The fields of an object; small ones with their value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<Arc<str>, StoredField>,
}

/// A top-level field of a large object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredField {
    /// The value of a small field.
    Json(Value),
    /// The type of a field that is only in the blob.
    InBlob(String),
}

/// A borrowed value: inline, or a field in a blob.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PayloadValue<'a> {
    /// An inline value.
    Value(&'a Value),
    /// The whole content of a blob, or one top-level field of it.
    InBlob {
        /// The reference to the blob.
        stored: &'a StoredValue,
        /// The field; `None` means the whole value.
        key: Option<&'a str>,
    },
}

impl Payload {
    /// Wraps a value that is known to be small.
    pub fn json(value: Value) -> Self {
        Self::Json(Arc::new(value))
    }

    /// Returns the whole value.
    pub fn whole(&self) -> PayloadValue<'_> {
        match self {
            Self::Json(value) => PayloadValue::Value(value),
            Self::Blob(stored) => PayloadValue::InBlob { stored, key: None },
        }
    }

    /// Returns the blob that holds the value, if any.
    pub fn blob(&self) -> Option<&BlobId> {
        match self {
            Self::Json(_) => None,
            Self::Blob(stored) => Some(&stored.blob),
        }
    }

    /// Returns a top-level field of an object.
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

    /// Returns the names of the top-level fields in order; `None` if the value is not an object.
    pub fn field_names(&self) -> Option<Vec<&str>> {
        match self {
            Self::Json(value) => Some(value.as_object()?.keys().map(String::as_str).collect()),
            Self::Blob(stored) if stored.shape == "object" => {
                Some(stored.fields.keys().map(|key| &**key).collect())
            }
            Self::Blob(_) => None,
        }
    }

    /// Returns the type: `object`, `array`, `string`, `number`, `boolean` or `null`.
    pub fn shape(&self) -> &str {
        match self {
            Self::Json(value) => shape(value),
            Self::Blob(stored) => &stored.shape,
        }
    }
}

impl StoredValue {
    /// Describes a large value with JSON text `text`, stored in `blob`.
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

/// Returns the JSON name of a value's type.
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

/// Returns true if a value's JSON text has at most about `limit` bytes. A cheap estimate: it does not serialize the
/// value, and ignores escapes and long numbers.
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

/// Returns true if a value has at most `levels` levels of arrays and objects. A value nested deeper than
/// [`DEEPEST`](crate::document::DEEPEST) could not be read back.
pub fn depth_is_within(value: &Value, levels: usize) -> bool {
    let inside = |value: &Value| levels.checked_sub(1).is_some_and(|n| depth_is_within(value, n));
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        Value::Array(items) => levels > 0 && items.iter().all(inside),
        Value::Object(map) => levels > 0 && map.values().all(inside),
    }
}

/// The maximum size of a value that an event shows whole, in bytes.
pub const MOST_SHOWN: usize = 4096;

/// Returns the masked value, or its type and a preview if it is long.
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
