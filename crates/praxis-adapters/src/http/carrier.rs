//! Sends a request and follows it to its final response: checks every hop, limits the size of the response and the
//! time, and reports what is known of the effect.

use super::content::HttpContent;
use super::guard::{Guard, HostBarred, no_client};
use super::hosts::Hosts;
use super::redirect::{RedirectStep, RequestInTransit};
use super::reply::{self, causes};
use super::request::FilledUrl;
use super::shape::{AnswerShape, HttpAnswer};
use crate::answer;
use crate::secrets::Vault;
use praxis_core::call::http::Success;
use praxis_core::fault::{Certainty, Fault, MissingRight};
use praxis_core::field_error::FieldError;
use praxis_core::ids::ToolId;
use praxis_core::problem::Bilingual;
use praxis_engine::seams::FailedCall;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Method, Response, Url};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The maximum length of a URL in bytes.
const MAX_URL_BYTES: usize = 8192;
/// The maximum number of characters of an error's body that are shown.
const SHOWN: usize = 300;

/// Sends the requests of one tool.
pub(crate) struct Carrier {
    /// The tool that makes the requests.
    pub(crate) tool: ToolId,
    /// The maximum size of a response in bytes.
    pub(crate) most: u64,
    /// The hosts that an untrusted URL may reach.
    pub(crate) hosts: Hosts,
    /// The rules for the addresses that such hosts may have.
    pub(crate) guard: Arc<Guard>,
    /// The secrets that no response may show.
    pub(crate) vault: Arc<Vault>,
}

/// The content, headers and idempotency key to send, and the rule that makes a response a success.
pub(crate) struct OutgoingRequest {
    pub(crate) content: HttpContent,
    pub(crate) headers: HeaderMap,
    pub(crate) key: String,
    pub(crate) success: Success,
}

/// A complete request.
pub(crate) struct HttpRequest {
    pub(crate) first: FilledUrl,
    pub(crate) method: Method,
    pub(crate) sent: OutgoingRequest,
    pub(crate) shape: AnswerShape,
    pub(crate) timeout_ms: u64,
}

impl Carrier {
    /// Makes the request and returns its output.
    pub(crate) async fn carry(&self, asked: HttpRequest) -> Result<Value, FailedCall> {
        let HttpRequest { first, method, sent, shape, timeout_ms } = asked;
        let mut way = RequestInTransit::new(first, method);
        let answer = self.fetch(&mut way, (&sent, shape), timeout_ms).await?;
        let result = shape.result(&answer).map_err(|detail| self.invalid(detail))?;
        let rule = sent.success.rule().filter(|rule| !rule.holds(&result));
        let output = shape.output(answer.status, &answer.headers, result);
        match rule {
            // The body of a successful status may still report a failure.
            Some(rule) => {
                let message = format!(
                    "the response does not meet the success rule {} = {}",
                    rule.field, rule.equals
                );
                Err(FailedCall { fault: self.failed(message), output: Some(output) })
            }
            None => Ok(output),
        }
    }

    /// Rejects a URL that is longer than `MAX_URL_BYTES`.
    pub(crate) fn short_enough(&self, url: &Url) -> Result<(), Fault> {
        if url.as_str().len() <= MAX_URL_BYTES {
            return Ok(());
        }
        let en = format!("the URL is longer than {MAX_URL_BYTES} bytes");
        Err(self.refused((en, format!("URL 超过 {MAX_URL_BYTES} 字节"))))
    }

    /// Fetches the final response within the timeout. A failure after an accepted write leaves its effect unknown.
    pub(super) async fn fetch(
        &self,
        way: &mut RequestInTransit,
        (sent, shape): (&OutgoingRequest, AnswerShape),
        timeout_ms: u64,
    ) -> Result<HttpAnswer, FailedCall> {
        let travelling = self.travel(way, sent, shape);
        let limit = Duration::from_millis(timeout_ms);
        let late = || Fault::Timeout { tool: self.tool.clone(), after_ms: timeout_ms }.into();
        let ended = tokio::time::timeout(limit, travelling).await.unwrap_or_else(|_| Err(late()));
        ended.map_err(|failed| if way.acted { self.unclear(failed) } else { failed })
    }

    async fn travel(
        &self,
        way: &mut RequestInTransit,
        sent: &OutgoingRequest,
        shape: AnswerShape,
    ) -> Result<HttpAnswer, FailedCall> {
        let response = self.arrive(way, sent).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        if sent.success.takes(status.as_u16()) {
            let bytes = reply::body(response, &self.tool, self.most).await?;
            return Ok(HttpAnswer { status: status.as_u16(), headers, bytes });
        }
        let words = reply::words(response, &self.vault).await;
        let output = shape.of_error(status.as_u16(), &headers, &words);
        // As JSON, which escapes control characters: the text of a server may end up on a terminal.
        let shown: String =
            answer::value(words.as_bytes()).to_string().chars().take(SHOWN).collect();
        Err(FailedCall { fault: reply::fault(&self.tool, status, &headers, &shown), output })
    }

    /// Sends the request and follows redirects, hop by hop, to the final response.
    async fn arrive(
        &self,
        way: &mut RequestInTransit,
        sent: &OutgoingRequest,
    ) -> Result<Response, Fault> {
        loop {
            let response = self.send(way, sent).await?;
            if sent.success.takes(response.status().as_u16()) {
                return Ok(response);
            }
            match way.turn(&response) {
                RedirectStep::On => {}
                RedirectStep::Stay => return Ok(response),
                RedirectStep::Wrong(why) => return Err(self.failed(why)),
            }
        }
    }

    async fn send(
        &self,
        way: &RequestInTransit,
        sent: &OutgoingRequest,
    ) -> Result<Response, Fault> {
        let mut request = self
            .client(way)
            .await?
            .request(way.method.clone(), way.here.url.clone())
            .header(ACCEPT, "application/json, text/plain;q=0.8, */*;q=0.5")
            .header(ACCEPT_ENCODING, "identity");
        if !matches!(way.method, Method::GET | Method::HEAD) {
            request = request.header("idempotency-key", &sent.key);
        }
        if let Some(kind) = sent.content.kind().filter(|_| way.at_home && !way.acted) {
            let body = sent.content.body().await.map_err(|error| {
                let why = error.to_string();
                self.refused((
                    format!("cannot read the request body: {why}"),
                    format!("无法读取请求体：{why}"),
                ))
            })?;
            request = request.header(CONTENT_TYPE, kind).body(body);
        }
        if way.at_home {
            request = request.headers(sent.headers.clone());
        }
        request.send().await.map_err(|error| self.not_sent(&error))
    }

    /// Returns the client for the next hop.
    async fn client(&self, way: &RequestInTransit) -> Result<Client, Fault> {
        if way.here.trusted {
            return self.guard.trusted().map_err(|why| self.refused(no_client(why)));
        }
        let checked = self.guard.checked(&way.here.url, &self.hosts).await;
        checked.map_err(|barred| self.barred(barred))
    }

    fn not_sent(&self, error: &reqwest::Error) -> Fault {
        // The error's own message has the URL, which may hold a private argument; its causes are enough.
        let message = causes(error);
        if error.is_connect() {
            self.unavailable(message)
        } else if error.is_builder() {
            let zh = format!("无法发出请求：{message}");
            self.refused((message, zh))
        } else {
            Fault::ToolBroke { tool: self.tool.clone(), message, retry_after_ms: None }
        }
    }

    /// Marks the effect as unknown: a failure after an accepted write says nothing about the write.
    fn unclear(&self, FailedCall { fault, output }: FailedCall) -> FailedCall {
        let fault = match fault.certainty() {
            Certainty::Unknown => fault,
            Certainty::NotDone => Fault::ToolBroke {
                tool: self.tool.clone(),
                message: format!(
                    "the request was accepted, but its result could not be read: {fault}"
                ),
                retry_after_ms: fault.retry_after_ms(),
            },
        };
        FailedCall { fault, output }
    }

    fn invalid(&self, detail: String) -> Fault {
        let errors = vec![FieldError::untranslated("", detail)];
        Fault::OutputInvalid { tool: self.tool.clone(), errors }
    }

    pub(crate) fn failed(&self, message: String) -> Fault {
        let tool = self.tool.clone();
        Fault::tool_failed(tool, Bilingual::untranslated(message), false)
    }

    pub(crate) fn refused(&self, why: impl Into<Bilingual>) -> Fault {
        Fault::refused(self.tool.clone(), why)
    }

    fn barred(&self, barred: HostBarred) -> Fault {
        match barred {
            HostBarred::Refused(why) => self.refused(why),
            HostBarred::Unknown(why) => self.unavailable(why),
            HostBarred::NotGranted(why) => {
                Fault::not_granted(self.tool.clone(), why, MissingRight::Host)
            }
        }
    }

    fn unavailable(&self, message: String) -> Fault {
        Fault::ToolUnavailable { tool: self.tool.clone(), message }
    }
}
