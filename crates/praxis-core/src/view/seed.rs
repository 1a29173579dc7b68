//! The event stream under the names of the seed documents, for users or for developers.
//!
//! - in: the entries of a task in order, and streamed text of models and steps
//! - out: events under the seed documents' names, with the payload that the [table](super::seed_table) defines
//! - never: ends a phase that it did not announce, or omits the end of one

use super::change::{TaskChange, forget};
use super::seed_table::{EnvelopeKind, STEP_TYPE, SeedEventRow, row};
use super::stream_goal::phase_of;
use crate::IllegalEvent;
use crate::ask::purpose::Purpose;
use crate::ids::StepId;
use crate::journal::event::{Entry, Event};
use crate::lang::Lang;
use crate::state::State;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The audience of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedAudience {
    /// Readable messages, five kinds of events.
    User,
    /// All events.
    Developer,
}

/// One event under its name in the seed documents.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedEvent {
    /// `TASK_WAIT`, `STEP_STARTED` …
    pub event_type: &'static str,
    /// The number of the journal entry that it comes from; the cursor to continue from.
    pub sequence: u64,
    /// One of the seven phases; empty if none applies.
    pub phase: &'static str,
    /// Message for a person.
    pub message: String,
    /// The payload.
    pub data: Value,
    /// The envelope of a step executor's event; `None` for an event of a task.
    pub envelope: Option<Box<Envelope>>,
}

/// The envelope of a step executor's event.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// The event id, unique in the task.
    pub id: String,
    /// The session id of the task.
    pub conversation: Value,
    /// The id of the task.
    pub task: String,
    /// The flow, the step, and their statuses.
    pub flow: Value,
    /// Time and token usage.
    pub metadata: Value,
}

impl Serialize for SeedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event_type", self.event_type)?;
        map.serialize_entry("sequence", &self.sequence)?;
        if let Some(envelope) = &self.envelope {
            map.serialize_entry("id", &envelope.id)?;
            map.serialize_entry("conversationId", &envelope.conversation)?;
            map.serialize_entry("taskId", &envelope.task)?;
            map.serialize_entry("flow", &envelope.flow)?;
            map.serialize_entry("content", &self.data)?;
            map.serialize_entry("metadata", &envelope.metadata)?;
            return map.end();
        }
        if !self.phase.is_empty() {
            map.serialize_entry("phase", self.phase)?;
        }
        map.serialize_entry("message", &self.message)?;
        map.serialize_entry("data", &self.data)?;
        map.end()
    }
}

/// Converts the journal of a task to events of the seed documents.
pub struct SeedStream {
    audience: SeedAudience,
    pub(super) lang: Lang,
    pub(super) state: State,
    pub(super) entries: Vec<Entry>,
    pub(super) asked: BTreeMap<u32, Purpose>,
    /// Steps of flows that were already reported as skipped.
    skipped: BTreeSet<StepId>,
    /// Text that running steps have streamed so far.
    pub(super) said: BTreeMap<StepId, String>,
    /// Number of streamed text events so far; makes their ids unique.
    heard: u64,
}

/// An event of a task: name, phase, message, payload.
pub(super) type SeedEventParts = (&'static str, &'static str, String, Value);

/// An event of a step executor.
pub(super) struct PushedEvent {
    pub(super) name: &'static str,
    pub(super) content: Value,
    pub(super) step: Option<StepId>,
    /// Fields of `flow` that replace those derived from the state.
    pub(super) instead: Value,
    pub(super) metadata: Value,
}

impl SeedStream {
    /// Creates a stream that starts at the beginning of a task.
    pub fn new(audience: SeedAudience, lang: Lang) -> Self {
        Self {
            audience,
            lang,
            state: State::default(),
            entries: Vec::new(),
            asked: BTreeMap::new(),
            skipped: BTreeSet::new(),
            said: BTreeMap::new(),
            heard: 0,
        }
    }

    /// Folds in an entry and returns its events.
    pub fn tell(&mut self, entry: &Entry) -> Result<Vec<SeedEvent>, IllegalEvent> {
        let mut change = TaskChange::before(&self.state, &entry.event);
        self.state.apply(entry)?;
        self.entries.push(entry.clone());
        if self.is_flow() {
            change.find_skipped(&self.state, &mut self.skipped);
            if matches!(entry.event, Event::PassStarted { .. } | Event::TaskReopened { .. }) {
                forget(&self.state, &mut self.skipped);
            }
        }
        let told = self.task_events(&entry.event, &change);
        let mut events: Vec<SeedEvent> =
            told.into_iter().filter_map(|told| self.framed(entry.seq, told)).collect();
        if self.pushes() {
            let pushed = self.step_events(&entry.event, &change);
            let numbered = pushed.into_iter().enumerate();
            let push = |(number, pushed): (usize, PushedEvent)| {
                self.pushed(pushed, entry.seq, &number.to_string())
            };
            events.extend(numbered.filter_map(push));
        }
        if let Event::StepStarted { step, .. } | Event::StepFinished { step, .. } = &entry.event {
            self.said.remove(step);
        }
        Ok(events)
    }

    /// Returns the event for a streamed chunk of a model's reply. Developers only; no journal entry stands behind it.
    pub fn chunk(&self, purpose: &Purpose, words: &str) -> Option<SeedEvent> {
        let data = json!({"chunk_type": "CHUNK"});
        self.framed(self.state.seq, ("LLM_STREAM_CHUNK", phase_of(purpose), words.to_owned(), data))
    }

    /// Returns the event for streamed text of a step that speaks to the user. The step's end then reports only the
    /// rest.
    pub fn text(&mut self, step: &StepId, words: &str) -> Option<SeedEvent> {
        if !self.pushes() {
            return None;
        }
        self.said.entry(step.clone()).or_default().push_str(words);
        self.heard += 1;
        let number = format!("said-{}", self.heard);
        let pushed = self.about(step, "TEXT_ADD", json!({"text": words}));
        self.pushed(pushed, self.state.seq, &number)
    }

    pub(super) fn is_flow(&self) -> bool {
        self.state.submission.as_ref().is_some_and(|submission| submission.flow.is_some())
    }

    fn pushes(&self) -> bool {
        self.audience == SeedAudience::Developer && self.is_flow()
    }

    fn is_meant(&self, row: &SeedEventRow) -> bool {
        self.audience == SeedAudience::Developer || row.for_users
    }

    /// Builds an event of a task with the payload that its row defines.
    fn framed(
        &self,
        sequence: u64,
        (name, phase, message, data): SeedEventParts,
    ) -> Option<SeedEvent> {
        let row = row(name).filter(|row| self.is_meant(row) && row.form == EnvelopeKind::Task)?;
        let (event_type, data) = (row.name, row.payload(data));
        Some(SeedEvent { event_type, sequence, phase, message, data, envelope: None })
    }

    /// Builds an event of a step executor with the payload that its row defines.
    fn pushed(&self, pushed: PushedEvent, sequence: u64, number: &str) -> Option<SeedEvent> {
        let row = row(pushed.name).filter(|row| row.form == EnvelopeKind::Step)?;
        let flow = self.flow(pushed.step.as_ref(), pushed.instead);
        let event_type = match row.name {
            STEP_TYPE => pushed.step.as_ref().map_or(STEP_TYPE, |step| self.type_of(step)),
            name => name,
        };
        let task = self.state.submission.as_ref().map(|it| it.task.to_string());
        let task = task.unwrap_or_default();
        let envelope = Envelope {
            id: format!("{task}/{sequence}/{number}"),
            conversation: self.conversation(),
            task,
            flow,
            metadata: pushed.metadata,
        };
        let (data, envelope) = (row.payload(pushed.content), Some(Box::new(envelope)));
        Some(SeedEvent { event_type, sequence, phase: "", message: String::new(), data, envelope })
    }
}
