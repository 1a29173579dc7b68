//! The body of a request. Every hop that takes it gets it from the beginning.

use super::pairs::{UrlPairs, encoded};
use super::upload::MultipartUpload;
use praxis_core::problem::Bilingual;
use reqwest::Body;
use serde_json::Value;
use std::io;

const JSON: &str = "application/json";

/// The body of a request.
pub(crate) enum HttpContent {
    /// No body.
    Nothing,
    /// A text with a content type.
    Text {
        /// The content type, such as `application/json`.
        kind: String,
        /// The text.
        text: String,
    },
    /// Form fields and files.
    Upload(MultipartUpload),
}

impl HttpContent {
    /// Creates a body from a value: as JSON, or as plain text if the content type is not JSON.
    pub(crate) fn value(value: Value, kind: Option<&str>) -> Result<Self, Bilingual> {
        let kind = kind.unwrap_or(JSON);
        let text = match value {
            value if is_json(kind) => value.to_string(),
            Value::String(text) => text,
            _ => {
                let en = format!("a body with content type `{kind}` must be a string");
                return Err((en, format!("内容类型为 `{kind}` 的请求体必须是字符串")).into());
            }
        };
        Ok(Self::Text { kind: kind.to_owned(), text })
    }

    /// Creates a URL-encoded form.
    pub(crate) fn form(pairs: &UrlPairs) -> Self {
        Self::Text { kind: "application/x-www-form-urlencoded".to_owned(), text: encoded(pairs) }
    }

    /// Returns the content type; `None` for no body.
    pub(super) fn kind(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Text { kind, .. } => Some(kind.clone()),
            Self::Upload(upload) => Some(upload.kind()),
        }
    }

    /// Returns the bytes, from the beginning.
    pub(super) async fn body(&self) -> io::Result<Body> {
        match self {
            Self::Nothing => Ok(Body::default()),
            Self::Text { text, .. } => Ok(Body::from(text.clone())),
            Self::Upload(upload) => upload.body().await,
        }
    }
}

/// Returns true for a JSON content type: `application/json; charset=utf-8`, `application/problem+json`.
pub(super) fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == JSON || kind.ends_with("+json")
}
