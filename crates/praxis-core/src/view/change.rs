//! Step changes caused by one event, as needed by the event stream.
//!
//! - in: the state before and after an event
//! - out: the step that ended, the steps skipped because of it, the steps cancelled with the task
//! - never: visits steps that do not depend on the one that ended

use crate::dataflow::context::StepIndex;
use crate::ids::StepId;
use crate::journal::event::Event;
use crate::state::step::{SentCall, Step, StepStatus};
use crate::state::{State, TaskStatus};
use std::collections::BTreeSet;

/// Changes of a task caused by one event.
#[derive(Debug)]
pub struct TaskChange {
    /// The step that the event is about, and its status before.
    subject: Option<(StepId, StepStatus)>,
    /// The call that the step had sent; a successful step no longer holds it.
    pub sent: Option<SentCall>,
    /// Steps that had not ended when the task did.
    open: Vec<StepId>,
    /// Steps that are skipped because of the event.
    pub skipped: Vec<StepId>,
    /// True if the task waited for a person before the event.
    pub waited: bool,
}

/// Returns the step that an event is about.
#[expect(clippy::wildcard_enum_match_arm, reason = "only what can end a step")]
fn subject(state: &State, event: &Event) -> Option<StepId> {
    match event {
        Event::StepFinished { step, .. }
        | Event::StepInherited { step, .. }
        | Event::StepRefused { step, .. }
        | Event::CheckFinished { step, .. } => Some(step.clone()),
        Event::QuestionAnswered { question, .. } => state.questions.get(question)?.step.clone(),
        _ => None,
    }
}

impl TaskChange {
    /// Captures the state before an event.
    pub fn before(state: &State, event: &Event) -> Self {
        let step = subject(state, event).and_then(|id| state.step(id.as_str()));
        let subject = step.map(|step| (step.plan.id.clone(), step.status));
        let sent = step.and_then(|step| step.sent.clone());
        let open = if matches!(event, Event::TaskFinished { .. }) {
            let open = |(_, step): &(StepIndex, &Step)| !step.status.is_final();
            state.steps.everywhere().filter(open).map(|(_, step)| step.plan.id.clone()).collect()
        } else {
            vec![]
        };
        let waited = state.status() == TaskStatus::Waiting;
        Self { subject, sent, open, skipped: vec![], waited }
    }

    /// Collects the dependents that are skipped now. `known` holds the steps that were already reported as skipped.
    pub fn find_skipped(&mut self, state: &State, known: &mut BTreeSet<StepId>) {
        let Some(first) = self.ended(state) else { return };
        let mut from: Vec<&Step> = vec![first];
        while let Some(step) = from.pop() {
            for dependent in &step.dependents {
                let Some(next) = state.step_at(dependent.step) else { continue };
                if next.status == StepStatus::Skipped && known.insert(next.plan.id.clone()) {
                    self.skipped.push(next.plan.id.clone());
                    from.push(next);
                }
            }
        }
    }

    /// Returns the step that ended with this event.
    pub fn ended<'a>(&self, state: &'a State) -> Option<&'a Step> {
        let (id, was) = self.subject.as_ref()?;
        state.step(id.as_str()).filter(|step| !was.is_final() && step.status.is_final())
    }

    /// Returns the step that the event is about, ended or not.
    pub fn subject<'a>(&self, state: &'a State) -> Option<&'a Step> {
        state.step(self.subject.as_ref()?.0.as_str())
    }

    /// Returns the steps that were cancelled with the task.
    pub fn given_up<'a>(&'a self, state: &'a State) -> impl Iterator<Item = &'a Step> {
        let now = self.open.iter().filter_map(|id| state.step(id.as_str()));
        now.filter(|step| step.status == StepStatus::Cancelled)
    }
}

/// Removes steps from `known` that are no longer skipped: steps of a discarded pass, or of a resumed task.
pub fn forget(state: &State, known: &mut BTreeSet<StepId>) {
    let is_skipped =
        |id: &StepId| state.step(id.as_str()).is_some_and(|it| it.status == StepStatus::Skipped);
    known.retain(is_skipped);
}
