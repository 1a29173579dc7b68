//! The account of every step: what was sent, where it came from, and whose word the output is.
//!
//! - in: the entries of a task
//! - out: an [`Account`] for each step that something happened to, from one walk over the journal
//! - never: reads a blob, or guesses where the journal has a fact

use crate::dataflow::resolve::{Blobs, Hole};
use crate::execute::started::is_simulated;
use crate::execute::twin::maker;
use crate::fold::Illegal;
use crate::ids::{BlobId, QuestionId, StepId, TaskId};
use crate::journal::event::{Entry, Event, of_a_flow, of_the_course};
use crate::journal::outcome::Verdict;
use crate::journal::question::Answer;
use crate::journal::submission::Parent;
use crate::mask::masked;
use crate::payload::{Datum, Field, Payload, Stored};
use crate::pointer::pointer_to;
use crate::state::State;
use crate::state::step::{Sent, Step};
use crate::view::why::{self, Reason};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a step came to where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum How {
    /// Nothing was done yet.
    #[default]
    NotRun,
    /// Its arguments were not to be had; no call was made.
    Refused,
    /// Its call was made.
    Called,
    /// What its actions gave was put together; no call was made.
    Gathered {
        /// The actions.
        actions: Vec<StepId>,
    },
    /// No call was made; the output stands for one.
    Simulated {
        /// The task whose output it is; none if the output is made up.
        #[serde(skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    },
    /// The output is the one that the task had which this one was forked from.
    Inherited {
        /// That task.
        task: TaskId,
    },
    /// The call was in doubt; a person said that it took effect, and with what output.
    Answered {
        /// Who.
        by: String,
        /// In answer to what.
        question: QuestionId,
    },
    /// The call was in doubt; the tool that knows said so.
    Checked,
}

/// What the journal says of one step.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// How it came to where it is.
    pub how: How,
    /// What was sent, as recorded.
    pub sent: Option<Sent>,
    generation: u32,
    trace: Vec<Reason>,
}

/// A task and the account of each of its steps.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    /// The task as it is.
    pub state: State,
    steps: BTreeMap<StepId, Account>,
}

impl Accounts {
    /// Walks over the entries once.
    pub fn read<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Self, Illegal> {
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

    /// How a step came to where it is.
    pub fn how(&self, step: &StepId) -> How {
        self.steps.get(step).map(|account| account.how.clone()).unwrap_or_default()
    }

    /// Whether a step's call was played and not made.
    pub fn is_simulated(&self, step: &StepId) -> bool {
        matches!(self.how(step), How::Simulated { .. })
    }

    /// What a step's call was sent, as recorded.
    pub fn sent(&self, step: &StepId) -> Option<&Sent> {
        self.steps.get(step)?.sent.as_ref()
    }

    /// The origins of a step's arguments when it was first called for its present wish, or, if it
    /// was not called, as the task is now.
    pub fn reasons(&self, id: &StepId) -> Vec<Reason> {
        let account = self.steps.get(id).filter(|account| account.how != How::NotRun);
        let Some(account) = account else {
            let step = self.state.step(id.as_str());
            return step.map_or(vec![], |step| why::reasons(&self.state, step, &Blobs::new()));
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

    /// What a step's call was sent, secrets hidden; a value in a blob as a reference to it.
    pub fn sent_shown(&self, step: &StepId) -> Option<Value> {
        Some(masked(&self.sent_whole(step)?).into_owned())
    }

    /// The same on one line for people: what is in a blob is told in a few words.
    pub fn sent_told(&self, step: &StepId) -> Option<Value> {
        let told = |hole: &Hole| Value::from(self.blob_words(&hole.blob, hole.key.as_deref()));
        Some(masked(&filled(self.sent(step)?, told)).into_owned())
    }

    /// The same with secrets.
    pub(super) fn sent_whole(&self, step: &StepId) -> Option<Value> {
        Some(filled(self.sent(step)?, |hole| self.hole_shown(hole)))
    }

    /// A value in a blob: its shape and its size, as far as they are known.
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

    /// What is known of a blob.
    pub fn stored(&self, blob: &BlobId) -> Option<&Stored> {
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

    /// A step in doubt that this event settles. Told before the event, which closes the question.
    fn settled(&self, event: &Event) -> Option<(StepId, How)> {
        let Event::QuestionAnswered { question, answer: Answer::Done { .. }, by } = event else {
            return None;
        };
        let step = self.state.questions.get(question)?.step.clone()?;
        Some((step, How::Answered { by: by.clone(), question: question.clone() }))
    }

    fn note(&mut self, event: &Event) {
        match event {
            Event::StepStarted { step, .. } => self.started(step),
            Event::StepInherited { step, tool, arguments, holes, .. } => {
                let (arguments, holes) = (arguments.clone(), holes.clone());
                self.inherited(step, Sent { tool: tool.clone(), arguments, holes });
            }
            Event::StepRefused { step, .. } => self.refused(step),
            Event::CheckFinished { step, verdict: Verdict::Done { .. } } => {
                self.steps.entry(step.clone()).or_default().how = How::Checked;
            }
            Event::TaskReopened { invalidated, .. } => {
                self.steps
                    .retain(|id, account| !invalidated.contains(id) && account.how != How::Refused);
            }
            of_the_course!() => {}
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
        // Every attempt of a wish sends what the first one looked up.
        if account.generation != step.generation {
            account.generation = step.generation;
            account.sent.clone_from(&step.sent);
            account.trace = why::trace(&self.state, step, &Blobs::new());
        }
    }

    fn inherited(&mut self, id: &StepId, sent: Sent) {
        let Some(Parent { task, .. }) = parent(&self.state) else {
            return self.taken_over(id, sent);
        };
        let (how, trace) = (How::Inherited { task: task.clone() }, why::inherited(&sent, task));
        let account = Account { how, sent: Some(sent), generation: 0, trace };
        self.steps.insert(id.clone(), account);
    }

    /// A call that was under way for a step that was given up.
    fn taken_over(&mut self, id: &StepId, sent: Sent) {
        let step = self.state.step(id.as_str()).filter(|_| maker(&self.state, &sent).is_some());
        let Some(step) = step else { return };
        let trace = why::trace(&self.state, step, &Blobs::new());
        let (how, generation) = (How::Called, step.generation);
        self.steps.insert(id.clone(), Account { how, sent: Some(sent), generation, trace });
    }

    fn refused(&mut self, id: &StepId) {
        let Some(step) = self.state.step(id.as_str()) else { return };
        let trace = why::reasons(&self.state, step, &Blobs::new());
        let account = Account { how: How::Refused, sent: None, generation: 0, trace };
        self.steps.insert(id.clone(), account);
    }
}

/// Arguments with something in the place of each hole.
fn filled(sent: &Sent, show: impl Fn(&Hole) -> Value) -> Value {
    let mut whole = match &sent.arguments {
        Payload::Json(value) => value.as_ref().clone(),
        Payload::Blob(stored) => {
            let field = |(key, field): (&Arc<str>, &Field)| {
                let at = Arc::from(pointer_to("", key));
                let hole = Hole { at, blob: stored.blob.clone(), key: Some(key.to_string()) };
                let value = match field {
                    Field::Json(value) => value.clone(),
                    Field::InBlob(_) => show(&hole),
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

fn parent(state: &State) -> Option<&Parent> {
    state.submission.as_ref()?.parent.as_ref()
}

fn how(state: &State, step: &Step) -> How {
    if step.plan.gathers() {
        return How::Gathered { actions: step.plan.actions.clone() };
    }
    if !is_simulated(state, step) {
        return How::Called;
    }
    let known = parent(state).filter(|parent| parent.simulated.contains_key(&step.plan.id));
    How::Simulated { task: known.map(|parent| parent.task.clone()) }
}

/// A value in a blob, as it is shown.
fn reference(blob: &BlobId, key: Option<&str>, stored: Option<&Stored>) -> Value {
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
            if let Some(Field::InBlob(shape)) = field {
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

/// A datum as it is shown: a value without its secrets, or a reference.
pub fn shown(datum: Datum<'_>) -> Value {
    match datum {
        Datum::Value(value) => masked(value).into_owned(),
        Datum::InBlob { stored, key } => reference(&stored.blob, key, Some(stored)),
    }
}
