//! Rate limiter of one endpoint, shared by every request to it.
//!
//! - in: the estimated tokens of a request, and its deadline
//! - out: a `RequestPermit`, in order of arrival, or a `QueueTimeout`
//! - asks: the clock
//! - never: lets a later request overtake an earlier one, keeps the place of a dropped request, or counts a request
//!   that got no permit

use praxis_core::ask::waiting::WaitReason;
use praxis_core::time::Timestamp;
use praxis_engine::seams::Clock;
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Limits of an endpoint. `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EndpointLimits {
    /// Requests per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u64>,
    /// Tokens per minute, sent and received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u64>,
    /// Concurrent requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<u64>,
}

impl EndpointLimits {
    /// Returns the stricter value of each limit.
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

/// Load that this process puts on an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LimiterPressure {
    /// Requests waiting in the queue.
    pub waiting: u64,
    /// Time for which the first of them has been waiting.
    pub head_waits_ms: u64,
    /// Requests in flight.
    pub in_flight: u64,
    /// End of the pause that the endpoint asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resting_until: Option<Timestamp>,
}

/// Failure to get a permit before the deadline, with the earliest time at which one may be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueTimeout(pub Timestamp);

/// Queues requests and grants permits as fast as the `EndpointLimits` allow.
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

/// Turn of a queued request.
enum QueueTurn {
    Now(RequestPermit),
    At(Timestamp),
    /// Number of requests that come first.
    Later(u64),
}

impl Limiter {
    /// Creates a limiter whose rate buckets are full.
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

    /// Returns the current load.
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

    /// Grants no permit before `at`.
    pub fn rest_until(&self, at: Timestamp) {
        let mut state = self.state();
        state.resting_until = state.resting_until.max(at);
    }

    /// Waits for a permit to send a request of about `tokens` tokens. Dropping the future gives up its place.
    pub async fn enter(
        self: &Arc<Self>,
        tokens: u64,
        deadline: Timestamp,
    ) -> Result<RequestPermit, QueueTimeout> {
        self.enter_telling(tokens, deadline, &mut |_| {}).await
    }

    /// Waits as [`Limiter::enter`] does, and calls `tell` with the reason for the wait each time it changes.
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
    /// Wakes every queued request: the first may go, and the others report their new place.
    fn wake_all(&self) {
        self.queue.iter().for_each(|waiting| waiting.wake.notify_one());
    }
}

/// A place in the queue, given up on drop.
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

/// Permit for one request. Dropping it ends the request.
pub struct RequestPermit {
    limiter: Arc<Limiter>,
    tokens: u64,
}

impl RequestPermit {
    /// Corrects the estimated number of tokens to the actual one.
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

/// Token bucket that refills at `per_minute` and holds at most one minute's worth. One unit is counted as 60,000
/// parts, so that a millisecond refills a whole number of parts and nothing is rounded.
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

    /// Converts an amount to parts. An amount above one minute's worth needs only a full bucket.
    fn parts(&self, amount: u64) -> i64 {
        let amount = i64::try_from(amount).unwrap_or(i64::MAX);
        amount.saturating_mul(MINUTE).min(self.most())
    }

    /// Refills the bucket and returns the time at which `amount` is available.
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
