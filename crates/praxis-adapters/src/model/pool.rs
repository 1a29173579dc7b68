//! One model behind one or several endpoints: who is asked next, and when.
//!
//! - in: a question, and endpoints that can each be asked once
//! - out: a whole reply, and what was spent on tries that gave none
//! - asks: the endpoints in turn; the clock
//! - never: asks one that rests while another does not, waits past the deadline, or tries for ever

use super::endpoint::Bounds;
use super::limits::Pressure;
use super::probe::Measured;
use futures::future::BoxFuture;
use praxis_core::ask::fault::Fault;
use praxis_core::ask::reply::{Reply, Usage};
use praxis_core::ask::request::Request;
use praxis_core::ask::split::Delta;
use praxis_core::ask::waiting::Waiting;
use praxis_core::time::At;
use praxis_engine::seams::{Answered, Clock, Model, Said, Unanswered};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The wait before the second try; it doubles.
pub(super) const FIRST_WAIT_MS: u64 = 1000;
/// No wait is longer, whatever an endpoint asks for.
pub(super) const LONGEST_WAIT_MS: u64 = 60_000;

/// An endpoint that can be asked once.
pub(super) trait Hand: Send + Sync {
    /// Asks once, before a deadline.
    fn once<'a>(
        &'a self,
        request: &'a Request,
        said: Said<'a>,
        deadline: At,
    ) -> BoxFuture<'a, Tried>;
    /// How it fares.
    fn health(&self) -> &Health;
    /// How busy it is kept from here.
    fn pressure(&self) -> Pressure;
    /// What it takes, measured now; none if there is nothing to be measured.
    fn probed(&self) -> BoxFuture<'_, Option<Result<Measured, Fault>>> {
        Box::pin(std::future::ready(None))
    }
}

/// What came of asking once.
pub(super) struct Tried {
    /// The reply, or why there is none.
    pub(super) outcome: Result<Reply, Fault>,
    /// What was spent and brought nothing.
    pub(super) spent: Usage,
}

/// How an endpoint fares: after failures in a row it rests, longer each time.
#[derive(Debug, Default)]
pub(super) struct Health(Mutex<(u32, At)>);

impl Health {
    fn state(&self) -> MutexGuard<'_, (u32, At)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until when it rests.
    pub(super) fn rests_until(&self) -> At {
        self.state().1
    }

    fn is_well(&self) {
        *self.state() = (0, At(0));
    }

    /// Notes a failure.
    fn failed(&self, fault: &Fault, now: At) {
        let mut state = self.state();
        state.0 = state.0.saturating_add(1);
        state.1 = state.1.max(now.plus_ms(pause(fault, state.0, now)));
    }
}

/// How long to wait after so many failures in a row: as long as was asked for, and twice the last wait.
fn pause(fault: &Fault, failures: u32, now: At) -> u64 {
    let asked = fault.wait().map_or(0, |wait| wait.ms(now));
    let own = FIRST_WAIT_MS.saturating_mul(1 << failures.saturating_sub(1).min(16));
    asked.max(own).min(LONGEST_WAIT_MS)
}

/// Whether a fault says something about the endpoint, not about this question or its answer.
fn is_of_endpoint(fault: &Fault) -> bool {
    match fault {
        Fault::ModelRateLimited { .. }
        | Fault::ModelQuotaSpent { .. }
        | Fault::ModelOverloaded { .. }
        | Fault::ModelLoading { .. }
        | Fault::ModelUnreachable { .. }
        | Fault::ModelSilent { .. }
        | Fault::ModelBroke { .. }
        | Fault::ModelDenied { .. }
        | Fault::ModelNotFound { .. }
        | Fault::ModelNotAnEndpoint { .. }
        | Fault::ModelErrorInAnswer { .. }
        | Fault::ModelCut { .. } => true,
        Fault::ModelParameterRefused { .. }
        | Fault::ModelReasoningWanted { .. }
        | Fault::ModelReasoningRefused { .. }
        | Fault::ModelContextExceeded { .. }
        | Fault::ModelRefused { .. }
        | Fault::ModelUnreadable { .. }
        | Fault::ModelEmpty { .. }
        | Fault::ModelDeclined { .. }
        | Fault::ModelArgumentsUnreadable { .. } => false,
    }
}

/// Several endpoints of one model.
pub struct Pool {
    hands: Vec<Arc<dyn Hand>>,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
    next: AtomicUsize,
}

impl Pool {
    pub(super) fn new(hands: Vec<Arc<dyn Hand>>, bounds: Bounds, clock: Arc<dyn Clock>) -> Self {
        Self { hands, bounds, clock, next: AtomicUsize::new(0) }
    }
}

impl Model for Pool {
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        said: Said<'a>,
    ) -> BoxFuture<'a, Result<Answered, Unanswered>> {
        let hands: Vec<&dyn Hand> = self.hands.iter().map(AsRef::as_ref).collect();
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let round = Round::new(hands, first, self.bounds, Arc::clone(&self.clock));
        Box::pin(round.answer(request, said))
    }
}

/// One question on its way round the endpoints.
pub(super) struct Round<'a> {
    hands: Vec<&'a dyn Hand>,
    /// Whose turn it is.
    turn: usize,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
    deadline: At,
    tries: u32,
    /// How often this question failed at each of them, and before which moment it does not go there again.
    held: Vec<(u32, At)>,
}

impl<'a> Round<'a> {
    pub(super) fn new(
        hands: Vec<&'a dyn Hand>,
        turn: usize,
        bounds: Bounds,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let deadline = clock.now().plus_ms(bounds.total_ms);
        let held = vec![(0, At(0)); hands.len()];
        Self { hands, turn, bounds, clock, deadline, tries: 0, held }
    }

    pub(super) async fn answer(
        mut self,
        request: &Request,
        said: Said<'_>,
    ) -> Result<Answered, Unanswered> {
        let mut spent = Usage::default();
        let mut last = Fault::ModelUnreachable { message: "there is no endpoint".to_owned() };
        while let Some((place, hand, at)) = self.whose_turn() {
            // The first try waits for nobody's guess: only the endpoint itself may ask for that.
            if self.tries > 0 && at > self.clock.now() {
                if at >= self.deadline {
                    break;
                }
                said(Delta::Waits(Waiting::Rest { fault: last.clone(), until: at }));
                self.clock.sleep_until(at).await;
                said(Delta::Waits(Waiting::Over));
            }
            let tried = hand.once(request, &mut *said, self.deadline).await;
            spent = spent.plus(tried.spent);
            let fault = match tried.outcome {
                Ok(reply) => {
                    hand.health().is_well();
                    return Ok(Answered { reply, spent });
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
        Err(Unanswered { fault: last, spent })
    }

    /// The next one that does not rest, in turn; else the one that rests least. And until when this question
    /// waits for it: as long as it failed there itself, or as the endpoint asked. What other questions made of
    /// the endpoint only decides who is asked.
    fn whose_turn(&self) -> Option<(usize, &'a dyn Hand, At)> {
        let count = self.hands.len();
        let in_turn = (0..count).map(|step| (self.turn + step) % count);
        let ready = in_turn.filter_map(|place| {
            let hand = *self.hands.get(place)?;
            let asked = hand.pressure().resting_until.unwrap_or(At(0));
            let waits = self.held.get(place).map_or(At(0), |(_, held)| *held).max(asked);
            Some((place, hand, waits))
        });
        let now = self.clock.now();
        ready.min_by_key(|(_, hand, waits)| hand.health().rests_until().max(*waits).max(now))
    }

    fn note(&mut self, place: usize, hand: &dyn Hand, fault: &Fault) {
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
    fn is_over(&self, place: usize, fault: &Fault) -> bool {
        let untried = |(other, held): (usize, &(u32, At))| other != place && held.0 == 0;
        let may_move = is_of_endpoint(fault) && self.held.iter().enumerate().any(untried);
        self.tries >= self.bounds.tries || !(fault.is_retryable() || may_move)
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
