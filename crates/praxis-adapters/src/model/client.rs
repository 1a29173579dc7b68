//! Asks an OpenAI-compatible endpoint: streams, listens, and tries again where that is of use.
//!
//! - in: a request
//! - out: a whole reply, and what was spent on tries that gave none
//! - never: takes a part for the whole, outlives its deadline, or waits longer than it was told to

use super::card::Card;
use super::heard::Heard;
use super::wire;
use crate::http::{Guard, causes};
use crate::secrets::Vault;
use futures::future::BoxFuture;
use praxis_core::ask::classify::{Refusal, classify};
use praxis_core::ask::fault::Fault;
use praxis_core::ask::listen::Listener;
use praxis_core::ask::reply::{Reply, Usage};
use praxis_core::ask::request::Request;
use praxis_core::ask::usage::estimate_request;
use praxis_engine::seams::{Answered, Clock, Model, Said, Unanswered};
use reqwest::Response;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// How much of a refusal is read.
const REFUSAL_BYTES: usize = 64 * 1024;
/// How often an endpoint may teach something in one call.
const MOST_LESSONS: u32 = 8;
/// The wait before the second try; it doubles.
const FIRST_WAIT_MS: u64 = 1000;
/// No wait is longer, whatever the endpoint asks for.
const LONGEST_WAIT_MS: u64 = 60_000;

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// As the endpoint calls the model.
    pub model: String,
    /// Up to and without `/chat/completions`.
    pub base_url: String,
    /// The value of `authorization`, usually `Bearer secret:NAME`.
    pub authorization: Option<String>,
    /// Bounds on one call.
    pub bounds: Bounds,
}

/// Bounds on one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Until the answer begins. A model may have to be loaded first.
    pub first_ms: u64,
    /// Between two pieces of the answer.
    pub silence_ms: u64,
    /// All tries together.
    pub total_ms: u64,
    /// Tries at most.
    pub tries: u32,
    /// The longest answer.
    pub answer_bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            first_ms: 120_000,
            silence_ms: 60_000,
            total_ms: 600_000,
            tries: 4,
            answer_bytes: 16 * 1024 * 1024,
        }
    }
}

/// A model behind an OpenAI-compatible endpoint.
pub struct OpenAi {
    endpoint: Endpoint,
    guard: Arc<Guard>,
    vault: Arc<Vault>,
    clock: Arc<dyn Clock>,
    card: Mutex<Card>,
}

impl OpenAi {
    /// An endpoint of which nothing is known yet.
    pub fn new(
        endpoint: Endpoint,
        guard: Arc<Guard>,
        vault: Arc<Vault>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { endpoint, guard, vault, clock, card: Mutex::default() }
    }

    /// What is known of it by now.
    pub fn card(&self) -> Card {
        self.known().clone()
    }

    fn known(&self) -> MutexGuard<'_, Card> {
        self.card.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: &Request, said: Said<'_>) -> Result<Answered, Unanswered> {
        let bounds = self.endpoint.bounds;
        let deadline = self.clock.now().plus_ms(bounds.total_ms);
        let (mut spent, mut tries, mut lessons) = (Usage::default(), 0, 0);
        loop {
            let left = Duration::from_millis(deadline.since(self.clock.now()));
            let mut heard = Heard::default();
            let mut hear = |delta| {
                heard.count(&delta);
                said(delta);
            };
            let asked = timeout(left, self.once(request, &mut hear)).await;
            let fault = match asked {
                Ok(Ok(reply)) => return Ok(Answered { reply: self.hidden(reply), spent }),
                Ok(Err(fault)) => self.hidden(fault),
                Err(_) => Fault::ModelSilent { after_ms: bounds.total_ms },
            };
            spent = spent.plus(cost(&fault, request, heard));
            if lessons < MOST_LESSONS && self.known().learn(&fault) {
                lessons += 1;
                continue;
            }
            tries += 1;
            let again = self.clock.now().plus_ms(self.wait(&fault, tries));
            if !fault.is_retryable() || tries >= bounds.tries || again >= deadline {
                return Err(Unanswered { fault, spent });
            }
            self.clock.sleep_until(again).await;
        }
    }

    /// The same without any secret that was given out: an endpoint may tell a key again wherever it speaks.
    fn hidden<T: Serialize + DeserializeOwned>(&self, told: T) -> T {
        let Ok(text) = serde_json::to_string(&told) else { return told };
        match self.vault.hide(&text) {
            Cow::Borrowed(_) => told,
            Cow::Owned(hidden) => serde_json::from_str(&hidden).unwrap_or(told),
        }
    }

    fn wait(&self, fault: &Fault, tries: u32) -> u64 {
        let asked = fault.wait().map_or(0, |wait| wait.ms(self.clock.now()));
        let own = FIRST_WAIT_MS.saturating_mul(1 << tries.saturating_sub(1).min(16));
        asked.max(own).min(LONGEST_WAIT_MS)
    }

    async fn once(&self, request: &Request, said: Said<'_>) -> Result<Reply, Fault> {
        let body = wire::body(request, &self.endpoint.model, &self.card());
        let mut response = self.send(body.to_string()).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let mut listener = Listener::new(estimate_request(request));
        let mut heard = 0;
        while let Some(piece) = self.piece(&mut response).await {
            heard += piece.len() as u64;
            let most = self.endpoint.bounds.answer_bytes;
            if heard > most {
                let message = format!("it is longer than {most} bytes");
                return Err(Fault::ModelUnreadable { message });
            }
            for delta in listener.feed(&piece)? {
                said(delta);
            }
        }
        listener.end()
    }

    async fn send(&self, body: String) -> Result<Response, Fault> {
        let unreachable = |message: String| Fault::ModelUnreachable { message };
        let client = self.guard.trusted().map_err(unreachable)?;
        let base = self.endpoint.base_url.trim_end_matches('/');
        let mut request = client
            .post(format!("{base}/chat/completions"))
            .header("content-type", "application/json")
            .header("accept", "text/event-stream, application/json")
            .body(body);
        if let Some(authorization) = &self.endpoint.authorization {
            let revealed = self.vault.reveal(authorization).map_err(unreachable)?;
            request = request.header("authorization", revealed);
        }
        let first_ms = self.endpoint.bounds.first_ms;
        match timeout(Duration::from_millis(first_ms), request.send()).await {
            Ok(sent) => sent.map_err(|error| unreachable(causes(&error))),
            Err(_) => Err(Fault::ModelSilent { after_ms: first_ms }),
        }
    }

    /// The next bytes. None at the end, and when nothing more comes: whether that was the whole answer is
    /// for the listener to say.
    async fn piece(&self, response: &mut Response) -> Option<Vec<u8>> {
        let silence = Duration::from_millis(self.endpoint.bounds.silence_ms);
        let piece = timeout(silence, response.chunk()).await.ok()?.ok()??;
        Some(piece.to_vec())
    }

    async fn refusal(&self, mut response: Response) -> Fault {
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let (retry_after, retry_after_ms) = (header("retry-after"), header("retry-after-ms"));
        let mut body = Vec::new();
        while body.len() < REFUSAL_BYTES
            && let Some(piece) = self.piece(&mut response).await
        {
            body.extend(piece);
        }
        let body = self.vault.hide(&String::from_utf8_lossy(&body)).into_owned();
        classify(&Refusal {
            status,
            retry_after: retry_after.as_deref(),
            retry_after_ms: retry_after_ms.as_deref(),
            body: &body,
        })
    }
}

/// What a try without an answer cost. One that was cut off before anything came was read all the same.
fn cost(fault: &Fault, request: &Request, heard: Heard) -> Usage {
    let (prompt, completion) = (estimate_request(request), heard.tokens());
    let read = Usage { prompt, completion, cached: 0, estimated: true };
    match fault {
        Fault::ModelSilent { .. } | Fault::ModelErrorInAnswer { .. } => read,
        Fault::ModelUnreadable { .. } => read,
        other => other.usage().unwrap_or_default(),
    }
}

impl Model for OpenAi {
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        said: Said<'a>,
    ) -> BoxFuture<'a, Result<Answered, Unanswered>> {
        Box::pin(self.answer(request, said))
    }
}
