//! The account of every step: the arguments that were sent, their origins, and the origin of the output.
//!
//! - in: the entries of a task
//! - out: a [`StepAccount`] for each step with recorded activity, from one pass over the journal
//! - never: reads a blob, or infers something that the journal records

use crate::dataflow::resolve::{Hole, LoadedBlobs};
use crate::execute::started::is_simulated;
use crate::execute::twin::maker;
use crate::fold::IllegalEvent;
use crate::ids::{BlobId, QuestionId, StepId, TaskId};
use crate::journal::event::{Entry, Event, of_a_flow, of_a_goal};
use crate::journal::outcome::CheckVerdict;
use crate::journal::question::QuestionAnswer;
use crate::journal::submission::ForkParent;
use crate::mask::masked;
use crate::payload::{Payload, PayloadValue, StoredField, StoredValue};
use crate::pointer::pointer_to;
use crate::state::State;
use crate::state::step::{SentCall, Step};
use crate::view::why::{self, ArgumentOrigin};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The way in which a step got its result: a call, a fork, a simulation, a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepResolution {
    /// The step has not run yet.
    #[default]
    NotRun,
    /// The arguments could not be resolved; no call was made.
    Refused,
    /// The call was made.
    Called,
    /// The outputs of its actions were gathered; no call was made.
    Gathered {
        /// The actions.
        actions: Vec<StepId>,
    },
    /// The call was simulated by a fork.
    Simulated {
        /// The task that the output was taken from; `None` if the output is `{"simulated": true}`.
        #[serde(skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    },
    /// The output was taken over from the task that this one was forked from.
    Inherited {
        /// The parent task.
        task: TaskId,
    },
    /// The call was in doubt; a person said that it took effect, and gave the output.
    Answered {
        /// The person.
        by: String,
        /// The question that they answered.
        question: QuestionId,
    },
    /// The call was in doubt; the tool in `check_with` confirmed it.
    Checked,
}

/// The account of one step.
#[derive(Clone, Debug, Default)]
pub struct StepAccount {
    /// The way in which it got its result.
    pub how: StepResolution,
    /// The call as recorded.
    pub sent: Option<SentCall>,
    generation: u32,
    trace: Vec<ArgumentOrigin>,
}

/// A task and the accounts of its steps.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    /// The current state of the task.
    pub state: State,
    steps: BTreeMap<StepId, StepAccount>,
}

impl Accounts {
    /// Builds the accounts in one pass over the entries.
    pub fn read<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Self, IllegalEvent> {
        let mut accounts = Self::default();
        for entry in entries {
            let settled = accounts.settled(&entry.event);
            accounts.state.apply(entry)?;
            accounts.note(&entry.event);
            if let Some((step, how)) = settled {
                accounts.steps.entry(step).or_default().how = how;
            }
        }
        Ok(accounts)
    }

    /// Returns the way in which a step got its result.
    pub fn how(&self, step: &StepId) -> StepResolution {
        self.steps.get(step).map(|account| account.how.clone()).unwrap_or_default()
    }

    /// Returns true if the step's call was simulated.
    pub fn is_simulated(&self, step: &StepId) -> bool {
        matches!(self.how(step), StepResolution::Simulated { .. })
    }

    /// Returns the step's call as recorded.
    pub fn sent(&self, step: &StepId) -> Option<&SentCall> {
        self.steps.get(step)?.sent.as_ref()
    }

    /// Returns the origins of a step's arguments at the first call of its current generation, or as of now if it was
    /// not called.
    pub fn reasons(&self, id: &StepId) -> Vec<ArgumentOrigin> {
        let account = self.steps.get(id).filter(|account| account.how != StepResolution::NotRun);
        let Some(account) = account else {
            let step = self.state.step(id.as_str());
            return step
                .map_or(vec![], |step| why::reasons(&self.state, step, &LoadedBlobs::new()));
        };
        let mut reasons = account.trace.clone();
        for reason in &mut reasons {
            if let Some(sent) = &account.sent {
                why::fill(reason, sent);
            }
            why::hide(reason);
        }
        reasons
    }

    /// Returns the arguments of a step's call with secrets masked; a value in a blob appears as a reference.
    pub fn sent_shown(&self, step: &StepId) -> Option<Value> {
        Some(masked(&self.sent_whole(step)?).into_owned())
    }

    /// Like [`sent_shown`](Self::sent_shown), for one line of text: a value in a blob appears as a short description.
    pub fn sent_told(&self, step: &StepId) -> Option<Value> {
        let told = |hole: &Hole| Value::from(self.blob_words(&hole.blob, hole.key.as_deref()));
        Some(masked(&filled(self.sent(step)?, told)).into_owned())
    }

    /// Like [`sent_shown`](Self::sent_shown), without masking.
    pub(super) fn sent_whole(&self, step: &StepId) -> Option<Value> {
        Some(filled(self.sent(step)?, |hole| self.hole_shown(hole)))
    }

    /// Describes a value in a blob by its shape and size, as far as they are known.
    pub fn blob_words(&self, blob: &BlobId, key: Option<&str>) -> String {
        let short: String = blob.as_str().chars().take(12).collect();
        match (self.stored(blob), key) {
            (_, Some(key)) => format!("`{key}` in blob {short}"),
            (Some(stored), None) => {
                format!("{} of {} bytes in blob {short}", stored.shape, stored.bytes)
            }
            (None, None) => format!("in blob {short}"),
        }
    }

    fn hole_shown(&self, hole: &Hole) -> Value {
        reference(&hole.blob, hole.key.as_deref(), self.stored(&hole.blob))
    }

    /// Returns the metadata of a blob that the task's values refer to.
    pub fn stored(&self, blob: &BlobId) -> Option<&StoredValue> {
        let context = &self.state.context;
        let results = context
            .step_ids()
            .filter_map(|id| Some(&context.result(context.index_of(id.as_str())?)?.output));
        let found = context.initial().values().chain(results).find_map(|payload| match payload {
            Payload::Blob(stored) if stored.blob == *blob => Some(stored),
            Payload::Blob(_) | Payload::Json(_) => None,
        });
        found.map(AsRef::as_ref)
    }

    /// Returns the step in doubt that this event settles. Must run before the fold, which closes the question.
    fn settled(&self, event: &Event) -> Option<(StepId, StepResolution)> {
        let Event::QuestionAnswered { question, answer: QuestionAnswer::Done { .. }, by } = event
        else {
            return None;
        };
        let step = self.state.questions.get(question)?.step.clone()?;
        Some((step, StepResolution::Answered { by: by.clone(), question: question.clone() }))
    }

    fn note(&mut self, event: &Event) {
        match event {
            Event::StepStarted { step, .. } => self.started(step),
            Event::StepInherited { step, tool, arguments, holes, .. } => {
                let (arguments, holes) = (arguments.clone(), holes.clone());
                self.inherited(step, SentCall { tool: tool.clone(), arguments, holes });
            }
            Event::StepRefused { step, .. } => self.refused(step),
            Event::CheckFinished { step, verdict: CheckVerdict::Done { .. } } => {
                self.steps.entry(step.clone()).or_default().how = StepResolution::Checked;
            }
            Event::TaskReopened { invalidated, .. } => {
                self.steps.retain(|id, account| {
                    !invalidated.contains(id) && account.how != StepResolution::Refused
                });
            }
            of_a_goal!() => {}
            of_a_flow!() => {}
            Event::TaskSubmitted(_)
            | Event::Woken { .. }
            | Event::StepsPlanned { .. }
            | Event::PlanClosed { .. }
            | Event::StepFinished { .. }
            | Event::RetryDue { .. }
            | Event::CheckStarted { .. }
            | Event::CheckFinished { .. }
            | Event::QuestionAsked { .. }
            | Event::QuestionAnswered { .. }
            | Event::TimeUsedUp { .. }
            | Event::CancelRequested { .. }
            | Event::TaskFinished { .. } => {}
        }
    }

    fn started(&mut self, id: &StepId) {
        let Some(step) = self.state.step(id.as_str()) else { return };
        let account = self.steps.entry(id.clone()).or_default();
        account.how = how(&self.state, step);
        // All attempts of a generation send the arguments that the first one resolved.
        if account.generation != step.generation {
            account.generation = step.generation;
            account.sent.clone_from(&step.sent);
            account.trace = why::trace(&self.state, step, &LoadedBlobs::new());
        }
    }

    fn inherited(&mut self, id: &StepId, sent: SentCall) {
        let Some(ForkParent { task, .. }) = parent(&self.state) else {
            return self.taken_over(id, sent);
        };
        let (how, trace) =
            (StepResolution::Inherited { task: task.clone() }, why::inherited(&sent, task));
        let account = StepAccount { how, sent: Some(sent), generation: 0, trace };
        self.steps.insert(id.clone(), account);
    }

    /// Records a call of a dropped step whose result this step took over.
    fn taken_over(&mut self, id: &StepId, sent: SentCall) {
        let step = self.state.step(id.as_str()).filter(|_| maker(&self.state, &sent).is_some());
        let Some(step) = step else { return };
        let trace = why::trace(&self.state, step, &LoadedBlobs::new());
        let (how, generation) = (StepResolution::Called, step.generation);
        self.steps.insert(id.clone(), StepAccount { how, sent: Some(sent), generation, trace });
    }

    fn refused(&mut self, id: &StepId) {
        let Some(step) = self.state.step(id.as_str()) else { return };
        let trace = why::reasons(&self.state, step, &LoadedBlobs::new());
        let account =
            StepAccount { how: StepResolution::Refused, sent: None, generation: 0, trace };
        self.steps.insert(id.clone(), account);
    }
}

/// Returns the arguments with each hole replaced by `show`.
fn filled(sent: &SentCall, show: impl Fn(&Hole) -> Value) -> Value {
    let mut whole = match &sent.arguments {
        Payload::Json(value) => value.as_ref().clone(),
        Payload::Blob(stored) => {
            let field = |(key, field): (&Arc<str>, &StoredField)| {
                let at = Arc::from(pointer_to("", key));
                let hole = Hole { at, blob: stored.blob.clone(), key: Some(key.to_string()) };
                let value = match field {
                    StoredField::Json(value) => value.clone(),
                    StoredField::InBlob(_) => show(&hole),
                };
                (key.to_string(), value)
            };
            stored.fields.iter().map(field).collect()
        }
    };
    for hole in &sent.holes {
        if let Some(place) = whole.pointer_mut(&hole.at) {
            *place = show(hole);
        }
    }
    whole
}

fn parent(state: &State) -> Option<&ForkParent> {
    state.submission.as_ref()?.parent.as_ref()
}

fn how(state: &State, step: &Step) -> StepResolution {
    if step.plan.gathers() {
        return StepResolution::Gathered { actions: step.plan.actions.clone() };
    }
    if !is_simulated(state, step) {
        return StepResolution::Called;
    }
    let known = parent(state).filter(|parent| parent.simulated.contains_key(&step.plan.id));
    StepResolution::Simulated { task: known.map(|parent| parent.task.clone()) }
}

/// Builds the reference that stands for a value in a blob.
fn reference(blob: &BlobId, key: Option<&str>, stored: Option<&StoredValue>) -> Value {
    let mut shown = json!({"blob": blob});
    let mut put = |name: &str, value: Value| {
        if let Some(map) = shown.as_object_mut() {
            map.insert(name.to_owned(), value);
        }
    };
    let field = key.and_then(|key| stored?.fields.get(key));
    match (key, field, stored) {
        (Some(key), field, _) => {
            put("key", key.into());
            if let Some(StoredField::InBlob(shape)) = field {
                put("shape", shape.as_str().into());
            }
        }
        (None, _, Some(stored)) => {
            put("bytes", stored.bytes.into());
            put("shape", stored.shape.as_str().into());
            put("preview", stored.preview.as_str().into());
        }
        (None, _, None) => {}
    }
    shown
}

/// Renders a value with secrets masked, or as a reference to its blob.
pub fn shown(datum: PayloadValue<'_>) -> Value {
    match datum {
        PayloadValue::Value(value) => masked(value).into_owned(),
        PayloadValue::InBlob { stored, key } => reference(&stored.blob, key, Some(stored)),
    }
}
