//! `http_get`: the page at an address, as JSON if it is JSON.

use super::address::address;
use crate::builtins::Builtins;
use crate::seam::{Page, Web};
use crate::trouble::{Trouble, arguments};
use praxis_core::document::read_json;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Call, Chunks, Failed, Invocation, whole};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use url::Url;

/// Asks for pages.
pub(crate) struct HttpGet {
    tool: ToolId,
    web: Arc<dyn Web>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    url: String,
    #[serde(default)]
    query: Map<String, Value>,
    #[serde(default)]
    expect: Expect,
}

/// What the answer should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Expect {
    #[default]
    Any,
    Json,
    Text,
}

impl HttpGet {
    /// The tool `name`.
    pub(crate) fn new(name: &str, of: &Builtins) -> Self {
        Self { tool: ToolId::from(name), web: Arc::clone(&of.web) }
    }

    async fn run(&self, mut invocation: Invocation) -> Result<Value, Failed> {
        let trouble = |trouble: Trouble| trouble.into_fault(&self.tool);
        let asked: Arguments = arguments(invocation.arguments.take()).map_err(trouble)?;
        let url = with_query(&asked).map_err(trouble)?;
        let page = self.web.get(&self.tool, url, &invocation).await?;
        Ok(output(page, asked.expect).map_err(trouble)?)
    }
}

impl Call for HttpGet {
    fn exec(&self, invocation: Invocation) -> Chunks<'_> {
        whole(self.run(invocation))
    }
}

/// The address with the query behind it, encoded.
fn with_query(asked: &Arguments) -> Result<Url, Trouble> {
    let mut url = address(&asked.url)?;
    for (name, value) in &asked.query {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null => continue,
            Value::Array(_) | Value::Object(_) => {
                let at = format!("/query/{name}");
                return Err(Trouble::argument(at, "a text, a number, true or false is needed"));
            }
        };
        url.query_pairs_mut().append_pair(name, &text);
    }
    Ok(url)
}

fn output(page: Page, expect: Expect) -> Result<Value, Trouble> {
    let Page { url, status, content_type, text } = page;
    let bytes = text.len();
    let read = if expect == Expect::Text {
        None
    } else {
        Some(read_json(text.trim_start_matches('\u{feff}')))
    };
    let (is_json, body) = match read {
        Some(Ok(value)) => (true, value),
        Some(Err(error)) if expect == Expect::Json => {
            return Err(Trouble::Failed(format!("the answer is no JSON: {error}")));
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
