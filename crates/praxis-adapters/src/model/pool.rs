//! One model behind one or several endpoints: who is asked next, and when.
//!
//! - in: a question, and endpoints that can each be asked once
//! - out: a whole reply, and what was spent on tries that gave none
//! - asks: the endpoints in turn; the clock
//! - never: asks one that rests while another does not, waits past the deadline, or tries for ever

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

/// The wait before the second try; it doubles.
pub(super) const FIRST_WAIT_MS: u64 = 1000;
/// No wait is longer, whatever an endpoint asks for.
pub(super) const LONGEST_WAIT_MS: u64 = 60_000;

/// An endpoint that can be asked once.
pub(super) trait PoolEndpoint: Send + Sync {
    /// Asks once, before a deadline.
    fn once<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
        deadline: Timestamp,
    ) -> BoxFuture<'a, EndpointTry>;
    /// How it fares.
    fn health(&self) -> &EndpointHealth;
    /// How busy it is kept from here.
    fn pressure(&self) -> LimiterPressure;
    /// What it takes, measured now; none if there is nothing to be measured.
    fn probed(&self) -> BoxFuture<'_, Option<Result<ProbeResult, ModelFault>>> {
        Box::pin(std::future::ready(None))
    }
}

/// What came of asking once.
pub(super) struct EndpointTry {
    /// The reply, or why there is none.
    pub(super) outcome: Result<ModelReply, ModelFault>,
    /// What was spent and brought nothing.
    pub(super) spent: TokenUsage,
}

/// How an endpoint fares: after failures in a row it rests, longer each time.
#[derive(Debug, Default)]
pub(super) struct EndpointHealth(Mutex<(u32, Timestamp)>);

impl EndpointHealth {
    fn state(&self) -> MutexGuard<'_, (u32, Timestamp)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until when it rests.
    pub(super) fn rests_until(&self) -> Timestamp {
        self.state().1
    }

    fn is_well(&self) {
        *self.state() = (0, Timestamp(0));
    }

    /// Notes a failure.
    fn failed(&self, fault: &ModelFault, now: Timestamp) {
        let mut state = self.state();
        state.0 = state.0.saturating_add(1);
        state.1 = state.1.max(now.plus_ms(pause(fault, state.0, now)));
    }
}

/// How long to wait after so many failures in a row: as long as was asked for, and twice the last wait.
fn pause(fault: &ModelFault, failures: u32, now: Timestamp) -> u64 {
    let asked = fault.wait().map_or(0, |wait| wait.ms(now));
    let own = FIRST_WAIT_MS.saturating_mul(1 << failures.saturating_sub(1).min(16));
    asked.max(own).min(LONGEST_WAIT_MS)
}

/// Whether a fault says something about the endpoint, not about this question or its answer.
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

/// Several endpoints of one model.
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

/// One question on its way round the endpoints.
pub(super) struct PoolRound<'a> {
    hands: Vec<&'a dyn PoolEndpoint>,
    /// Whose turn it is.
    turn: usize,
    bounds: CallBounds,
    clock: Arc<dyn Clock>,
    deadline: Timestamp,
    tries: u32,
    /// How often this question failed at each of them, and before which moment it does not go there again.
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
            // The first try waits for nobody's guess: only the endpoint itself may ask for that.
            if self.tries > 0 && at > self.clock.now() {
                if at >= self.deadline {
                    break;
                }
                said(Delta::Waits(WaitReason::Rest { fault: last.clone(), until: at }));
                self.clock.sleep_until(at).await;
                said(Delta::Waits(WaitReason::Over));
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

    /// The next one that does not rest, in turn; else the one that rests least. And until when this question
    /// waits for it: as long as it failed there itself, or as the endpoint asked. What other questions made of
    /// the endpoint only decides who is asked.
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

    /// Whether nothing more is tried. What an endpoint denies, another may still give.
    fn is_over(&self, place: usize, fault: &ModelFault) -> bool {
        let untried = |(other, held): (usize, &(u32, Timestamp))| other != place && held.0 == 0;
        let may_move = is_of_endpoint(fault) && self.held.iter().enumerate().any(untried);
        self.tries >= self.bounds.tries || !(fault.is_retryable() || may_move)
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
