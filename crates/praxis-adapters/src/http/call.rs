//! Makes the request: checks every hop, bounds the answer, says what is known of the effect.

use super::guard::Guard;
use super::request::{Address, address, body, check};
use crate::answer;
use crate::secrets::Secrets;
use futures::future::BoxFuture;
use praxis_core::call::tool::{Http, Tool};
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Call, Invocation};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Response, StatusCode, Url};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How many redirects are followed.
const MOST_HOPS: usize = 5;
/// How much of an error's body is shown.
const SHOWN: usize = 300;

/// An HTTP request as a call.
pub struct HttpCall {
    tool: ToolId,
    http: Http,
    method: Method,
    most: u64,
    guard: Arc<Guard>,
    secrets: Arc<dyn Secrets>,
}

impl HttpCall {
    /// The request of a manifest.
    pub fn new(
        tool: &Tool,
        http: &Http,
        guard: Arc<Guard>,
        secrets: Arc<dyn Secrets>,
    ) -> Result<Self, String> {
        let method = Method::from_bytes(http.method.to_uppercase().as_bytes());
        let method = method.map_err(|_| format!("`{}` is no HTTP method", http.method))?;
        check(&http.url)?;
        let most = tool.limits.output_bytes.unwrap_or(guard.most);
        Ok(Self { tool: tool.id.clone(), http: http.clone(), method, most, guard, secrets })
    }

    async fn run(&self, invocation: Invocation) -> Result<Value, Fault> {
        let refused = |message| self.refused(message);
        let first = address(&self.http.url, &invocation.arguments).map_err(refused)?;
        let sent = self.body(&invocation.arguments).map_err(refused)?;
        let response = self.follow(first, sent.as_ref(), &invocation).await?;
        let status = response.status();
        let text = self.read(response).await?;
        self.answer(status, &text)
    }

    fn body(&self, arguments: &Value) -> Result<Option<String>, String> {
        match &self.http.body {
            Some(template) => body(template, arguments).map(|body| Some(body.to_string())),
            None if matches!(self.method, Method::GET | Method::HEAD | Method::DELETE) => Ok(None),
            None => Ok(Some(arguments.to_string())),
        }
    }

    /// Sends, and follows redirects hop by hop. A host that a redirect names is checked.
    async fn follow(
        &self,
        first: Address,
        body: Option<&String>,
        invocation: &Invocation,
    ) -> Result<Response, Fault> {
        let mut here = first;
        let origin = here.url.origin();
        let mut method = self.method.clone();
        for _ in 0..=MOST_HOPS {
            let at_home = here.url.origin() == origin;
            let response = self.send(&here, (&method, at_home), body, invocation).await?;
            let Some(next) = redirect(&response, &here.url) else { return Ok(response) };
            if response.status() == StatusCode::SEE_OTHER {
                method = Method::GET;
            } else if !matches!(method, Method::GET | Method::HEAD) {
                return Ok(response);
            }
            let trusted = here.trusted && next.origin() == origin;
            here = Address { url: next, trusted };
        }
        Err(Fault::ToolFailed {
            tool: self.tool.clone(),
            message: format!("more than {MOST_HOPS} redirects"),
            retryable: false,
        })
    }

    async fn send(
        &self,
        to: &Address,
        (method, at_home): (&Method, bool),
        body: Option<&String>,
        invocation: &Invocation,
    ) -> Result<Response, Fault> {
        let client = if to.trusted {
            self.guard.trusted().map_err(|why| self.refused(why))?
        } else {
            self.guard.checked(&to.url).await.map_err(|why| self.refused(why))?
        };
        let mut request = client
            .request(method.clone(), to.url.clone())
            .timeout(Duration::from_millis(invocation.timeout_ms))
            .header("accept", "application/json, text/plain;q=0.8, */*;q=0.5");
        if !matches!(*method, Method::GET | Method::HEAD) {
            request = request.header("idempotency-key", &invocation.key);
            if let Some(body) = body {
                request = request.header("content-type", "application/json").body(body.clone());
            }
        }
        // What the manifest says to its own host, secrets above all, is for no other.
        if at_home {
            request = request.headers(self.headers().map_err(|why| self.refused(why))?);
        }
        request.send().await.map_err(|error| self.not_sent(&error))
    }

    fn headers(&self) -> Result<HeaderMap, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.http.headers {
            let name =
                HeaderName::try_from(name).map_err(|_| format!("`{name}` is no header name"))?;
            let value = HeaderValue::try_from(self.secrets.reveal(value)?);
            let mut value =
                value.map_err(|_| format!("the value of header `{name}` is not allowed"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn not_sent(&self, error: &reqwest::Error) -> Fault {
        // The address may hold an argument that is nobody's business; the cause is enough.
        let message = causes(error);
        if error.is_connect() || error.is_builder() {
            self.unavailable(message)
        } else {
            Fault::ToolBroke { tool: self.tool.clone(), message }
        }
    }

    async fn read(&self, mut response: Response) -> Result<Vec<u8>, Fault> {
        let mut kept = Vec::new();
        loop {
            let chunk = response.chunk().await.map_err(|error| Fault::ToolBroke {
                tool: self.tool.clone(),
                message: format!("the answer broke off: {}", causes(&error)),
            })?;
            let Some(chunk) = chunk else { return Ok(kept) };
            if (kept.len() + chunk.len()) as u64 > self.most {
                return Err(Fault::OutputTooLarge { tool: self.tool.clone(), limit: self.most });
            }
            kept.extend_from_slice(&chunk);
        }
    }

    fn answer(&self, status: StatusCode, text: &[u8]) -> Result<Value, Fault> {
        let tool = self.tool.clone();
        let output = answer::value(text);
        if status.is_success() {
            return match &self.http.success {
                Some(rule) if !rule.holds(&output) => {
                    let message =
                        format!("its answer does not have {} = {}", rule.field, rule.equals);
                    Err(Fault::ToolFailed { tool, message, retryable: false })
                }
                _ => Ok(output),
            };
        }
        let shown: String = output.to_string().chars().take(SHOWN).collect();
        let message = format!("{status}: {shown}");
        match status.as_u16() {
            // It answered that it did nothing, and that it may later.
            408 | 425 | 429 => Err(Fault::ToolFailed { tool, message, retryable: true }),
            // It broke down on the way, perhaps after acting.
            500..=599 => Err(Fault::ToolBroke { tool, message }),
            _ => Err(Fault::ToolFailed { tool, message, retryable: false }),
        }
    }

    fn refused(&self, message: String) -> Fault {
        Fault::CallRefused { tool: self.tool.clone(), message }
    }

    fn unavailable(&self, message: String) -> Fault {
        Fault::ToolUnavailable { tool: self.tool.clone(), message }
    }
}

impl Call for HttpCall {
    fn exec(&self, invocation: Invocation) -> BoxFuture<'_, Result<Value, Fault>> {
        Box::pin(self.run(invocation))
    }
}

fn redirect(response: &Response, here: &Url) -> Option<Url> {
    if !response.status().is_redirection() {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    here.join(location).ok()
}

fn causes(error: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        words.push(error.to_string());
        cause = error.source();
    }
    if words.is_empty() { "the request failed".to_owned() } else { words.join(": ") }
}
