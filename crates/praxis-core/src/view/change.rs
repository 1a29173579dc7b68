//! What a fact changes of the steps of a task, as far as it is told.
//!
//! - in: the state before a fact and after it
//! - out: the step that ended, those that are skipped because of it, those that were given up with the task
//! - never: looks at more steps than wait for the one that ended

use crate::dataflow::context::StepIndex;
use crate::ids::StepId;
use crate::journal::event::Event;
use crate::state::step::{SentCall, Step, StepStatus};
use crate::state::{State, TaskStatus};
use std::collections::BTreeSet;

/// What changed.
#[derive(Debug)]
pub struct TaskChange {
    /// The step that the fact is about, and how it stood before.
    subject: Option<(StepId, StepStatus)>,
    /// What it had sent. A step that succeeded does not hold it any more.
    pub sent: Option<SentCall>,
    /// Steps that had not ended when the task did.
    open: Vec<StepId>,
    /// Steps that will not run because of it.
    pub skipped: Vec<StepId>,
    /// Whether the task waited for a person before.
    pub waited: bool,
}

/// The step that a fact is about.
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
    /// How things stand before a fact.
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

    /// The steps that wait for the one that ended and are skipped now. `known` are those of before.
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

    /// The step that ended by this fact.
    pub fn ended<'a>(&self, state: &'a State) -> Option<&'a Step> {
        let (id, was) = self.subject.as_ref()?;
        state.step(id.as_str()).filter(|step| !was.is_final() && step.status.is_final())
    }

    /// The step that the fact is about, whatever became of it.
    pub fn subject<'a>(&self, state: &'a State) -> Option<&'a Step> {
        state.step(self.subject.as_ref()?.0.as_str())
    }

    /// Steps that were given up with the task.
    pub fn given_up<'a>(&'a self, state: &'a State) -> impl Iterator<Item = &'a Step> {
        let now = self.open.iter().filter_map(|id| state.step(id.as_str()));
        now.filter(|step| step.status == StepStatus::Cancelled)
    }
}

/// Steps of a pass that was let go are nobody's any more, and those of a task that is taken up again may run.
pub fn forget(state: &State, known: &mut BTreeSet<StepId>) {
    let is_skipped =
        |id: &StepId| state.step(id.as_str()).is_some_and(|it| it.status == StepStatus::Skipped);
    known.retain(is_skipped);
}
