//! One model behind one or several endpoints: chooses the endpoint of each try, with backoff.
//!
//! - in: a `ModelRequest`, and endpoints that can each be asked once
//! - out: a complete reply, and the tokens spent on failed tries
//! - asks: the endpoints in turn; the clock
//! - never: asks a resting endpoint while another is ready, waits past the deadline, or retries without end

use super::endpoint::CallBounds;
use super::limits::LimiterPressure;
use super::probe::ProbeResult;
use futures::future::BoxFuture;
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::{ModelReply, TokenUsage};
use praxis_core::ask::request::ModelRequest;
use praxis_core::ask::waiting::WaitReason;
use praxis_core::time::Timestamp;
use praxis_engine::seams::{Clock, Model, ModelAnswered, ModelCallFailed, ReplyListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Backoff before the second try; it doubles with each failure.
pub(super) const FIRST_WAIT_MS: u64 = 1000;
/// Maximum backoff, even if an endpoint asks for more.
pub(super) const LONGEST_WAIT_MS: u64 = 60_000;

/// An endpoint that can be asked once.
pub(super) trait PoolEndpoint: Send + Sync {
    /// Sends the request once, before a deadline.
    fn once<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
        deadline: Timestamp,
    ) -> BoxFuture<'a, EndpointTry>;
    /// Returns its failures and its backoff.
    fn health(&self) -> &EndpointHealth;
    /// Returns the load that this process puts on it.
    fn pressure(&self) -> LimiterPressure;
    /// Probes its capabilities; `None` if there is nothing to probe.
    fn probed(&self) -> BoxFuture<'_, Option<Result<ProbeResult, ModelFault>>> {
        Box::pin(std::future::ready(None))
    }
}

/// Result of one request to an endpoint.
pub(super) struct EndpointTry {
    /// The reply, or the fault.
    pub(super) outcome: Result<ModelReply, ModelFault>,
    /// Tokens spent on failed requests.
    pub(super) spent: TokenUsage,
}

/// Number of failures in a row of an endpoint, and the end of its backoff.
#[derive(Debug, Default)]
pub(super) struct EndpointHealth(Mutex<(u32, Timestamp)>);

impl EndpointHealth {
    fn state(&self) -> MutexGuard<'_, (u32, Timestamp)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the end of its backoff.
    pub(super) fn rests_until(&self) -> Timestamp {
        self.state().1
    }

    fn is_well(&self) {
        *self.state() = (0, Timestamp(0));
    }

    /// Records a failure.
    fn failed(&self, fault: &ModelFault, now: Timestamp) {
        let mut state = self.state();
        state.0 = state.0.saturating_add(1);
        state.1 = state.1.max(now.plus_ms(pause(fault, state.0, now)));
    }
}

/// Returns the backoff in milliseconds after `failures` failures in a row: a wait that doubles, or the one that the
/// endpoint asked for if that is longer, up to `LONGEST_WAIT_MS`.
fn pause(fault: &ModelFault, failures: u32, now: Timestamp) -> u64 {
    let asked = fault.wait().map_or(0, |wait| wait.ms(now));
    let own = FIRST_WAIT_MS.saturating_mul(1 << failures.saturating_sub(1).min(16));
    asked.max(own).min(LONGEST_WAIT_MS)
}

/// Returns true if a fault concerns the endpoint, not this request or its answer.
fn is_of_endpoint(fault: &ModelFault) -> bool {
    match fault {
        ModelFault::ModelRateLimited { .. }
        | ModelFault::ModelQuotaSpent { .. }
        | ModelFault::ModelOverloaded { .. }
        | ModelFault::ModelLoading { .. }
        | ModelFault::ModelUnreachable { .. }
        | ModelFault::ModelSilent { .. }
        | ModelFault::ModelBroke { .. }
        | ModelFault::ModelDenied { .. }
        | ModelFault::ModelNotFound { .. }
        | ModelFault::ModelNotAnEndpoint { .. }
        | ModelFault::ModelErrorInAnswer { .. }
        | ModelFault::ModelCut { .. } => true,
        ModelFault::ModelParameterRefused { .. }
        | ModelFault::ModelReasoningWanted { .. }
        | ModelFault::ModelReasoningRefused { .. }
        | ModelFault::ModelContextExceeded { .. }
        | ModelFault::ModelRefused { .. }
        | ModelFault::ModelUnreadable { .. }
        | ModelFault::ModelEmpty { .. }
        | ModelFault::ModelDeclined { .. }
        | ModelFault::ModelArgumentsUnreadable { .. } => false,
    }
}

/// One model behind one or several endpoints.
pub struct EndpointPool {
    hands: Vec<Arc<dyn PoolEndpoint>>,
    bounds: CallBounds,
    clock: Arc<dyn Clock>,
    next: AtomicUsize,
}

impl EndpointPool {
    pub(super) fn new(
        hands: Vec<Arc<dyn PoolEndpoint>>,
        bounds: CallBounds,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { hands, bounds, clock, next: AtomicUsize::new(0) }
    }
}

impl Model for EndpointPool {
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswered, ModelCallFailed>> {
        let hands: Vec<&dyn PoolEndpoint> = self.hands.iter().map(AsRef::as_ref).collect();
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let round = PoolRound::new(hands, first, self.bounds, Arc::clone(&self.clock));
        Box::pin(round.answer(request, said))
    }
}

/// One request on its way through the endpoints.
pub(super) struct PoolRound<'a> {
    hands: Vec<&'a dyn PoolEndpoint>,
    /// Index of the endpoint whose turn it is.
    turn: usize,
    bounds: CallBounds,
    clock: Arc<dyn Clock>,
    deadline: Timestamp,
    tries: u32,
    /// Failures of this request at each endpoint, and the time before which it is not sent there again.
    held: Vec<(u32, Timestamp)>,
}

impl<'a> PoolRound<'a> {
    pub(super) fn new(
        hands: Vec<&'a dyn PoolEndpoint>,
        turn: usize,
        bounds: CallBounds,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let deadline = clock.now().plus_ms(bounds.total_ms);
        let held = vec![(0, Timestamp(0)); hands.len()];
        Self { hands, turn, bounds, clock, deadline, tries: 0, held }
    }

    pub(super) async fn answer(
        mut self,
        request: &ModelRequest,
        said: ReplyListener<'_>,
    ) -> Result<ModelAnswered, ModelCallFailed> {
        let mut spent = TokenUsage::default();
        let mut last = ModelFault::ModelUnreachable { message: "there is no endpoint".to_owned() };
        while let Some((place, hand, at)) = self.whose_turn() {
            // Backoff begins with the second try. Before the first only the endpoint itself may ask for a pause,
            // which its limiter waits for.
            if self.tries > 0 && at > self.clock.now() {
                if at >= self.deadline {
                    break;
                }
                said(Delta::Waiting(WaitReason::Rest { fault: last.clone(), until: at }));
                self.clock.sleep_until(at).await;
                said(Delta::Waiting(WaitReason::Over));
            }
            let tried = hand.once(request, &mut *said, self.deadline).await;
            spent = spent.plus(tried.spent);
            let fault = match tried.outcome {
                Ok(reply) => {
                    hand.health().is_well();
                    return Ok(ModelAnswered { reply, spent });
                }
                Err(fault) => fault,
            };
            self.note(place, hand, &fault);
            let ends = self.is_over(place, &fault);
            last = fault;
            if ends {
                break;
            }
        }
        Err(ModelCallFailed { fault: last, spent })
    }

    /// Picks the next endpoint in turn that is not resting, else the one that rests the shortest, and returns the
    /// time until which this request waits for it: the request's own backoff there, or the pause that the endpoint
    /// asked for. Failures of other requests affect only the choice.
    fn whose_turn(&self) -> Option<(usize, &'a dyn PoolEndpoint, Timestamp)> {
        let count = self.hands.len();
        let in_turn = (0..count).map(|step| (self.turn + step) % count);
        let ready = in_turn.filter_map(|place| {
            let hand = *self.hands.get(place)?;
            let asked = hand.pressure().resting_until.unwrap_or(Timestamp(0));
            let waits = self.held.get(place).map_or(Timestamp(0), |(_, held)| *held).max(asked);
            Some((place, hand, waits))
        });
        let now = self.clock.now();
        ready.min_by_key(|(_, hand, waits)| hand.health().rests_until().max(*waits).max(now))
    }

    fn note(&mut self, place: usize, hand: &dyn PoolEndpoint, fault: &ModelFault) {
        self.tries += 1;
        let now = self.clock.now();
        if is_of_endpoint(fault) {
            hand.health().failed(fault, now);
        }
        if let Some((failures, held)) = self.held.get_mut(place) {
            *failures += 1;
            *held = now.plus_ms(pause(fault, *failures, now));
        }
        self.turn = place + 1;
    }

    /// Returns true if no further try follows. A request that one endpoint denies may still be tried at another.
    fn is_over(&self, place: usize, fault: &ModelFault) -> bool {
        let untried = |(other, held): (usize, &(u32, Timestamp))| other != place && held.0 == 0;
        let may_move = is_of_endpoint(fault) && self.held.iter().enumerate().any(untried);
        self.tries >= self.bounds.tries || !(fault.is_retryable() || may_move)
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
