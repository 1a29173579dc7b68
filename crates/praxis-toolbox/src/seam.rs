//! The seam through which the tools make HTTP requests.

use futures::future::BoxFuture;
use praxis_core::call::http::{Auth, HttpExpect, Success};
use praxis_core::ids::ToolId;
use praxis_engine::seams::{FailedCall, Invocation};
use praxis_fence::FencedPath;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// An HTTP client for tools whose arguments contain the URL.
///
/// Implementations decide which hosts are allowed, and reach no others, even on redirects. They limit the size of the
/// response, respect the time limit of the invocation, and expose no secret. Dropping the future cancels the request.
pub trait WebClient: Send + Sync {
    /// Sends a request and returns the response as `{http_code, headers, result}`.
    ///
    /// The secret of `auth` is sent only to a host that is written in the flow.
    fn send<'a>(
        &'a self,
        tool: &'a ToolId,
        request: WebRequest,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Value, FailedCall>>;

    /// Gets the text at a URL. Sends nothing of the user but the URL.
    fn get<'a>(
        &'a self,
        tool: &'a ToolId,
        url: Url,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<WebPage, FailedCall>>;
}

/// A request with literal parts only: none is a template.
#[derive(Debug)]
pub struct WebRequest {
    /// The method, such as `GET` or `POST`.
    pub method: String,
    /// The URL.
    pub url: Url,
    /// The query parameters. A list repeats its name; `null` is left out.
    pub query: BTreeMap<String, Value>,
    /// The headers. No value is a reference to a secret.
    pub headers: BTreeMap<String, String>,
    /// The cookies. No value is a reference to a secret.
    pub cookies: BTreeMap<String, String>,
    /// The reference to the secret that authenticates the request.
    pub auth: Option<Auth>,
    /// The body.
    pub body: WebBody,
    /// The expected content of the response.
    pub expect: HttpExpect,
    /// The condition under which the response counts as a success.
    pub success: Success,
}

/// The body of a request.
#[derive(Debug)]
pub enum WebBody {
    /// No body.
    Nothing,
    /// A value as JSON, or a text of another content type.
    Value {
        /// The value.
        value: Value,
        /// The content type; JSON by default.
        content_type: Option<String>,
    },
    /// The fields of a URL-encoded form.
    Form(BTreeMap<String, Value>),
    /// The fields and files of a multipart form.
    Upload {
        /// The fields.
        form: BTreeMap<String, Value>,
        /// The files.
        files: Vec<WebFile>,
    },
}

/// A file that is uploaded with a request.
#[derive(Debug)]
pub struct WebFile {
    /// The name of its form field.
    pub field: String,
    /// The path as written; its last part is the file name.
    pub path: PathBuf,
    /// The resolved path, inside the open folders.
    pub place: FencedPath,
}

/// The response of [`WebClient::get`].
#[derive(Debug, PartialEq, Eq)]
pub struct WebPage {
    /// The final URL, after redirects.
    pub url: String,
    /// The status code, a success.
    pub status: u16,
    /// The `Content-Type` of the response; empty if it has none.
    pub content_type: String,
    /// The text.
    pub text: String,
}
