//! Asks an OpenAI-compatible endpoint, and learns what it takes.
//!
//! - in: a request
//! - out: a whole reply, and what was spent on tries that gave none
//! - asks: the endpoint; the limiter that it shares with others
//! - never: takes a part for the whole, outlives its deadline, or is refused twice for the same

use super::card::{CallsCome, Card};
use super::cards::{Known, Memory};
use super::endpoint::Endpoint;
use super::lesson::{Lesson, lesson};
use super::limits::{Limiter, Limits, Permit, Pressure, TooLate};
use super::pool::{FIRST_WAIT_MS, Hand, Health, LONGEST_WAIT_MS, Round, Tried};
use super::post::Post;
use super::probe::{Measured, probe};
use super::vocabulary::Vocabulary;
use super::wire::{self, Manner};
use crate::http::Guard;
use crate::secrets::Vault;
use crate::veil::Veil;
use futures::future::BoxFuture;
use praxis_core::ask::fault::{Fault, Wait};
use praxis_core::ask::heard::Heard;
use praxis_core::ask::reply::{Reply, Usage};
use praxis_core::ask::request::Request;
use praxis_core::ask::split::Delta;
use praxis_core::ask::usage::{count_request, estimate, estimate_request, head_is_lost};
use praxis_core::time::At;
use praxis_engine::seams::{Answered, Clock, Model, Said, Unanswered};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How often an endpoint may teach something in one call.
const MOST_LESSONS: u32 = 8;

/// A model behind an OpenAI-compatible endpoint.
pub struct OpenAi {
    post: Post,
    clock: Arc<dyn Clock>,
    extra: Map<String, Value>,
    vocabulary: Vocabulary,
    memory: Arc<Memory>,
    limiter: Arc<Limiter>,
    health: Health,
}

impl OpenAi {
    /// An endpoint of which nothing is known yet, and that takes as much as one likes.
    pub fn new(
        endpoint: Endpoint,
        guard: Arc<Guard>,
        vault: Arc<Vault>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let known = Known::of(&endpoint.base_url, &endpoint.model);
        let limiter = Limiter::new(Limits::default(), Arc::clone(&clock));
        Self {
            post: Post { endpoint, guard, vault },
            clock,
            extra: Map::new(),
            vocabulary: Vocabulary::None,
            memory: Arc::new(Memory::nowhere(known)),
            limiter,
            health: Health::default(),
        }
    }

    /// With what is known of it, which it then keeps up to date.
    #[must_use]
    pub fn remembering(mut self, memory: Arc<Memory>) -> Self {
        self.memory = memory;
        self
    }

    /// With limits that others share.
    #[must_use]
    pub fn within(mut self, limiter: Arc<Limiter>) -> Self {
        self.limiter = limiter;
        self
    }

    /// With more in every request, and another way to count.
    #[must_use]
    pub fn saying(mut self, extra: Map<String, Value>, vocabulary: Vocabulary) -> Self {
        (self.extra, self.vocabulary) = (extra, vocabulary);
        self
    }

    /// What it takes, as far as that is known.
    pub fn card(&self) -> Card {
        self.memory.card()
    }

    /// Measures what it takes, and remembers that.
    pub async fn probe(&self) -> Result<Measured, Fault> {
        let probed = probe(self, self.clock.now()).await;
        let now = self.clock.now();
        self.memory.change(|known| known.heard(probed.as_ref().err(), now));
        let (measured, card) = probed?;
        self.memory.change(|known| {
            known.card = Card { thoughts: known.card.thoughts, ..card };
            known.broken_promises = 0;
            known.measured = Some(measured.clone());
        });
        Ok(measured)
    }

    /// Says a body as it is, with the model and what is always sent; a fault that may pass is given one
    /// more try.
    pub(super) async fn say(&self, mut body: Value) -> Result<Reply, Fault> {
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

    async fn say_once(&self, body: &Value, prompt: u64, deadline: At) -> Result<Reply, Fault> {
        let permit = self.limiter.enter(prompt, deadline).await.map_err(|late| self.late(late))?;
        self.exchange(body.to_string(), prompt, &mut |_| {}, (permit, deadline)).await.0
    }

    fn late(&self, TooLate(at): TooLate) -> Fault {
        Fault::ModelRateLimited { wait: Some(Wait::Ms(at.since(self.clock.now()))) }
    }

    /// Asks until there is an answer or nothing more to learn; waits for nothing but its turn.
    async fn attempt(&self, request: &Request, said: Said<'_>, deadline: At) -> Tried {
        let (mut spent, mut lessons, mut whole) = (Usage::default(), 0, false);
        loop {
            let card = self.memory.card();
            let request = &*wire::taken(request, &card);
            let prompt = self.count(request);
            let most = prompt.saturating_add(request.max_tokens.into());
            let mut manner = Manner::of(request, &card);
            manner.streams &= !whole;
            let permit = match self.enter(most, &mut *said, deadline).await {
                Ok(permit) => permit,
                Err(fault) => return Tried { outcome: Err(fault), spent },
            };
            let body = wire::text(&self.body(request, &card, manner), request);
            let (outcome, used) = self.exchange(body, prompt, &mut *said, (permit, deadline)).await;
            let found = lesson(&outcome, request, manner, &card);
            let found = found.filter(|_| lessons < MOST_LESSONS);
            self.note(request, &outcome, found.as_ref(), whole);
            if let Some(Lesson::Refusal(_) | Lesson::Fall | Lesson::Whole) = found {
                whole |= found == Some(Lesson::Whole);
                lessons += 1;
                spent = spent.plus(used);
                if outcome.is_ok() {
                    said(Delta::Again);
                }
                continue;
            }
            if outcome.is_err() {
                spent = spent.plus(used);
            }
            let outcome = outcome.map(|reply| wire::read(reply, request, manner));
            if let (Ok(reply), false) = (&outcome, manner.streams) {
                said(Delta::Words(reply.text.clone()));
            }
            return Tried { outcome, spent };
        }
    }

    /// Writes down what came of a request. `whole` says that its stream was distrusted.
    fn note(
        &self,
        request: &Request,
        outcome: &Result<Reply, Fault>,
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
                known.card.calls = CallsCome::Whole;
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

    /// How many tokens a request has, as far as one can tell here.
    fn count(&self, request: &Request) -> u64 {
        let calibration = self.memory.calibration();
        count_request(request, &*self.vocabulary.tokens(calibration))
    }

    /// Waits for its turn.
    async fn enter(&self, most: u64, said: Said<'_>, deadline: At) -> Result<Permit, Fault> {
        let mut tell = |waiting| said(Delta::Waits(waiting));
        let entered = self.limiter.enter_telling(most, deadline, &mut tell).await;
        entered.map_err(|late| self.late(late))
    }

    /// Asks with a permit, before a deadline.
    async fn exchange(
        &self,
        body: String,
        prompt: u64,
        said: Said<'_>,
        (mut permit, deadline): (Permit, At),
    ) -> (Result<Reply, Fault>, Usage) {
        let left = Duration::from_millis(deadline.since(self.clock.now()));
        let mut heard = Heard::default();
        let mut veil = Veil::over(&self.post.vault);
        let mut hear = |delta| {
            heard.count(&delta);
            veil.hear(delta).into_iter().for_each(&mut *said);
        };
        let asked = timeout(left, self.post.send(body, prompt, &mut hear)).await;
        let after_ms = self.post.endpoint.bounds.total_ms;
        let outcome = asked.unwrap_or(Err(Fault::ModelSilent { after_ms }));
        // An endpoint may tell a key again wherever it speaks.
        let outcome = match outcome {
            Ok(reply) => Ok(self.post.hidden(reply)),
            Err(fault) => Err(self.post.vault.hidden(fault)),
        };
        if outcome.is_ok() {
            veil.end().into_iter().for_each(&mut *said);
        }
        let heard = heard.tokens();
        if outcome.is_err() && heard > 0 {
            said(Delta::Again);
        }
        let used = cost(&outcome, prompt, heard);
        permit.settle(used.prompt.saturating_add(used.completion));
        if let Some(wait) = outcome.as_ref().err().and_then(Fault::wait) {
            let now = self.clock.now();
            self.limiter.rest_until(now.plus_ms(wait.ms(now).min(LONGEST_WAIT_MS)));
        }
        (outcome, used)
    }

    fn body(&self, request: &Request, card: &Card, manner: Manner) -> Value {
        let mut body = wire::body(request, &self.post.endpoint.model, card, manner);
        if let Value::Object(body) = &mut body {
            body.extend(self.extra.clone());
        }
        body
    }
}

/// What a try cost. One that was cut off before anything came was read all the same.
pub(super) fn cost(outcome: &Result<Reply, Fault>, prompt: u64, heard: u64) -> Usage {
    let read = Usage { prompt, completion: heard, cached: 0, estimated: true };
    match outcome {
        Ok(reply) => reply.usage,
        Err(
            Fault::ModelSilent { .. }
            | Fault::ModelErrorInAnswer { .. }
            | Fault::ModelUnreadable { .. },
        ) => read,
        Err(other) => other.usage().unwrap_or_default(),
    }
}

impl Hand for OpenAi {
    fn once<'a>(
        &'a self,
        request: &'a Request,
        said: Said<'a>,
        deadline: At,
    ) -> BoxFuture<'a, Tried> {
        Box::pin(self.attempt(request, said, deadline))
    }

    fn health(&self) -> &Health {
        &self.health
    }

    fn pressure(&self) -> Pressure {
        self.limiter.pressure()
    }

    fn probed(&self) -> BoxFuture<'_, Option<Result<Measured, Fault>>> {
        Box::pin(async { Some(self.probe().await) })
    }
}

impl Model for OpenAi {
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        said: Said<'a>,
    ) -> BoxFuture<'a, Result<Answered, Unanswered>> {
        let (bounds, clock) = (self.post.endpoint.bounds, Arc::clone(&self.clock));
        let round = Round::new(vec![self as &dyn Hand], 0, bounds, clock);
        Box::pin(round.answer(request, said))
    }
}
