//! The request of a manifest as a call: everything that is sent is known before anything is.

use super::carrier::{Asked, Carrier, Sent};
use super::content::Content;
use super::credentials::Credentials;
use super::pairs;
use super::request::{Address, Filled, address, body, check, fill_value};
use super::shape::Shape;
use super::upload::{Attached, NoUpload, Upload};
use super::web::GuardedWeb;
use praxis_core::call::http::{FilePart, Http, Multipart};
use praxis_core::call::tool::Tool;
use praxis_core::fault::Fault;
use praxis_core::problem::Words;
use praxis_engine::seams::{Call, Chunks, Failed, Invocation, whole};
use praxis_fence::{Fence, Folders, Outside, Place};
use reqwest::{Method, Url};
use serde_json::Value;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// An HTTP request as a call.
pub struct HttpCall {
    http: Http,
    method: Method,
    carrier: Carrier,
    fence: Arc<Fence>,
}

impl HttpCall {
    /// The request of a manifest. Files are sent from the open folders only.
    pub fn new(
        tool: &Tool,
        http: &Http,
        web: &GuardedWeb,
        folders: &Folders,
    ) -> Result<Self, String> {
        let method = method(&http.method)?;
        check(&http.url)?;
        let mut carrier = web.carrier(&tool.id);
        carrier.most = tool.limits.output_bytes.unwrap_or(carrier.most);
        let fence = Arc::new(Fence::around(folders));
        Ok(Self { http: http.clone(), method, carrier, fence })
    }

    async fn run(&self, invocation: Invocation) -> Result<Value, Failed> {
        let refused = |why: Words| self.carrier.refused(why);
        let mut first = address(&self.http.url, &invocation.arguments).map_err(refused)?;
        let told = self.credentials().map_err(refused)?;
        let query = pairs::filled(&self.http.query, &invocation.arguments).map_err(refused)?;
        append(&mut first.url, query.iter().chain(&told.query));
        let content = self.content(&invocation).await?;
        let success = self.http.success.clone().unwrap_or_default();
        let sent = Sent { content, headers: told.headers, key: invocation.key, success };
        let shape = Shape { expect: self.http.expect, output: self.http.output };
        let (method, timeout_ms) = (self.method.clone(), invocation.timeout_ms);
        self.carrier.carry(Asked { first, method, sent, shape, timeout_ms }).await
    }

    fn credentials(&self) -> Result<Credentials, Words> {
        let (mut told, vault) = (Credentials::default(), &*self.carrier.vault);
        told.headers(&self.http.headers, vault)?;
        told.cookies(&self.http.cookies, vault)?;
        if let Some(auth) = &self.http.auth {
            told.auth(auth, vault)?;
        }
        Ok(told)
    }

    async fn content(&self, invocation: &Invocation) -> Result<Content, Fault> {
        let (http, arguments) = (&self.http, &invocation.arguments);
        let refused = |why: Words| self.carrier.refused(why);
        if let Some(form) = &http.form {
            return Ok(Content::form(&pairs::filled(form, arguments).map_err(refused)?));
        }
        if let Some(multipart) = &http.multipart {
            return self.upload(multipart, invocation).await;
        }
        match &http.body {
            Some(template) => {
                let filled = body(template, arguments).map_err(refused)?;
                Content::value(filled, http.content_type.as_deref()).map_err(refused)
            }
            None if matches!(self.method, Method::GET | Method::HEAD | Method::DELETE) => {
                Ok(Content::Nothing)
            }
            None => Content::value(arguments.clone(), None).map_err(refused),
        }
    }

    async fn upload(&self, sent: &Multipart, invocation: &Invocation) -> Result<Content, Fault> {
        let refused = |why: Words| self.carrier.refused(why);
        let fields = pairs::filled(&sent.fields, &invocation.arguments).map_err(refused)?;
        let mut files = Vec::new();
        for (field, part) in &sent.files {
            files.extend(attached(field, part, &invocation.arguments).map_err(refused)?);
        }
        let files = self.found(files).await?;
        let upload = Upload::new(fields, files, &invocation.key).await;
        let upload = upload.map_err(|why| why.into_fault(&self.carrier.tool))?;
        Ok(Content::Upload(upload))
    }

    /// Finds files in the open folders.
    async fn found(&self, files: Vec<Attached>) -> Result<Vec<(Attached, Place)>, Fault> {
        let fence = Arc::clone(&self.fence);
        let find = move |file: Attached| fence.find(&file.path).map(|place| (file, place));
        let finding = spawn_blocking(move || files.into_iter().map(find).collect());
        let found: Result<_, Outside> =
            finding.await.map_err(|_| NoUpload::Dropped.into_fault(&self.carrier.tool))?;
        found.map_err(|outside| self.carrier.refused(outside.words()))
    }
}

impl Call for HttpCall {
    fn exec(&self, invocation: Invocation) -> Chunks<'_> {
        whole(self.run(invocation))
    }
}

/// The method of a request. What asks for a tunnel or for an echo of the headers is none here.
pub(crate) fn method(written: &str) -> Result<Method, String> {
    let method = Method::from_bytes(written.to_uppercase().as_bytes());
    let method = method.ok().filter(|method| !matches!(*method, Method::CONNECT | Method::TRACE));
    method.ok_or_else(|| format!("`{written}` is no HTTP method"))
}

/// Puts pairs behind an address.
pub(crate) fn append<'a>(url: &mut Url, pairs: impl Iterator<Item = &'a (String, String)>) {
    let mut pairs = pairs.peekable();
    // Else an address without a query would get a question mark.
    if pairs.peek().is_some() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
}

/// The files that one part of a manifest names; none if the argument is missing.
fn attached(field: &str, part: &FilePart, arguments: &Value) -> Result<Vec<Attached>, Words> {
    let path = match fill_value(&Value::from(part.path.as_str()), arguments)? {
        Filled::With(Value::Null) | Filled::Missing => return Ok(vec![]),
        Filled::With(path) => path,
    };
    let listed = path.as_array().map_or(std::slice::from_ref(&path), Vec::as_slice);
    let one = |path: &Value| {
        let no_path = || (format!("`{field}` takes a path"), format!("`{field}` 需要路径"));
        let path = path.as_str().ok_or_else(no_path)?.into();
        let (filename, kind) = (part.filename.clone(), part.content_type.clone());
        Ok(Attached { field: field.to_owned(), path, filename, kind })
    };
    listed.iter().map(one).collect()
}

impl From<Url> for Address {
    /// An address that somebody else chose.
    fn from(url: Url) -> Self {
        Self { url, trusted: false }
    }
}
