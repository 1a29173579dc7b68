//! The HTTP request of a manifest as a `Callable`. Everything is resolved before anything is sent.

use super::carrier::{Carrier, HttpRequest, OutgoingRequest};
use super::content::HttpContent;
use super::credentials::Credentials;
use super::pairs;
use super::request::{FilledTemplate, FilledUrl, address, body, check, fill_value};
use super::shape::AnswerShape;
use super::upload::{AttachedFile, MultipartUpload, UploadError};
use super::web::GuardedWeb;
use praxis_core::call::http::{FilePart, HttpTransport, Multipart};
use praxis_core::call::tool::Tool;
use praxis_core::fault::Fault;
use praxis_core::problem::Bilingual;
use praxis_engine::seams::{Callable, FailedCall, Invocation, OutputStream, whole};
use praxis_fence::{Fence, FencedPath, FolderGrants, OutsideFence};
use reqwest::{Method, Url};
use serde_json::Value;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// An HTTP request as a `Callable`.
pub struct HttpCall {
    http: HttpTransport,
    method: Method,
    carrier: Carrier,
    fence: Arc<Fence>,
}

impl HttpCall {
    /// Creates the call of a manifest. Files are sent from the granted folders only.
    pub fn new(
        tool: &Tool,
        http: &HttpTransport,
        web: &GuardedWeb,
        folders: &FolderGrants,
    ) -> Result<Self, String> {
        let method = method(&http.method)?;
        check(&http.url)?;
        let mut carrier = web.carrier(&tool.id);
        carrier.most = tool.limits.output_bytes.unwrap_or(carrier.most);
        let fence = Arc::new(Fence::around(folders));
        Ok(Self { http: http.clone(), method, carrier, fence })
    }

    async fn run(&self, invocation: Invocation) -> Result<Value, FailedCall> {
        let refused = |why: Bilingual| self.carrier.refused(why);
        let mut first = address(&self.http.url, &invocation.arguments).map_err(refused)?;
        let told = self.credentials().map_err(refused)?;
        let query = pairs::filled(&self.http.query, &invocation.arguments).map_err(refused)?;
        append(&mut first.url, query.iter().chain(&told.query));
        let content = self.content(&invocation).await?;
        let success = self.http.success.clone().unwrap_or_default();
        let sent = OutgoingRequest { content, headers: told.headers, key: invocation.key, success };
        let shape = AnswerShape { expect: self.http.expect, output: self.http.output };
        let (method, timeout_ms) = (self.method.clone(), invocation.timeout_ms);
        self.carrier.carry(HttpRequest { first, method, sent, shape, timeout_ms }).await
    }

    fn credentials(&self) -> Result<Credentials, Bilingual> {
        let (mut told, vault) = (Credentials::default(), &*self.carrier.vault);
        told.headers(&self.http.headers, vault)?;
        told.cookies(&self.http.cookies, vault)?;
        if let Some(auth) = &self.http.auth {
            told.auth(auth, vault)?;
        }
        Ok(told)
    }

    async fn content(&self, invocation: &Invocation) -> Result<HttpContent, Fault> {
        let (http, arguments) = (&self.http, &invocation.arguments);
        let refused = |why: Bilingual| self.carrier.refused(why);
        if let Some(form) = &http.form {
            return Ok(HttpContent::form(&pairs::filled(form, arguments).map_err(refused)?));
        }
        if let Some(multipart) = &http.multipart {
            return self.upload(multipart, invocation).await;
        }
        match &http.body {
            Some(template) => {
                let filled = body(template, arguments).map_err(refused)?;
                HttpContent::value(filled, http.content_type.as_deref()).map_err(refused)
            }
            None if matches!(self.method, Method::GET | Method::HEAD | Method::DELETE) => {
                Ok(HttpContent::Nothing)
            }
            None => HttpContent::value(arguments.clone(), None).map_err(refused),
        }
    }

    async fn upload(
        &self,
        sent: &Multipart,
        invocation: &Invocation,
    ) -> Result<HttpContent, Fault> {
        let refused = |why: Bilingual| self.carrier.refused(why);
        let fields = pairs::filled(&sent.fields, &invocation.arguments).map_err(refused)?;
        let mut files = Vec::new();
        for (field, part) in &sent.files {
            files.extend(attached(field, part, &invocation.arguments).map_err(refused)?);
        }
        let files = self.found(files).await?;
        let upload = MultipartUpload::new(fields, files, &invocation.key).await;
        let upload = upload.map_err(|why| why.into_fault(&self.carrier.tool))?;
        Ok(HttpContent::Upload(upload))
    }

    /// Finds the files inside the granted folders.
    async fn found(
        &self,
        files: Vec<AttachedFile>,
    ) -> Result<Vec<(AttachedFile, FencedPath)>, Fault> {
        let fence = Arc::clone(&self.fence);
        let find = move |file: AttachedFile| fence.find(&file.path).map(|place| (file, place));
        let finding = spawn_blocking(move || files.into_iter().map(find).collect());
        let found: Result<_, OutsideFence> =
            finding.await.map_err(|_| UploadError::Dropped.into_fault(&self.carrier.tool))?;
        found.map_err(|outside| self.carrier.refused(outside.words()))
    }
}

impl Callable for HttpCall {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        whole(self.run(invocation))
    }
}

/// Parses an HTTP method. Rejects `CONNECT`, which opens a tunnel, and `TRACE`, which echoes the headers.
pub(crate) fn method(written: &str) -> Result<Method, String> {
    let method = Method::from_bytes(written.to_uppercase().as_bytes());
    let method = method.ok().filter(|method| !matches!(*method, Method::CONNECT | Method::TRACE));
    method.ok_or_else(|| format!("unsupported HTTP method `{written}`"))
}

/// Appends pairs to the query of a URL.
pub(crate) fn append<'a>(url: &mut Url, pairs: impl Iterator<Item = &'a (String, String)>) {
    let mut pairs = pairs.peekable();
    // Without pairs, `query_pairs_mut` would add an empty `?`.
    if pairs.peek().is_some() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
}

/// Returns the files that one part of a manifest names; empty if the argument is missing or `null`.
fn attached(
    field: &str,
    part: &FilePart,
    arguments: &Value,
) -> Result<Vec<AttachedFile>, Bilingual> {
    let path = match fill_value(&Value::from(part.path.as_str()), arguments)? {
        FilledTemplate::With(Value::Null) | FilledTemplate::Missing => return Ok(vec![]),
        FilledTemplate::With(path) => path,
    };
    let listed = path.as_array().map_or(std::slice::from_ref(&path), Vec::as_slice);
    let one = |path: &Value| {
        let no_path =
            || (format!("`{field}` must be a file path"), format!("`{field}` 必须是文件路径"));
        let path = path.as_str().ok_or_else(no_path)?.into();
        let (filename, kind) = (part.filename.clone(), part.content_type.clone());
        Ok(AttachedFile { field: field.to_owned(), path, filename, kind })
    };
    listed.iter().map(one).collect()
}

impl From<Url> for FilledUrl {
    /// Wraps a URL that does not come from the manifest or the flow.
    fn from(url: Url) -> Self {
        Self { url, trusted: false }
    }
}
