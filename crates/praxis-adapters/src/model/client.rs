//! Asks an OpenAI-compatible endpoint, and learns its capabilities.
//!
//! - in: a request
//! - out: a complete reply, and the tokens spent on tries without one
//! - asks: the endpoint; the limiter that it shares with others
//! - never: takes a partial reply for a complete one, exceeds its deadline, or is refused twice for the same reason

use super::card::{CapabilityCard, ToolCallStyle};
use super::cards::{CardMemory, EndpointKnowledge};
use super::endpoint::Endpoint;
use super::lesson::{Lesson, lesson};
use super::limits::{EndpointLimits, Limiter, LimiterPressure, QueueTimeout, RequestPermit};
use super::pool::{
    EndpointHealth, EndpointTry, FIRST_WAIT_MS, LONGEST_WAIT_MS, PoolEndpoint, PoolRound,
};
use super::post::HttpPost;
use super::probe::{ProbeResult, probe};
use super::vocabulary::Vocabulary;
use super::wire::{self, WireOptions};
use crate::http::Guard;
use crate::secret_mask::SecretMask;
use crate::secrets::Vault;
use futures::future::BoxFuture;
use praxis_core::ask::fault::{ModelFault, RetryDelay};
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::{ModelReply, TokenUsage};
use praxis_core::ask::request::ModelRequest;
use praxis_core::ask::token_meter::TokenMeter;
use praxis_core::ask::usage::{count_request, estimate, estimate_request, head_is_lost};
use praxis_core::time::Timestamp;
use praxis_engine::seams::{Clock, Model, ModelAnswered, ModelCallFailed, ReplyListener};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The maximum number of lessons learnt in one call.
const MOST_LESSONS: u32 = 8;

/// A model behind an OpenAI-compatible endpoint.
pub struct OpenAi {
    post: HttpPost,
    clock: Arc<dyn Clock>,
    extra: Map<String, Value>,
    vocabulary: Vocabulary,
    memory: Arc<CardMemory>,
    limiter: Arc<Limiter>,
    health: EndpointHealth,
}

impl OpenAi {
    /// Creates a client for an endpoint of which nothing is known yet, without rate limits.
    pub fn new(
        endpoint: Endpoint,
        guard: Arc<Guard>,
        vault: Arc<Vault>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let known = EndpointKnowledge::of(&endpoint.base_url, &endpoint.model);
        let limiter = Limiter::new(EndpointLimits::default(), Arc::clone(&clock));
        Self {
            post: HttpPost { endpoint, guard, vault },
            clock,
            extra: Map::new(),
            vocabulary: Vocabulary::None,
            memory: Arc::new(CardMemory::nowhere(known)),
            limiter,
            health: EndpointHealth::default(),
        }
    }

    /// Uses what is known of the endpoint, and keeps it up to date.
    #[must_use]
    pub fn remembering(mut self, memory: Arc<CardMemory>) -> Self {
        self.memory = memory;
        self
    }

    /// Uses a limiter that is shared with others.
    #[must_use]
    pub fn within(mut self, limiter: Arc<Limiter>) -> Self {
        self.limiter = limiter;
        self
    }

    /// Sets the extra fields of every request and the vocabulary for counting tokens.
    #[must_use]
    pub fn saying(mut self, extra: Map<String, Value>, vocabulary: Vocabulary) -> Self {
        (self.extra, self.vocabulary) = (extra, vocabulary);
        self
    }

    /// Returns the known capabilities of the endpoint.
    pub fn card(&self) -> CapabilityCard {
        self.memory.card()
    }

    /// Probes the capabilities of the endpoint and stores them.
    pub async fn probe(&self) -> Result<ProbeResult, ModelFault> {
        let probed = probe(self, self.clock.now()).await;
        let now = self.clock.now();
        self.memory.change(|known| known.heard(probed.as_ref().err(), now));
        let (measured, card) = probed?;
        self.memory.change(|known| {
            known.card = CapabilityCard { thoughts: known.card.thoughts, ..card };
            known.broken_promises = 0;
            known.measured = Some(measured.clone());
        });
        Ok(measured)
    }

    /// Sends a body with the model and the extra fields added; retries once after a retryable fault.
    pub(super) async fn say(&self, mut body: Value) -> Result<ModelReply, ModelFault> {
        if let Value::Object(body) = &mut body {
            body.insert("model".to_owned(), self.post.endpoint.model.as_str().into());
            body.extend(self.extra.clone());
        }
        let prompt = estimate(&body.to_string());
        let deadline = self.clock.now().plus_ms(self.post.endpoint.bounds.total_ms);
        let first = self.say_once(&body, prompt, deadline).await;
        match first {
            Err(fault) if fault.is_retryable() => {
                let pause = fault.wait().map_or(FIRST_WAIT_MS, |wait| wait.ms(self.clock.now()));
                let again = self.clock.now().plus_ms(pause.min(LONGEST_WAIT_MS));
                self.clock.sleep_until(again).await;
                self.say_once(&body, prompt, deadline).await
            }
            other => other,
        }
    }

    async fn say_once(
        &self,
        body: &Value,
        prompt: u64,
        deadline: Timestamp,
    ) -> Result<ModelReply, ModelFault> {
        let permit = self.limiter.enter(prompt, deadline).await.map_err(|late| self.late(late))?;
        self.exchange(body.to_string(), prompt, &mut |_| {}, (permit, deadline)).await.0
    }

    fn late(&self, QueueTimeout(at): QueueTimeout) -> ModelFault {
        ModelFault::ModelRateLimited { wait: Some(RetryDelay::Ms(at.since(self.clock.now()))) }
    }

    /// Asks until there is an answer or nothing more to learn. Waits only for the limiter.
    async fn attempt(
        &self,
        request: &ModelRequest,
        said: ReplyListener<'_>,
        deadline: Timestamp,
    ) -> EndpointTry {
        let (mut spent, mut lessons, mut whole) = (TokenUsage::default(), 0, false);
        loop {
            let card = self.memory.card();
            let request = &*wire::taken(request, &card);
            let prompt = self.count(request);
            let most = prompt.saturating_add(request.max_tokens.into());
            let mut goal_options = WireOptions::of(request, &card);
            goal_options.streams &= !whole;
            let permit = match self.enter(most, &mut *said, deadline).await {
                Ok(permit) => permit,
                Err(fault) => return EndpointTry { outcome: Err(fault), spent },
            };
            let body = wire::text(&self.body(request, &card, goal_options), request);
            let (outcome, used) = self.exchange(body, prompt, &mut *said, (permit, deadline)).await;
            let found = lesson(&outcome, request, goal_options, &card);
            let found = found.filter(|_| lessons < MOST_LESSONS);
            self.note(request, &outcome, found.as_ref(), whole);
            if let Some(Lesson::Refusal(_) | Lesson::Fall | Lesson::Whole) = found {
                whole |= found == Some(Lesson::Whole);
                lessons += 1;
                spent = spent.plus(used);
                if outcome.is_ok() {
                    said(Delta::Restart);
                }
                continue;
            }
            if outcome.is_err() {
                spent = spent.plus(used);
            }
            let outcome = outcome.map(|reply| wire::read(reply, request, goal_options));
            if let (Ok(reply), false) = (&outcome, goal_options.streams) {
                said(Delta::Text(reply.text.clone()));
            }
            return EndpointTry { outcome, spent };
        }
    }

    /// Records the outcome of a request. `whole` is true if the request was not streamed because the stream may lose
    /// calls.
    fn note(
        &self,
        request: &ModelRequest,
        outcome: &Result<ModelReply, ModelFault>,
        lesson: Option<&Lesson>,
        whole: bool,
    ) {
        let (guessed, counted) = (estimate_request(request), self.count(request));
        let now = self.clock.now();
        self.memory.change(|known| {
            known.note(outcome.as_ref(), now);
            if let Some(lesson) = lesson {
                known.counts.lessons += 1;
                lesson.apply(known);
            }
            let Ok(reply) = outcome else { return };
            if whole && !reply.tool_calls.is_empty() {
                known.card.calls = ToolCallStyle::Whole;
            }
            if lesson.is_none() {
                known.broken_promises = 0;
            }
            if !reply.usage.estimated {
                known.counts.heads_lost += u64::from(head_is_lost(&reply.usage, counted));
                known.calibration.reconcile(guessed, reply.usage.prompt);
            }
        });
    }

    /// Counts the tokens of a request with the vocabulary and its calibration.
    fn count(&self, request: &ModelRequest) -> u64 {
        let calibration = self.memory.calibration();
        count_request(request, &*self.vocabulary.tokens(calibration))
    }

    /// Waits for a permit of the limiter.
    async fn enter(
        &self,
        most: u64,
        said: ReplyListener<'_>,
        deadline: Timestamp,
    ) -> Result<RequestPermit, ModelFault> {
        let mut tell = |waiting| said(Delta::Waiting(waiting));
        let entered = self.limiter.enter_telling(most, deadline, &mut tell).await;
        entered.map_err(|late| self.late(late))
    }

    /// Sends a request with a permit, before the deadline.
    async fn exchange(
        &self,
        body: String,
        prompt: u64,
        said: ReplyListener<'_>,
        (mut permit, deadline): (RequestPermit, Timestamp),
    ) -> (Result<ModelReply, ModelFault>, TokenUsage) {
        let left = Duration::from_millis(deadline.since(self.clock.now()));
        let mut heard = TokenMeter::default();
        let mut mask = SecretMask::new(&self.post.vault);
        let mut hear = |delta| {
            heard.count(&delta);
            mask.push(delta).into_iter().for_each(&mut *said);
        };
        let asked = timeout(left, self.post.send(body, prompt, &mut hear)).await;
        let after_ms = self.post.endpoint.bounds.total_ms;
        let outcome = asked.unwrap_or(Err(ModelFault::ModelSilent { after_ms }));
        // An endpoint may repeat a key anywhere in its answer.
        let outcome = match outcome {
            Ok(reply) => Ok(self.post.hidden(reply)),
            Err(fault) => Err(self.post.vault.hidden(fault)),
        };
        if outcome.is_ok() {
            mask.end().into_iter().for_each(&mut *said);
        }
        let heard = heard.tokens();
        if outcome.is_err() && heard > 0 {
            said(Delta::Restart);
        }
        let used = cost(&outcome, prompt, heard);
        permit.settle(used.prompt.saturating_add(used.completion));
        if let Some(wait) = outcome.as_ref().err().and_then(ModelFault::wait) {
            let now = self.clock.now();
            self.limiter.rest_until(now.plus_ms(wait.ms(now).min(LONGEST_WAIT_MS)));
        }
        (outcome, used)
    }

    fn body(
        &self,
        request: &ModelRequest,
        card: &CapabilityCard,
        goal_options: WireOptions,
    ) -> Value {
        let mut body = wire::body(request, &self.post.endpoint.model, card, goal_options);
        if let Value::Object(body) = &mut body {
            body.extend(self.extra.clone());
        }
        body
    }
}

/// Returns the token usage of a try. A try that broke off counts its prompt even if nothing was received.
pub(super) fn cost(
    outcome: &Result<ModelReply, ModelFault>,
    prompt: u64,
    heard: u64,
) -> TokenUsage {
    let read = TokenUsage { prompt, completion: heard, cached: 0, estimated: true };
    match outcome {
        Ok(reply) => reply.usage,
        Err(
            ModelFault::ModelSilent { .. }
            | ModelFault::ModelErrorInAnswer { .. }
            | ModelFault::ModelUnreadable { .. },
        ) => read,
        Err(other) => other.usage().unwrap_or_default(),
    }
}

impl PoolEndpoint for OpenAi {
    fn once<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
        deadline: Timestamp,
    ) -> BoxFuture<'a, EndpointTry> {
        Box::pin(self.attempt(request, said, deadline))
    }

    fn health(&self) -> &EndpointHealth {
        &self.health
    }

    fn pressure(&self) -> LimiterPressure {
        self.limiter.pressure()
    }

    fn probed(&self) -> BoxFuture<'_, Option<Result<ProbeResult, ModelFault>>> {
        Box::pin(async { Some(self.probe().await) })
    }
}

impl Model for OpenAi {
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswered, ModelCallFailed>> {
        let (bounds, clock) = (self.post.endpoint.bounds, Arc::clone(&self.clock));
        let round = PoolRound::new(vec![self as &dyn PoolEndpoint], 0, bounds, clock);
        Box::pin(round.answer(request, said))
    }
}
