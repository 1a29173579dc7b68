//! The body of a request, and how often it is wanted: each hop that takes it gets it from the beginning.

use super::pairs::{UrlPairs, encoded};
use super::upload::MultipartUpload;
use praxis_core::problem::Bilingual;
use reqwest::Body;
use serde_json::Value;
use std::io;

const JSON: &str = "application/json";

/// What is sent after the headers.
pub(crate) enum HttpContent {
    /// Nothing.
    Nothing,
    /// A text of a kind.
    Text {
        /// `application/json` …
        kind: String,
        /// The text.
        text: String,
    },
    /// Pairs and files.
    Upload(MultipartUpload),
}

impl HttpContent {
    /// A value as JSON, or as the text that it is if the kind is another one.
    pub(crate) fn value(value: Value, kind: Option<&str>) -> Result<Self, Bilingual> {
        let kind = kind.unwrap_or(JSON);
        let text = match value {
            value if is_json(kind) => value.to_string(),
            Value::String(text) => text,
            _ => {
                let en = format!("a body of the kind `{kind}` must be a text");
                return Err((en, format!("类型为 `{kind}` 的请求体须为文本")).into());
            }
        };
        Ok(Self::Text { kind: kind.to_owned(), text })
    }

    /// Pairs as a form sends them.
    pub(crate) fn form(pairs: &UrlPairs) -> Self {
        Self::Text { kind: "application/x-www-form-urlencoded".to_owned(), text: encoded(pairs) }
    }

    /// What it is; nothing has no kind.
    pub(super) fn kind(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Text { kind, .. } => Some(kind.clone()),
            Self::Upload(upload) => Some(upload.kind()),
        }
    }

    /// The bytes, from the beginning.
    pub(super) async fn body(&self) -> io::Result<Body> {
        match self {
            Self::Nothing => Ok(Body::default()),
            Self::Text { text, .. } => Ok(Body::from(text.clone())),
            Self::Upload(upload) => upload.body().await,
        }
    }
}

/// Whether a kind of content is JSON: `application/json; charset=utf-8`, `application/problem+json`.
pub(super) fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == JSON || kind.ends_with("+json")
}
