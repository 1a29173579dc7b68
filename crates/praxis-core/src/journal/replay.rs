//! Decides a recorded task anew with its recorded answers, and shows the first difference.
//!
//! - in: the entries of a task, and a way to read blobs
//! - out: how many decisions were the same, or where they part
//! - never: makes a call; what came from outside comes from the journal

use crate::dataflow::resolve::Blobs;
use crate::decide::{Effect, decide};
use crate::execute::start::{Inputs, Schemas, begin, needs, simulation};
use crate::execute::step::Step;
use crate::ids::BlobId;
use crate::journal::chain::content_hash;
use crate::journal::event::{Effects, Entry, Event, Outcome};
use crate::payload::Payload;
use crate::state::State;
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// A replay that went the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Same {
    /// Events that came from outside.
    pub answers: usize,
    /// Events that were decided, and decided alike.
    pub decisions: usize,
}

/// Where a replay parts from the record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Divergence {
    /// The recorded event.
    pub seq: u64,
    /// What was recorded there.
    pub recorded: Value,
    /// What is decided now; null if nothing is.
    pub now: Value,
}

/// Why a replay could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// The record itself cannot be folded.
    #[error("{0}")]
    Illegal(#[from] crate::Illegal),
    /// A blob of the task is not there.
    #[error("blob {0} is needed and cannot be read")]
    Blob(BlobId),
    /// It went another way.
    #[error("event {} is decided otherwise now", .0.seq)]
    Diverged(Box<Divergence>),
}

/// Whether an event is a decision: core made it from the state alone.
fn is_decision(event: &Event, state: &State) -> bool {
    match event {
        Event::StepStarted { .. }
        | Event::StepRefused { .. }
        | Event::CheckStarted { .. }
        | Event::QuestionAsked { .. }
        | Event::TaskFinished { .. } => true,
        // A step that gathers or is simulated ends by decision; a call ends by its answer.
        Event::StepFinished { step, outcome, .. } => {
            let by_decision = |step: &Step| {
                step.plan.gathers() || simulation(state, step) == Some(Effects::Simulate)
            };
            state.step(step.as_str()).is_some_and(by_decision) && *outcome != Outcome::Lost
        }
        Event::TaskSubmitted(_)
        | Event::Woken { .. }
        | Event::StepsPlanned { .. }
        | Event::PlanClosed { .. }
        | Event::StepInherited { .. }
        | Event::RetryDue { .. }
        | Event::CheckFinished { .. }
        | Event::QuestionAnswered { .. }
        | Event::TimeUsedUp { .. }
        | Event::CancelRequested { .. }
        | Event::TaskReopened { .. } => false,
    }
}

/// Decides every decision of the record anew.
pub fn replay(
    entries: &[Entry],
    schemas: &dyn Schemas,
    read: impl FnMut(&BlobId) -> Option<Value>,
) -> Result<Same, ReplayError> {
    let mut decider = Decider { schemas, read, effects: VecDeque::new(), events: VecDeque::new() };
    let mut state = State::default();
    let mut same = Same::default();
    for entry in entries {
        if is_decision(&entry.event, &state) {
            let now = decider.next(&state)?;
            if !now.as_ref().is_some_and(|now| alike(now, &entry.event)) {
                return Err(diverged(entry, now.as_ref()));
            }
            same.decisions += 1;
        } else {
            // A crash may have cut a batch; what woke up decides from what is there.
            decider.forget();
            same.answers += 1;
        }
        state.apply(entry)?;
    }
    Ok(same)
}

fn diverged(recorded: &Entry, now: Option<&Event>) -> ReplayError {
    ReplayError::Diverged(Box::new(Divergence {
        seq: recorded.seq,
        recorded: serde_json::to_value(&recorded.event).unwrap_or_default(),
        now: serde_json::to_value(now).unwrap_or_default(),
    }))
}

/// Decides as a driver does: all effects at once, the events of each on the state before it.
struct Decider<'a, R> {
    schemas: &'a dyn Schemas,
    read: R,
    effects: VecDeque<Effect>,
    events: VecDeque<Event>,
}

impl<R: FnMut(&BlobId) -> Option<Value>> Decider<'_, R> {
    fn forget(&mut self) {
        self.effects.clear();
        self.events.clear();
    }

    fn next(&mut self, state: &State) -> Result<Option<Event>, ReplayError> {
        while self.events.is_empty() {
            if self.effects.is_empty() {
                self.effects = decide(state).into();
            }
            let Some(effect) = self.effects.pop_front() else { return Ok(None) };
            let mut blobs = Blobs::new();
            for id in needs(state, effect) {
                let value = (self.read)(&id).ok_or_else(|| ReplayError::Blob(id.clone()))?;
                blobs.insert(id, Arc::new(value));
            }
            self.events =
                begin(state, effect, &Inputs { blobs: &blobs, tools: self.schemas }).into();
        }
        Ok(self.events.pop_front())
    }
}

/// A large value was moved to a blob after it was decided: then the names of the contents must be equal.
fn alike(now: &Event, recorded: &Event) -> bool {
    let (mut now, mut recorded) = (now.clone(), recorded.clone());
    if let (Some(decided), Some(Payload::Blob(stored))) = (now.bulk(), recorded.bulk())
        && let Payload::Json(value) = &*decided
        && stored.blob.as_str() == content_hash(value.to_string().as_bytes())
    {
        *decided = Payload::Blob(Arc::clone(stored));
    }
    now == recorded
}
