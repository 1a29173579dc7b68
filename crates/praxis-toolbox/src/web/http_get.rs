//! `http_get`: gets the page at a URL, parsed if it is JSON.

use super::address::address;
use crate::builtins::Builtins;
use crate::error::{BuiltinError, arguments};
use crate::json_text::not_json;
use crate::seam::{WebClient, WebPage};
use crate::wording::{kind, prefixed};
use praxis_core::document::read_json;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Callable, FailedCall, Invocation, OutputStream, whole};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use url::Url;

/// The tool `http_get`.
pub(crate) struct HttpGet {
    tool: ToolId,
    web: Arc<dyn WebClient>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpGetArguments {
    url: String,
    #[serde(default)]
    query: Map<String, Value>,
    #[serde(default)]
    expect: GetExpect,
}

/// The expected format of the response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GetExpect {
    #[default]
    Any,
    Json,
    Text,
}

impl HttpGet {
    /// Creates the tool `name`.
    pub(crate) fn new(name: &str, of: &Builtins) -> Self {
        Self { tool: ToolId::from(name), web: Arc::clone(&of.web) }
    }

    async fn run(&self, mut invocation: Invocation) -> Result<Value, FailedCall> {
        let failed = |error: BuiltinError| error.into_fault(&self.tool);
        let asked: HttpGetArguments = arguments(invocation.arguments.take()).map_err(failed)?;
        let url = with_query(&asked).map_err(failed)?;
        let page = self.web.get(&self.tool, url, &invocation).await?;
        Ok(output(page, asked.expect).map_err(failed)?)
    }
}

impl Callable for HttpGet {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        whole(self.run(invocation))
    }
}

/// Returns the URL with the encoded query.
fn with_query(asked: &HttpGetArguments) -> Result<Url, BuiltinError> {
    let mut url = address(&asked.url)?;
    for (name, value) in &asked.query {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null => continue,
            Value::Array(_) | Value::Object(_) => {
                let at = format!("/query/{name}");
                let kind = kind(value);
                let en = format!("must be a string, a number or a boolean, got {}", kind.en);
                let zh = format!("必须是字符串、数字或布尔值，实际为{}", kind.zh);
                return Err(BuiltinError::argument(at, (en, zh)));
            }
        };
        url.query_pairs_mut().append_pair(name, &text);
    }
    Ok(url)
}

fn output(page: WebPage, expect: GetExpect) -> Result<Value, BuiltinError> {
    let WebPage { url, status, content_type, text } = page;
    let bytes = text.len();
    let read = if expect == GetExpect::Text {
        None
    } else {
        Some(read_json(text.trim_start_matches('\u{feff}')))
    };
    let (is_json, body) = match read {
        Some(Ok(value)) => (true, value),
        Some(Err(error)) if expect == GetExpect::Json => {
            return Err(BuiltinError::Failed(prefixed(
                "the response is ",
                "响应",
                &not_json(&error),
            )));
        }
        Some(Err(_)) | None => (false, Value::String(text)),
    };
    Ok(json!({
        "url": url,
        "status": status,
        "content_type": content_type,
        "is_json": is_json,
        "body": body,
        "byte_count": bytes,
    }))
}
