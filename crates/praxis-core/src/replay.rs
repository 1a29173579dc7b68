//! Replays the decisions of a recorded task with its recorded answers and reports the first difference.
//!
//! - in: the entries of a task, and a function that reads blobs
//! - out: the number of equal decisions, or the first `Divergence`
//! - never: makes a call; everything from outside comes from the journal

pub mod portrait;

pub mod snapshot;

use crate::ask::purpose::Purpose;
use crate::ask::reply::ModelReply;
use crate::ask::tokens::TokenCounter;
use crate::budget::ledger::Reserved;
use crate::call::own::OwnCall;
use crate::call::own_tools::own;
use crate::dataflow::resolve::LoadedBlobs;
use crate::decide::answer;
use crate::decide::begin::{begin, needs};
use crate::decide::decide;
use crate::effect::{Effect, WorkKind};
use crate::evaluate::extract;
use crate::execute::started::simulation;
use crate::hash::content_hash;
use crate::ids::BlobId;
use crate::inputs::{Inputs, Schemas};
use crate::journal::event::{Entry, Event, of_a_flow, of_a_goal};
use crate::journal::outcome::{AskOutcome, CallOutcome};
use crate::journal::question::{Question, QuestionSubject};
use crate::journal::submission::EffectMode;
use crate::library::Library;
use crate::payload::Payload;
use crate::planner::{Planner, UNCANCELLED};
use crate::state::State;
use crate::state::step::Step;
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// The counts of a replay without divergence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplaySummary {
    /// The number of events that came from outside.
    pub answers: usize,
    /// The number of decisions, all equal to the recorded ones.
    pub decisions: usize,
}

/// The first difference between a replay and the record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Divergence {
    /// The sequence number of the recorded event.
    pub seq: u64,
    /// The recorded event.
    pub recorded: Value,
    /// The event decided now, or null if there is none.
    pub now: Value,
}

/// The reason why a replay failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReplayError {
    /// The record itself cannot be folded.
    #[error("{0}")]
    Illegal(#[from] crate::IllegalEvent),
    /// A blob of the task is missing.
    #[error("cannot read blob {0}, which the replay needs")]
    Blob(BlobId),
    /// The replay decided differently.
    #[error("replay diverged at event {}: the recorded decision and the current one differ", .0.seq)]
    Diverged(Box<Divergence>),
}

/// Returns true if an event is a decision: made by the core from the state alone.
fn is_decision(event: &Event, state: &State) -> bool {
    match event {
        Event::StepStarted { .. }
        | Event::StepRefused { .. }
        | Event::CheckStarted { .. }
        | Event::QuestionAsked { .. }
        | Event::TaskFinished { .. } => true,
        of_a_flow!() => true,
        // Not decisions: model answers, whose consequences `replay` compares separately, recalled tasks, and the
        // results of background work. None of them is produced again.
        of_a_goal!() => !is_answer(event),
        // Steps are added while a model streams them, or by a person, or as the result of background work.
        Event::StepsPlanned { .. } | Event::PlanClosed { .. } => false,
        // A step that gathers, is simulated, or is one of Praxis' own calls ends by decision; a tool call ends by its
        // answer.
        Event::StepFinished { step, outcome, .. } => {
            let by_decision = |step: &Step| {
                // Without a token reservation no model was asked.
                let asks = step.plan.body().is_none() && step.reserved.is_some();
                let by_itself =
                    |own: OwnCall| own != OwnCall::Wait && !(own.asks_a_model() && asks);
                own(step.tool()).is_some_and(by_itself)
                    || step.plan.gathers()
                    || simulation(state, step) == Some(EffectMode::Simulate)
            };
            state.step(step.as_str()).is_some_and(by_decision) && *outcome != CallOutcome::Lost
        }
        Event::TaskSubmitted(_)
        | Event::Woken { .. }
        | Event::StepInherited { .. }
        | Event::RetryDue { .. }
        | Event::CheckFinished { .. }
        | Event::QuestionAnswered { .. }
        | Event::TimeUsedUp { .. }
        | Event::CancelRequested { .. }
        | Event::TaskReopened { .. } => false,
    }
}

/// Returns false if an event is the result of work that `decide` does not want: replay and record diverge there.
/// Plans are not checked: a model may be streaming the plan, or a person may have written it.
fn is_wanted(event: &Event, state: &State) -> bool {
    let wants = |jobs: &[WorkKind]| {
        let is_one = |effect: &Effect| matches!(effect, Effect::Work(job) if jobs.contains(job));
        decide(state).iter().any(is_one)
    };
    if matches!(event, Event::ToolsSelected { .. }) {
        return wants(&[WorkKind::Choose, WorkKind::Select]);
    }
    !matches!(event, Event::TaskReflected(_)) || wants(&[WorkKind::Reflect])
}

/// Returns true for an event of a goal that came from outside or is the result of background work.
fn is_answer(event: &Event) -> bool {
    let by_rules = matches!(event, Event::TaskReflected(reflection) if !reflection.by_model);
    by_rules
        || matches!(
            event,
            Event::AskFinished { .. } | Event::Recalled { .. } | Event::ToolsSelected { .. }
        )
}

/// The inputs of a replay besides the record.
pub struct ReplayInputs<'a> {
    /// The schemas of the pinned tools.
    pub schemas: &'a dyn Schemas,
    /// The pinned prompt material of a goal.
    pub library: Option<&'a Library>,
    /// The token counter.
    pub tokens: &'a dyn TokenCounter,
    /// The planner that works without a model.
    pub planner: &'a dyn Planner,
}

/// Repeats every decision of the record and compares it with the recorded one.
pub fn replay(
    entries: &[Entry],
    ground: &ReplayInputs<'_>,
    read: impl FnMut(&BlobId) -> Option<Value>,
) -> Result<ReplaySummary, ReplayError> {
    let (effects, events) = (VecDeque::new(), VecDeque::new());
    let mut decider = Decider { ground, read, effects, events };
    let mut state = State::default();
    let mut same = ReplaySummary::default();
    // The events that follow from the last model answer by today's code.
    let mut meant: VecDeque<Event> = VecDeque::new();
    for entry in entries {
        if let Event::AskFinished { ask, outcome: AskOutcome::Answered { reply, .. } } =
            &entry.event
        {
            meant = decider.meaning(&state, *ask, reply)?.into();
            decider.forget();
            same.answers += 1;
        } else if let Some(now) = meant.pop_front() {
            if !alike(&now, &entry.event) {
                return Err(diverged(entry, Some(&now)));
            }
            same.decisions += 1;
        } else if is_decision(&entry.event, &state) {
            let now = decider.next(&state, &entry.event)?;
            if !now.as_ref().is_some_and(|now| alike(now, &entry.event)) {
                return Err(diverged(entry, now.as_ref()));
            }
            same.decisions += 1;
        } else {
            if !is_wanted(&entry.event, &state) {
                return Err(diverged(entry, None));
            }
            // A crash may have cut a batch; the resumed task decides from the events that were written.
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

/// Decides like a driver: computes all effects at once, and the events of each on the state before it.
struct Decider<'a, R> {
    ground: &'a ReplayInputs<'a>,
    read: R,
    effects: VecDeque<Effect>,
    events: VecDeque<Event>,
}

impl<R: FnMut(&BlobId) -> Option<Value>> Decider<'_, R> {
    fn forget(&mut self) {
        self.effects.clear();
        self.events.clear();
    }

    fn next(&mut self, state: &State, recorded: &Event) -> Result<Option<Event>, ReplayError> {
        while self.events.is_empty() {
            if self.effects.is_empty() {
                self.effects =
                    decide(state).into_iter().filter_map(|e| begun(e, recorded)).collect();
            }
            let Some(effect) = self.effects.pop_front() else { return Ok(None) };
            let blobs = self.load(needs(state, &effect))?;
            self.events = begin(state, &effect, &self.inputs(&blobs)).into();
        }
        Ok(self.events.pop_front())
    }

    fn load(&mut self, ids: Vec<BlobId>) -> Result<LoadedBlobs, ReplayError> {
        let mut blobs = LoadedBlobs::new();
        for id in ids {
            let value = (self.read)(&id).ok_or_else(|| ReplayError::Blob(id.clone()))?;
            blobs.insert(id, Arc::new(value));
        }
        Ok(blobs)
    }

    fn inputs<'b>(&'b self, blobs: &'b LoadedBlobs) -> Inputs<'b> {
        let ReplayInputs { schemas, library, tokens, planner } = *self.ground;
        Inputs { blobs, tools: schemas, library, tokens, planner, cancelled: &UNCANCELLED }
    }

    /// Returns the events that follow from a recorded model answer.
    fn meaning(
        &mut self,
        state: &State,
        ask: u32,
        reply: &Payload,
    ) -> Result<Vec<Event>, ReplayError> {
        let value = match reply {
            Payload::Json(value) => (**value).clone(),
            Payload::Blob(stored) => {
                let blob = &stored.blob;
                (self.read)(blob).ok_or_else(|| ReplayError::Blob(blob.clone()))?
            }
        };
        let reply: ModelReply = serde_json::from_value(value).unwrap_or_default();
        let blobs = self.load(extract::needs(state, ask))?;
        Ok(answer::events(state, ask, &reply, &self.inputs(&blobs)))
    }
}

/// Maps an effect to the one to begin where a decision is recorded. Background work is not repeated: it led to a
/// recorded result, or to a model request.
fn begun(effect: Effect, recorded: &Event) -> Option<Effect> {
    let Effect::Work(job) = effect else { return Some(effect) };
    // A model was asked, or would have been without a budget limit.
    let asked = matches!(
        recorded,
        Event::AskStarted { purpose: Purpose::Select, .. }
            | Event::WallHit(_)
            | Event::QuestionAsked {
                question: Question { about: QuestionSubject::Budget { .. }, .. }
            }
    );
    (job == WorkKind::Select && asked).then_some(Effect::Ask(Purpose::Select))
}

/// Returns true if two events are equal. A large value may have been moved to a blob after the decision: then the
/// content hashes must be equal.
fn alike(now: &Event, recorded: &Event) -> bool {
    // Earlier versions recorded a shorter `TaskLearnt`, and no decision depends on it.
    if let (Event::TaskLearnt(_), Event::TaskLearnt(taught)) = (now, recorded)
        && taught.case.is_none()
    {
        return true;
    }
    let (mut now, mut recorded) = (now.clone(), recorded.clone());
    // The reserved tokens depend on the wording of a prompt, which may have changed since.
    for event in [&mut now, &mut recorded] {
        if let Event::StepStarted { reserved: Some(reserved), .. } = event {
            *reserved = Reserved::default();
        }
    }
    for (decided, recorded) in now.bulk().into_iter().zip(recorded.bulk()) {
        if let (Payload::Json(value), Payload::Blob(stored)) = (&*decided, recorded)
            && stored.blob.as_str() == content_hash(value.to_string().as_bytes())
        {
            *decided = Payload::Blob(Arc::clone(stored));
        }
    }
    now == recorded || without_messages(&now) == without_messages(&recorded)
}

/// Returns an event as JSON without messages for people: their wording may have been improved since.
fn without_messages(event: &Event) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                if fields.contains_key("code") {
                    fields.remove("message");
                    fields.remove("next");
                }
                if fields.contains_key("pointer") {
                    fields.remove("detail");
                    fields.remove("detail_zh");
                }
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut written = serde_json::to_value(event).unwrap_or_default();
    strip(&mut written);
    written
}
