//! What the tools need of the world besides files: requests over HTTP.

use futures::future::BoxFuture;
use praxis_core::call::http::{Auth, HttpExpect, Success};
use praxis_core::ids::ToolId;
use praxis_engine::seams::{FailedCall, Invocation};
use praxis_fence::FencedPath;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// HTTP for tools whose arguments name the address.
///
/// Implementations decide which hosts may be reached, and reach no others, on redirects either. They bound the answer,
/// take no longer than the invocation may, and show no secret. Dropping the future cancels the request.
pub trait WebClient: Send + Sync {
    /// Makes a request and returns its answer as `{http_code, headers, result}`.
    ///
    /// What `auth` refers to is sent to a host that is written in the flow, or nowhere.
    fn send<'a>(
        &'a self,
        tool: &'a ToolId,
        request: WebRequest,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Value, FailedCall>>;

    /// Gets the text at an address. Nothing of the caller is sent but the address.
    fn get<'a>(
        &'a self,
        tool: &'a ToolId,
        url: Url,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<WebPage, FailedCall>>;
}

/// A request whose every part is meant as it stands: nothing in it is a template.
#[derive(Debug)]
pub struct WebRequest {
    /// `GET`, `POST` …
    pub method: String,
    /// The address.
    pub url: Url,
    /// Pairs behind the address. A list repeats its name; `null` is no pair.
    pub query: BTreeMap<String, Value>,
    /// Headers. None holds a reference to a secret.
    pub headers: BTreeMap<String, String>,
    /// Cookies. None holds a reference to a secret.
    pub cookies: BTreeMap<String, String>,
    /// With which secret it says who asks.
    pub auth: Option<Auth>,
    /// What is sent after the headers.
    pub body: WebBody,
    /// What the answer must be.
    pub expect: HttpExpect,
    /// When the answer counts as success.
    pub success: Success,
}

/// The body of a request.
#[derive(Debug)]
pub enum WebBody {
    /// None.
    Nothing,
    /// A value as JSON, or a text of another kind.
    Value {
        /// The value.
        value: Value,
        /// What it is; JSON unless said otherwise.
        content_type: Option<String>,
    },
    /// Pairs as a form sends them.
    Form(BTreeMap<String, Value>),
    /// Pairs and files.
    Upload {
        /// The pairs.
        form: BTreeMap<String, Value>,
        /// The files.
        files: Vec<WebFile>,
    },
}

/// A file that goes along with a request.
#[derive(Debug)]
pub struct WebFile {
    /// The name of its field.
    pub field: String,
    /// Its path as written, whose last part is its name.
    pub path: PathBuf,
    /// Where it really is: inside of the open folders.
    pub place: FencedPath,
}

/// A page that was got.
#[derive(Debug, PartialEq, Eq)]
pub struct WebPage {
    /// Where it was at last, after redirects.
    pub url: String,
    /// The status of the answer, a success.
    pub status: u16,
    /// What the server says that it is; empty if it says nothing.
    pub content_type: String,
    /// The text.
    pub text: String,
}
