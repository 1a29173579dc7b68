//! `API`: a request whose every part is given with the call.
//!
//! - in: method, address, query, headers, cookies, one body, how it says who asks, what counts as success
//! - out: `{http_code, headers, result}`
//! - never: reaches a host that is neither granted nor written in the flow, or one inside that is not written;
//!   sends a secret anywhere but to a written host; sets a header that concerns the connection

use crate::builtin::reach::Reach;
use crate::builtin::trouble::{Trouble, arguments};
use crate::http::{
    Address, Asked, Attached, Carrier, Content, Credentials, Sent, Shape, Upload, append,
    is_written, method, plain,
};
use praxis_core::call::http::{Auth, Expect, Output, Success, statuses};
use praxis_core::call::http_check::{HttpFlaw, cookie, header, is_kind};
use praxis_core::call::tool::span;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_core::intake::problem::Words;
use praxis_engine::seams::{Call, Chunks, Failed, Invocation, whole};
use praxis_fence::{Fence, Place};
use reqwest::Url;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Makes requests.
pub(crate) struct Api {
    carrier: Carrier,
    fence: Arc<Fence>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
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
    /// `Some(Null)` where `null` was given.
    #[serde(default, deserialize_with = "given")]
    body: Option<Value>,
    #[serde(default)]
    form: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    files: BTreeMap<String, Files>,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    timeout: Option<Value>,
    #[serde(default)]
    expect: Expect,
    #[serde(default)]
    expect_status: Option<Value>,
}

/// One path, or several under one name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Files {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

fn given<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

impl Api {
    /// The tool `name`.
    pub(crate) fn new(name: &str, reach: &Reach<'_>) -> Self {
        let carrier = Carrier {
            tool: ToolId::from(name),
            most: reach.guard.most,
            hosts: reach.hosts.clone(),
            guard: Arc::clone(reach.guard),
            vault: Arc::clone(reach.vault),
        };
        Self { carrier, fence: Arc::new(Fence::around(reach.folders)) }
    }

    async fn run(&self, mut invocation: Invocation) -> Result<Value, Failed> {
        let trouble = |trouble: Trouble| trouble.into_fault(&self.carrier.tool);
        let mut asked: Arguments = arguments(invocation.arguments.take()).map_err(trouble)?;
        let written = asked.method.as_deref().unwrap_or("GET");
        let method =
            method(written).map_err(|why| Trouble::argument("/method", why)).map_err(trouble)?;
        let success = success(asked.expect_status.take()).map_err(trouble)?;
        let timeout_ms =
            patience(asked.timeout.as_ref(), invocation.timeout_ms).map_err(trouble)?;
        let mut first = address(&asked.url, &invocation.written_hosts).map_err(trouble)?;
        let told = self.credentials(&asked, first.trusted)?;
        let query =
            plain(&asked.query).map_err(|why| trouble(Trouble::argument("/query", why.en)))?;
        append(&mut first.url, query.iter().chain(&told.query));
        self.carrier.short_enough(&first.url)?;
        let shape = Shape { expect: asked.expect, output: Output::Response };
        let content = self.content(asked, &invocation.key).await?;
        let sent = Sent { content, headers: told.headers, key: invocation.key, success };
        self.carrier.carry(Asked { first, method, sent, shape, timeout_ms }).await
    }

    /// What is said besides the body. A secret goes to a host that the author of the flow wrote, or nowhere: who
    /// chose the address must not choose who hears it.
    fn credentials(&self, asked: &Arguments, trusted: bool) -> Result<Credentials, Fault> {
        let trouble = |trouble: Trouble| trouble.into_fault(&self.carrier.tool);
        let mut told = Credentials::default();
        for (name, value) in &asked.headers {
            let flaw = header(name, value).or_else(|| literal(value));
            refuse(flaw, "/headers").map_err(trouble)?;
            told.header(name, value)
                .map_err(|why| trouble(Trouble::argument("/headers", why.en)))?;
        }
        for (name, value) in &asked.cookies {
            let flaw = cookie(name, value).or_else(|| literal(value));
            refuse(flaw, "/cookies").map_err(trouble)?;
            told.cookie(name, value)
                .map_err(|why| trouble(Trouble::argument("/cookies", why.en)))?;
        }
        if let Some(auth) = &asked.auth {
            if !trusted {
                return Err(self.carrier.refused(not_written()));
            }
            told.auth(auth, &self.carrier.vault).map_err(|why| self.carrier.refused(why))?;
        }
        Ok(told)
    }

    async fn content(&self, asked: Arguments, key: &str) -> Result<Content, Fault> {
        let trouble = |trouble: Trouble| trouble.into_fault(&self.carrier.tool);
        if let Some((flaw, at)) = of_body(&asked) {
            return Err(trouble(Trouble::argument(at, flaw.words().en)));
        }
        let Arguments { body, form, files, content_type, .. } = asked;
        if let Some(body) = body {
            return Content::value(body, content_type.as_deref())
                .map_err(|why| trouble(Trouble::argument("/body", why.en)));
        }
        let fields = plain(&form.clone().unwrap_or_default());
        let fields = fields.map_err(|why| trouble(Trouble::argument("/form", why.en)))?;
        if files.is_empty() {
            return Ok(if form.is_some() { Content::form(&fields) } else { Content::Nothing });
        }
        let files = files.into_iter().flat_map(attached).collect();
        let files = self.found(files).await.map_err(trouble)?;
        let upload = Upload::new(fields, files, key).await;
        upload.map(Content::Upload).map_err(|why| why.into_fault(&self.carrier.tool))
    }

    /// Finds files in the open folders.
    async fn found(&self, files: Vec<Attached>) -> Result<Vec<(Attached, Place)>, Trouble> {
        let fence = Arc::clone(&self.fence);
        let find = move |file: Attached| Ok((file.clone(), fence.find(&file.path)?));
        let finding = spawn_blocking(move || files.into_iter().map(find).collect());
        finding.await.unwrap_or(Err(Trouble::Dropped))
    }
}

impl Call for Api {
    fn exec(&self, invocation: Invocation) -> Chunks<'_> {
        whole(self.run(invocation))
    }
}

fn refuse(flaw: Option<HttpFlaw>, at: &str) -> Result<(), Trouble> {
    flaw.map_or(Ok(()), |flaw| Err(Trouble::argument(at, flaw.words().en)))
}

/// A reference among plain values would be sent as it stands, which nobody wants.
fn literal(value: &str) -> Option<HttpFlaw> {
    value.contains("secret:").then_some(HttpFlaw::SecretHere)
}

/// What is wrong with the parts of a body, taken together.
fn of_body(asked: &Arguments) -> Option<(HttpFlaw, &'static str)> {
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

fn attached((field, files): (String, Files)) -> Vec<Attached> {
    let paths = match files {
        Files::One(path) => vec![path],
        Files::Several(paths) => paths,
    };
    let one = |path| Attached { field: field.clone(), path, filename: None, kind: None };
    paths.into_iter().map(one).collect()
}

fn address(url: &str, written_hosts: &[String]) -> Result<Address, Trouble> {
    let mut url = Url::parse(url.trim())
        .map_err(|error| Trouble::argument("/url", format!("the address is wrong: {error}")))?;
    url.set_fragment(None);
    let trusted = is_written(&url, written_hosts);
    Ok(Address { url, trusted })
}

fn success(status: Option<Value>) -> Result<Success, Trouble> {
    if let Some(written) = status.as_ref().filter(|written| statuses(written).is_none()) {
        refuse(Some(HttpFlaw::NoStatus(written.to_string())), "/expect_status")?;
    }
    Ok(Success { status, ..Success::default() })
}

/// A call may take less time than its step, not more.
fn patience(written: Option<&Value>, most: u64) -> Result<u64, Trouble> {
    match (written, span(written)) {
        (None, _) => Ok(most),
        (Some(_), Some(ms)) if ms > 0 => Ok(ms.min(most)),
        (Some(_), _) => Err(Trouble::argument(
            "/timeout",
            "a time above zero like `30s` or a number of seconds",
        )),
    }
}

fn not_written() -> Words {
    let en = "`auth` is for hosts that the flow itself names; the address of this call comes from elsewhere";
    (en, "`auth` 只用于流程中写明的主机；此次调用的地址来自别处").into()
}
