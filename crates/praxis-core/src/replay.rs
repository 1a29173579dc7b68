//! Decides a recorded task anew with its recorded answers, and shows the first difference.
//!
//! - in: the entries of a task, and a way to read blobs
//! - out: how many decisions were the same, or where they part
//! - never: makes a call; what came from outside comes from the journal

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
use crate::journal::event::{Entry, Event, of_a_flow, of_the_course};
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

/// A replay that went the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplaySummary {
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
    Illegal(#[from] crate::IllegalEvent),
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
        of_a_flow!() => true,
        // An answer of a model is none; what it means is looked at before. What is known of earlier tasks comes from
        // outside too, and is never looked up again; nor is work that was done aside.
        of_the_course!() => !is_answer(event),
        // Steps enter while a model writes them, or a person wrote them; else they are the answer to work.
        Event::StepsPlanned { .. } | Event::PlanClosed { .. } => false,
        // A step that gathers, is simulated, or calls what is our own ends by decision; a call ends by its answer.
        Event::StepFinished { step, outcome, .. } => {
            let by_decision = |step: &Step| {
                // Where nothing was set aside, no model was asked.
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

/// True unless an event is the answer to work that nobody wants: then the record goes another way. A plan is not looked at:
/// a model may be writing it, or a person may have.
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

/// True for an event of a goal's course that came from outside, or of work that was done aside.
fn is_answer(event: &Event) -> bool {
    let by_rules = matches!(event, Event::TaskReflected(reflection) if !reflection.by_model);
    by_rules
        || matches!(
            event,
            Event::AskFinished { .. } | Event::Recalled { .. } | Event::ToolsSelected { .. }
        )
}

/// What a replay stands on besides the record.
pub struct ReplayInputs<'a> {
    /// The schemas of the pinned tools.
    pub schemas: &'a dyn Schemas,
    /// The pinned texts of a goal.
    pub library: Option<&'a Library>,
    /// Who counts tokens.
    pub tokens: &'a dyn TokenCounter,
    /// Who plans without a model.
    pub planner: &'a dyn Planner,
}

/// Decides every decision of the record anew.
pub fn replay(
    entries: &[Entry],
    ground: &ReplayInputs<'_>,
    read: impl FnMut(&BlobId) -> Option<Value>,
) -> Result<ReplaySummary, ReplayError> {
    let (effects, events) = (VecDeque::new(), VecDeque::new());
    let mut decider = Decider { ground, read, effects, events };
    let mut state = State::default();
    let mut same = ReplaySummary::default();
    // What the last answer of a model means now.
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

    /// What a recorded answer of a model means.
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

/// The effect to begin where a decision is recorded. Work is not done again: what came of it is an answer, or a model was asked.
fn begun(effect: Effect, recorded: &Event) -> Option<Effect> {
    let Effect::Work(job) = effect else { return Some(effect) };
    // A model was asked, or would have been but for a wall.
    let asked = matches!(
        recorded,
        Event::AskStarted { errand: Purpose::Select, .. }
            | Event::WallHit(_)
            | Event::QuestionAsked {
                question: Question { about: QuestionSubject::Budget { .. }, .. }
            }
    );
    (job == WorkKind::Select && asked).then_some(Effect::Ask(Purpose::Select))
}

/// A large value was moved to a blob after it was decided: then the names of the contents must be equal.
fn alike(now: &Event, recorded: &Event) -> bool {
    // An earlier version taught less of a task, and nothing of it was ever decided upon.
    if let (Event::TaskLearnt(_), Event::TaskLearnt(taught)) = (now, recorded)
        && taught.case.is_none()
    {
        return true;
    }
    let (mut now, mut recorded) = (now.clone(), recorded.clone());
    // How much is set aside follows from the wording of a prompt, which may have been improved since.
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
    now == recorded
}
