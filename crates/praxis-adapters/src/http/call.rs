//! Makes the request: checks every hop, bounds the answer, says what is known of the effect.

use super::guard::{Barred, Guard, no_client};
use super::hosts::Hosts;
use super::redirect::{Turn, Way};
use super::reply::{self, causes};
use super::request::{address, body, check};
use crate::answer;
use crate::secrets::Vault;
use praxis_core::call::tool::{Http, Tool};
use praxis_core::fault::{Certainty, Fault, Right};
use praxis_core::ids::ToolId;
use praxis_core::intake::problem::Words;
use praxis_engine::seams::{Call, Chunks, Failed, Invocation, whole};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How much of an error's body is shown.
const SHOWN: usize = 300;

/// An HTTP request as a call.
pub struct HttpCall {
    tool: ToolId,
    http: Http,
    method: Method,
    most: u64,
    /// Which hosts somebody else may choose.
    hosts: Hosts,
    guard: Arc<Guard>,
    vault: Arc<Vault>,
}

/// What is sent.
pub(super) struct Sent {
    pub(super) body: Option<String>,
    pub(super) headers: HeaderMap,
    pub(super) key: String,
    pub(super) timeout_ms: u64,
}

impl HttpCall {
    /// The request of a manifest.
    pub fn new(
        tool: &Tool,
        http: &Http,
        guard: Arc<Guard>,
        vault: Arc<Vault>,
    ) -> Result<Self, String> {
        let method = Method::from_bytes(http.method.to_uppercase().as_bytes());
        let method = method.map_err(|_| format!("`{}` is no HTTP method", http.method))?;
        check(&http.url)?;
        let most = tool.limits.output_bytes.unwrap_or(guard.most);
        // Where the manifest leaves the host to an argument, that is its grant.
        let (tool, http, hosts) = (tool.id.clone(), http.clone(), Hosts::any());
        Ok(Self { tool, http, method, most, hosts, guard, vault })
    }

    /// A request that only gets, from an address that is given with each call, at these hosts.
    pub(super) fn to_hosts(
        tool: &ToolId,
        http: Http,
        hosts: Hosts,
        guard: Arc<Guard>,
        vault: Arc<Vault>,
    ) -> Self {
        let most = guard.most;
        Self { tool: tool.clone(), http, method: Method::GET, most, hosts, guard, vault }
    }

    async fn run(&self, invocation: Invocation) -> Result<Value, Failed> {
        let first = address(&self.http.url, &invocation.arguments);
        let first = first.map_err(|why| self.refused(why))?;
        let sent = self.prepare(invocation).map_err(|why| self.refused(why))?;
        let mut way = Way::new(first, self.method.clone());
        let answered = self.travel(&mut way, &sent).await;
        let text = answered.map_err(|fault| if way.acted { self.unclear(fault) } else { fault })?;
        self.judged(answer::value(&text))
    }

    /// Everything that is sent is known before anything is.
    fn prepare(&self, invocation: Invocation) -> Result<Sent, Words> {
        let body = match &self.http.body {
            Some(template) => Some(body(template, &invocation.arguments)?.to_string()),
            None if matches!(self.method, Method::GET | Method::HEAD | Method::DELETE) => None,
            None => Some(invocation.arguments.to_string()),
        };
        let (key, timeout_ms) = (invocation.key, invocation.timeout_ms);
        Ok(Sent { body, headers: self.headers()?, key, timeout_ms })
    }

    fn headers(&self) -> Result<HeaderMap, Words> {
        let mut headers = HeaderMap::new();
        for (name, written) in &self.http.headers {
            let name = HeaderName::try_from(name).map_err(|_| {
                (format!("`{name}` is no header name"), format!("`{name}` 不是标头名"))
            })?;
            let mut value = HeaderValue::try_from(self.vault.reveal(written)?).map_err(|_| {
                let en = format!("the value of header `{name}` is not allowed");
                (en, format!("标头 `{name}` 的值不合规"))
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// The body of the last answer.
    async fn travel(&self, way: &mut Way, sent: &Sent) -> Result<Vec<u8>, Fault> {
        self.read(self.arrive(way, sent).await?).await
    }

    /// Sends, and follows redirects hop by hop, to the last answer.
    pub(super) async fn arrive(&self, way: &mut Way, sent: &Sent) -> Result<Response, Fault> {
        loop {
            let response = self.send(way, sent).await?;
            match way.turn(&response) {
                Turn::On => {}
                Turn::Stay => return Ok(response),
                Turn::TooMany => return Err(self.failed(Way::too_many())),
            }
        }
    }

    async fn send(&self, way: &Way, sent: &Sent) -> Result<Response, Fault> {
        let client = if way.here.trusted {
            self.guard.trusted().map_err(|why| self.refused(no_client(why)))?
        } else {
            let checked = self.guard.checked(&way.here.url, &self.hosts).await;
            checked.map_err(|barred| self.barred(barred))?
        };
        let mut request = client
            .request(way.method.clone(), way.here.url.clone())
            .timeout(Duration::from_millis(sent.timeout_ms))
            .header("accept", "application/json, text/plain;q=0.8, */*;q=0.5")
            .header("accept-encoding", "identity");
        if !matches!(way.method, Method::GET | Method::HEAD) {
            request = request.header("idempotency-key", &sent.key);
        }
        if let Some(body) = sent.body.as_ref().filter(|_| way.at_home && !way.acted) {
            request = request.header("content-type", "application/json").body(body.clone());
        }
        if way.at_home {
            request = request.headers(sent.headers.clone());
        }
        request.send().await.map_err(|error| self.not_sent(&error, sent))
    }

    fn not_sent(&self, error: &reqwest::Error, sent: &Sent) -> Fault {
        // The address may hold an argument that is nobody's business; the cause is enough.
        let message = causes(error);
        if error.is_connect() {
            self.unavailable(message)
        } else if error.is_builder() {
            let zh = format!("无法发出请求：{message}");
            self.refused((message, zh))
        } else if error.is_timeout() {
            Fault::Timeout { tool: self.tool.clone(), after_ms: sent.timeout_ms }
        } else {
            Fault::ToolBroke { tool: self.tool.clone(), message, retry_after_ms: None }
        }
    }

    pub(super) async fn read(&self, response: Response) -> Result<Vec<u8>, Fault> {
        let status = response.status();
        if status.is_success() {
            return reply::body(response, &self.tool, self.most).await;
        }
        let headers = response.headers().clone();
        // Before it is cut: half a secret would not be found.
        let words = self.vault.hide(&reply::words(response).await).into_owned();
        // As JSON: what a server says may end up on a terminal.
        let words = answer::value(words.as_bytes()).to_string();
        let words: String = words.chars().take(SHOWN).collect();
        Err(reply::fault(&self.tool, status, &headers, &words))
    }

    /// An answer of success may still say that it is none.
    fn judged(&self, output: Value) -> Result<Value, Failed> {
        match &self.http.success {
            Some(rule) if !rule.holds(&output) => {
                let message = format!("its answer does not have {} = {}", rule.field, rule.equals);
                Err(Failed { fault: self.failed(message), output: Some(output) })
            }
            _ => Ok(output),
        }
    }

    /// What went wrong after a write was taken says nothing about the write.
    fn unclear(&self, fault: Fault) -> Fault {
        match fault.certainty() {
            Certainty::Unknown => fault,
            Certainty::NotDone => Fault::ToolBroke {
                tool: self.tool.clone(),
                message: format!("it took the request, but its result cannot be read: {fault}"),
                retry_after_ms: fault.retry_after_ms(),
            },
        }
    }

    pub(super) fn failed(&self, message: String) -> Fault {
        let tool = self.tool.clone();
        Fault::ToolFailed { tool, message, retryable: false, retry_after_ms: None }
    }

    pub(super) fn refused(&self, why: impl Into<Words>) -> Fault {
        Fault::refused(self.tool.clone(), why)
    }

    fn barred(&self, barred: Barred) -> Fault {
        match barred {
            Barred::Refused(why) => self.refused(why),
            Barred::Unknown(why) => self.unavailable(why),
            Barred::NotGranted(why) => Fault::not_granted(self.tool.clone(), why, Right::Host),
        }
    }

    fn unavailable(&self, message: String) -> Fault {
        Fault::ToolUnavailable { tool: self.tool.clone(), message }
    }
}

impl Call for HttpCall {
    fn exec(&self, invocation: Invocation) -> Chunks<'_> {
        whole(self.run(invocation))
    }
}
