//! `API`: an HTTP request whose every part is an argument of the call.
//!
//! - in: method, URL, query, headers, cookies, one body, authentication, expected status
//! - out: `{http_code, headers, result}`
//! - never: reaches a host that is neither granted nor written in the flow, or a private address that is not written
//!   in the flow; sends a secret to any other than a written host; sets a header that concerns the connection

use super::address::address;
use crate::builtins::Builtins;
use crate::error::{BuiltinError, arguments};
use crate::seam::{WebBody, WebClient, WebFile, WebRequest};
use praxis_core::call::http::{Auth, HttpExpect, Success, statuses};
use praxis_core::call::http_check::is_kind;
use praxis_core::call::tool::span;
use praxis_core::ids::ToolId;
use praxis_core::problem::Bilingual;
use praxis_core::problem::http_flaw::HttpFlaw;
use praxis_engine::seams::{Callable, FailedCall, Invocation, OutputStream, whole};
use praxis_fence::Fence;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// The tool `API`.
pub(crate) struct ApiTool {
    tool: ToolId,
    web: Arc<dyn WebClient>,
    fence: Arc<Fence>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApiArguments {
    #[serde(default)]
    method: Option<String>,
    url: String,
    #[serde(default)]
    query: BTreeMap<String, Value>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    cookies: BTreeMap<String, String>,
    #[serde(default)]
    auth: Option<Auth>,
    /// `Some(Null)` if `null` was given.
    #[serde(default, deserialize_with = "given")]
    body: Option<Value>,
    #[serde(default)]
    form: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    files: BTreeMap<String, UploadFiles>,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    timeout: Option<Value>,
    #[serde(default)]
    expect: HttpExpect,
    #[serde(default)]
    expect_status: Option<Value>,
}

/// One path, or several for the same form field.
#[derive(Deserialize)]
#[serde(untagged)]
enum UploadFiles {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

fn given<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

impl ApiTool {
    /// Creates the tool `name`.
    pub(crate) fn new(name: &str, of: &Builtins) -> Self {
        let fence = Arc::new(Fence::around(&of.folders));
        Self { tool: ToolId::from(name), web: Arc::clone(&of.web), fence }
    }

    async fn run(&self, mut invocation: Invocation) -> Result<Value, FailedCall> {
        let failed = |error: BuiltinError| error.into_fault(&self.tool);
        let mut asked: ApiArguments = arguments(invocation.arguments.take()).map_err(failed)?;
        let success = success(asked.expect_status.take()).map_err(failed)?;
        invocation.timeout_ms =
            patience(asked.timeout.as_ref(), invocation.timeout_ms).map_err(failed)?;
        let request = self.request(asked, success).await.map_err(failed)?;
        self.web.send(&self.tool, request, &invocation).await
    }

    async fn request(
        &self,
        asked: ApiArguments,
        success: Success,
    ) -> Result<WebRequest, BuiltinError> {
        let url = address(&asked.url)?;
        refuse(asked.headers.values().find_map(|value| literal(value)), "/headers")?;
        refuse(asked.cookies.values().find_map(|value| literal(value)), "/cookies")?;
        if let Some((flaw, at)) = of_body(&asked) {
            refuse(Some(flaw), at)?;
        }
        let ApiArguments { method, query, headers, cookies, auth, expect, .. } = asked;
        let method = method.unwrap_or_else(|| "GET".to_owned());
        let body = match (asked.body, asked.form) {
            (Some(value), _) => WebBody::Value { value, content_type: asked.content_type },
            (None, form) if !asked.files.is_empty() => {
                let (form, files) = (form.unwrap_or_default(), self.found(asked.files).await?);
                WebBody::Upload { form, files }
            }
            (None, Some(form)) => WebBody::Form(form),
            (None, None) => WebBody::Nothing,
        };
        Ok(WebRequest { method, url, query, headers, cookies, auth, body, expect, success })
    }

    /// Resolves the files inside the open folders.
    async fn found(
        &self,
        files: BTreeMap<String, UploadFiles>,
    ) -> Result<Vec<WebFile>, BuiltinError> {
        let fence = Arc::clone(&self.fence);
        let find = move |(field, path): (String, PathBuf)| {
            let place = fence.find(&path)?;
            Ok(WebFile { field, path, place })
        };
        let finding = move || files.into_iter().flat_map(paths).map(find).collect();
        spawn_blocking(finding).await.unwrap_or(Err(BuiltinError::Dropped))
    }
}

impl Callable for ApiTool {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        whole(self.run(invocation))
    }
}

fn refuse(flaw: Option<HttpFlaw>, at: &str) -> Result<(), BuiltinError> {
    flaw.map_or(Ok(()), |flaw| Err(BuiltinError::argument(at, flaw.words())))
}

/// Rejects a secret reference in a literal value, which would be sent unresolved.
fn literal(value: &str) -> Option<HttpFlaw> {
    value.contains("secret:").then_some(HttpFlaw::SecretHere)
}

/// Returns the flaw of the body arguments taken together, and the argument to blame.
fn of_body(asked: &ApiArguments) -> Option<(HttpFlaw, &'static str)> {
    let has_kind = asked.headers.keys().any(|name| name.eq_ignore_ascii_case("content-type"));
    let parts = asked.form.is_some() || !asked.files.is_empty();
    match &asked.content_type {
        _ if asked.body.is_some() && parts => Some((HttpFlaw::Bodies, "/body")),
        Some(_) if asked.body.is_none() => Some((HttpFlaw::KindOfBody, "/content_type")),
        Some(kind) if !is_kind(kind) => Some((HttpFlaw::NoKind(kind.clone()), "/content_type")),
        kind if has_kind && (kind.is_some() || parts) => {
            Some((HttpFlaw::Twice("content-type".to_owned()), "/headers"))
        }
        _ => None,
    }
}

/// Pairs every path with the name of its form field.
fn paths((field, files): (String, UploadFiles)) -> Vec<(String, PathBuf)> {
    let paths = match files {
        UploadFiles::One(path) => vec![path],
        UploadFiles::Several(paths) => paths,
    };
    paths.into_iter().map(|path| (field.clone(), path)).collect()
}

fn success(status: Option<Value>) -> Result<Success, BuiltinError> {
    if let Some(written) = status.as_ref().filter(|written| statuses(written).is_none()) {
        refuse(Some(HttpFlaw::NoStatus(written.to_string())), "/expect_status")?;
    }
    Ok(Success { status, ..Success::default() })
}

/// Returns the timeout in milliseconds; a call may shorten the timeout of its step, but not extend it.
fn patience(written: Option<&Value>, most: u64) -> Result<u64, BuiltinError> {
    match (written, span(written)) {
        (None, _) => Ok(most),
        (Some(_), Some(ms)) if ms > 0 => Ok(ms.min(most)),
        (Some(written), _) => Err(BuiltinError::argument("/timeout", bad_timeout(written))),
    }
}

fn bad_timeout(written: &Value) -> Bilingual {
    let en = format!(
        "{written} is not a valid timeout; write a positive time like `30s` or a number of seconds"
    );
    (en, format!("{written} 不是有效的超时时间；请写大于零的时长，如 `30s`，或秒数")).into()
}
