//! How much an endpoint may be asked, shared by everything that asks it.
//!
//! - in: how many tokens a request may take, and until when it can wait
//! - out: a permit, in the order of arrival; or the news that there will be none in time
//! - asks: the clock
//! - never: lets a later request overtake, forgets one that went away, or counts a refused one

use praxis_core::ask::waiting::WaitReason;
use praxis_core::time::Timestamp;
use praxis_engine::seams::Clock;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// What an endpoint takes. None means: as much as one likes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EndpointLimits {
    /// Requests in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u64>,
    /// Tokens in a minute, sent and received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u64>,
    /// Requests at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<u64>,
}

impl EndpointLimits {
    /// The stricter of each.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        Self {
            requests_per_minute: least(self.requests_per_minute, other.requests_per_minute),
            tokens_per_minute: least(self.tokens_per_minute, other.tokens_per_minute),
            in_flight: least(self.in_flight, other.in_flight),
        }
    }
}

/// How busy an endpoint is kept from here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LimiterPressure {
    /// Requests that wait for their turn.
    pub waiting: u64,
    /// How long the first of them has waited.
    pub head_waits_ms: u64,
    /// Requests that are being answered.
    pub in_flight: u64,
    /// Until when the endpoint asked to be left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resting_until: Option<Timestamp>,
}

/// No permit comes in time; the earliest moment at which one may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueTimeout(pub Timestamp);

/// Lets requests through as fast as their endpoint takes them.
pub struct Limiter {
    clock: Arc<dyn Clock>,
    state: Mutex<LimiterState>,
}

struct LimiterState {
    limits: EndpointLimits,
    queue: VecDeque<QueuedRequest>,
    tickets: u64,
    in_flight: u64,
    requests: RateBucket,
    tokens: RateBucket,
    resting_until: Timestamp,
}

struct QueuedRequest {
    ticket: u64,
    since: Timestamp,
    wake: Arc<Notify>,
}

/// What one may do who waits.
enum QueueTurn {
    Now(RequestPermit),
    At(Timestamp),
    /// So many come before.
    Later(u64),
}

impl Limiter {
    /// A limiter whose minute is unused.
    pub fn new(limits: EndpointLimits, clock: Arc<dyn Clock>) -> Arc<Self> {
        let now = clock.now();
        let state = LimiterState {
            limits,
            queue: VecDeque::new(),
            tickets: 0,
            in_flight: 0,
            requests: RateBucket::full(limits.requests_per_minute, now),
            tokens: RateBucket::full(limits.tokens_per_minute, now),
            resting_until: Timestamp(0),
        };
        Arc::new(Self { clock, state: Mutex::new(state) })
    }

    /// How busy it is.
    pub fn pressure(&self) -> LimiterPressure {
        let now = self.clock.now();
        let state = self.state();
        let head = state.queue.front();
        LimiterPressure {
            waiting: state.queue.len() as u64,
            head_waits_ms: head.map_or(0, |head| now.since(head.since)),
            in_flight: state.in_flight,
            resting_until: Some(state.resting_until).filter(|until| *until > now),
        }
    }

    /// Lets nothing through until a moment.
    pub fn rest_until(&self, at: Timestamp) {
        let mut state = self.state();
        state.resting_until = state.resting_until.max(at);
    }

    /// Waits for the right to ask with about so many tokens. Dropping the future gives the place up.
    pub async fn enter(
        self: &Arc<Self>,
        tokens: u64,
        deadline: Timestamp,
    ) -> Result<RequestPermit, QueueTimeout> {
        self.enter_telling(tokens, deadline, &mut |_| {}).await
    }

    /// The same, and tells what it waits for whenever that changes.
    pub async fn enter_telling(
        self: &Arc<Self>,
        tokens: u64,
        deadline: Timestamp,
        tell: &mut (dyn FnMut(WaitReason) + Send),
    ) -> Result<RequestPermit, QueueTimeout> {
        let place = QueueTicket::take(Arc::clone(self));
        let mut told = None;
        let mut waits = |before, until| {
            if told.replace((before, until)) != Some((before, until)) {
                tell(WaitReason::Turn { before, until });
            }
        };
        let entered = self.wait_in(&place, (tokens, deadline), &mut waits).await;
        if told.is_some() {
            tell(WaitReason::Over);
        }
        entered
    }

    async fn wait_in(
        self: &Arc<Self>,
        place: &QueueTicket,
        (tokens, deadline): (u64, Timestamp),
        waits: &mut (dyn FnMut(u64, Option<Timestamp>) + Send),
    ) -> Result<RequestPermit, QueueTimeout> {
        loop {
            let at = match self.turn(place.ticket, tokens) {
                QueueTurn::Now(permit) => return Ok(permit),
                QueueTurn::At(at) if at > deadline => return Err(QueueTimeout(at)),
                QueueTurn::At(at) => {
                    waits(0, Some(at));
                    at
                }
                QueueTurn::Later(_) if self.clock.now() >= deadline => {
                    return Err(QueueTimeout(deadline));
                }
                QueueTurn::Later(before) => {
                    waits(before, None);
                    deadline
                }
            };
            tokio::select! {
                () = place.wake.notified() => {}
                () = self.clock.sleep_until(at) => {}
            }
        }
    }

    fn turn(self: &Arc<Self>, ticket: u64, tokens: u64) -> QueueTurn {
        let now = self.clock.now();
        let mut guard = self.state();
        let state = &mut *guard;
        let before = state.queue.iter().take_while(|other| other.ticket != ticket).count() as u64;
        let is_full = state.limits.in_flight.is_some_and(|most| state.in_flight >= most);
        if before > 0 || is_full {
            let answered = if state.limits.in_flight.is_some() { state.in_flight } else { 0 };
            return QueueTurn::Later(before + answered);
        }
        let at = state.requests.when(1, now).max(state.tokens.when(tokens, now));
        let at = at.max(state.resting_until);
        if at > now {
            return QueueTurn::At(at);
        }
        state.requests.take(1);
        state.tokens.take(tokens);
        state.in_flight += 1;
        QueueTurn::Now(RequestPermit { limiter: Arc::clone(self), tokens })
    }

    fn state(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LimiterState {
    /// The first may go, and the others have fewer before them.
    fn wake_all(&self) {
        self.queue.iter().for_each(|waiting| waiting.wake.notify_one());
    }
}

/// A place in the queue, given up when dropped.
struct QueueTicket {
    limiter: Arc<Limiter>,
    ticket: u64,
    wake: Arc<Notify>,
}

impl QueueTicket {
    fn take(limiter: Arc<Limiter>) -> Self {
        let (since, wake) = (limiter.clock.now(), Arc::new(Notify::new()));
        let mut state = limiter.state();
        state.tickets += 1;
        let ticket = state.tickets;
        state.queue.push_back(QueuedRequest { ticket, since, wake: Arc::clone(&wake) });
        drop(state);
        Self { limiter, ticket, wake }
    }
}

impl Drop for QueueTicket {
    fn drop(&mut self) {
        let mut state = self.limiter.state();
        state.queue.retain(|waiting| waiting.ticket != self.ticket);
        state.wake_all();
    }
}

/// The right to ask once. The request is over when this is dropped.
pub struct RequestPermit {
    limiter: Arc<Limiter>,
    tokens: u64,
}

impl RequestPermit {
    /// Puts right how many tokens it took.
    pub fn settle(&mut self, tokens: u64) {
        let before = std::mem::replace(&mut self.tokens, tokens);
        self.limiter.state().tokens.correct(before, tokens);
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        let mut state = self.limiter.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        state.wake_all();
    }
}

/// So much a minute, and never more than a minute's worth at once. Counted in parts of which a
/// minute has as many as milliseconds, so that nothing is rounded.
struct RateBucket {
    per_minute: Option<u64>,
    parts: i64,
    at: Timestamp,
}

const MINUTE: i64 = 60_000;

impl RateBucket {
    fn full(per_minute: Option<u64>, at: Timestamp) -> Self {
        let mut bucket = Self { per_minute, parts: 0, at };
        bucket.parts = bucket.most();
        bucket
    }

    fn rate(&self) -> i64 {
        self.per_minute.map_or(0, |rate| i64::try_from(rate).unwrap_or(i64::MAX))
    }

    fn most(&self) -> i64 {
        self.rate().saturating_mul(MINUTE)
    }

    /// So many in parts; what is more than a minute's worth waits for a full bucket.
    fn parts(&self, amount: u64) -> i64 {
        let amount = i64::try_from(amount).unwrap_or(i64::MAX);
        amount.saturating_mul(MINUTE).min(self.most())
    }

    /// When there will be so many.
    fn when(&mut self, amount: u64, now: Timestamp) -> Timestamp {
        if self.per_minute.is_none() {
            return now;
        }
        let passed = i64::try_from(now.since(self.at)).unwrap_or(i64::MAX);
        let refilled = self.parts.saturating_add(passed.saturating_mul(self.rate()));
        (self.parts, self.at) = (refilled.min(self.most()), self.at.max(now));
        let missing = self.parts(amount).saturating_sub(self.parts).max(0);
        let rate = self.rate().max(1);
        now.plus_ms(u64::try_from(missing / rate + i64::from(missing % rate > 0)).unwrap_or(0))
    }

    fn take(&mut self, amount: u64) {
        self.parts = self.parts.saturating_sub(self.parts(amount));
    }

    fn correct(&mut self, before: u64, after: u64) {
        let parts = self.parts.saturating_add(self.parts(before));
        self.parts = parts.saturating_sub(self.parts(after)).min(self.most());
    }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
