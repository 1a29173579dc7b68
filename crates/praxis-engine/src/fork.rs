//! Forks a task: a new task starts with the results that another task had at some point of its journal.
//!
//! The results of finished steps are kept; all other steps run again with new idempotency keys. Calls that change
//! something follow `EffectMode`: they need approval (the default), are simulated, or are made.

use crate::engine::Engine;
use crate::refused::{OrderRefused, RefusedKind, no_step};
use crate::submit::{self, Accepted, SubmitError};
use praxis_core::dataflow::context::StepIndex;
use praxis_core::ids::{StepId, TaskId};
use praxis_core::intake::plan::PlannedStep;
use praxis_core::journal::event::{Entry, Event, RULES};
use praxis_core::journal::submission::{EffectMode, ForkParent, Submission};
use praxis_core::payload::Payload;
use praxis_core::problem::Problem;
use praxis_core::recover::keep_done::{inherited, with_all_after};
use praxis_core::state::State;
use praxis_core::state::step::{Step, StepStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The order to fork a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ForkOrder {
    /// The task to fork.
    pub task: TaskId,
    /// The point from which on steps run again.
    pub at: ForkPoint,
    /// Initial metadata to set.
    pub set: Map<String, Value>,
    /// Parameters to set, by step and JSON pointer.
    pub overrides: BTreeMap<StepId, BTreeMap<String, Value>>,
    /// The treatment of calls that change something.
    pub effects: EffectMode,
    /// The person who forks the task.
    pub by: String,
}

/// A point in the history of a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkPoint {
    /// After this event.
    Seq(u64),
    /// Before this step: it and all steps that depend on it run again.
    Step(StepId),
}

impl Engine {
    /// Forks a task.
    pub async fn fork(&self, fork: ForkOrder) -> Result<Accepted, OrderRefused> {
        let entries = self.entries_of(&fork.task).await?;
        let whole = State::replay(&entries).map_err(inconsistent)?;
        let (shared, anew) = shared(&fork, &entries, &whole)?;
        let then = State::replay(shared).map_err(inconsistent)?;
        let kept = inherited(&then, shared, &anew);
        let is_kept = |id: &StepId| {
            kept.iter()
                .any(|event| matches!(event, Event::StepInherited { step, .. } if *step == *id))
        };
        for id in fork.overrides.keys() {
            if then.step(id.as_str()).is_none() || is_kept(id) {
                let words = (
                    format!("cannot set parameters of step `{id}`: this fork does not run it"),
                    format!("无法设置步骤 `{id}` 的参数：此派生任务不会重新执行该步骤"),
                );
                return Err(invalid(Problem::new("unknown_step", "", words)));
            }
        }
        let task = self.new_task();
        let submission = submission(&fork, &then, &whole, task)?;
        let opening = self.opening(&submission, None);
        let tools = self.tools().load_pinned(submission.contracts.iter()).await;
        let tools = tools.map_err(SubmitError::Tool)?;
        let events = opening_events(submission, &then, kept);
        Ok(self.open(events, opening, (tools, None)).await?)
    }
}

pub(crate) fn invalid(problem: Problem) -> OrderRefused {
    OrderRefused::new(RefusedKind::Invalid, problem)
}

fn not_begun() -> Problem {
    Problem::new("bad_sequence", "", ("the task has not started yet", "任务尚未开始"))
}

pub(crate) fn inconsistent(error: praxis_core::IllegalEvent) -> OrderRefused {
    let words = (error.to_string(), format!("事件日志前后矛盾：{error}"));
    invalid(Problem::new("journal_illegal", "", words))
}

/// Returns the entries that the fork shares, and the steps among them that run again nevertheless.
fn shared<'a>(
    fork: &ForkOrder,
    entries: &'a [Entry],
    whole: &State,
) -> Result<(&'a [Entry], BTreeSet<StepId>), OrderRefused> {
    let last = entries.len() as u64;
    let planned = |seq: u64| {
        let closes = |entry: &Entry| matches!(entry.event, Event::PlanClosed { .. });
        entries.iter().find(|entry| closes(entry)).is_some_and(|entry| entry.seq <= seq)
    };
    let (seq, anew) = match &fork.at {
        ForkPoint::Seq(seq) if *seq <= last && planned(*seq) => (*seq, BTreeSet::new()),
        ForkPoint::Seq(_) => {
            let words = (
                format!("a fork must start after planning, at event {last} or earlier"),
                format!("派生的起点必须在规划完成之后，且不晚于事件 {last}"),
            );
            return Err(invalid(Problem::new("bad_sequence", "", words)));
        }
        ForkPoint::Step(step) => {
            if whole.step(step.as_str()).is_none() {
                return Err(invalid(no_step(step)));
            }
            (last, with_all_after(whole, BTreeSet::from([step.clone()])))
        }
    };
    Ok((entries.get(..usize::try_from(seq).unwrap_or(0)).unwrap_or_default(), anew))
}

fn result(state: &State, index: Option<StepIndex>) -> Option<Payload> {
    Some(state.context.result(index?)?.output.clone())
}

pub(crate) fn submission(
    fork: &ForkOrder,
    then: &State,
    whole: &State,
    task: TaskId,
) -> Result<Submission, OrderRefused> {
    let parent = then.submission.as_deref();
    let mut submission = parent.ok_or_else(|| invalid(not_begun()))?.clone();
    // Includes the workflow defaults: a fork has no workflow that could add them again.
    submission.metadata = then.context.initial().clone();
    for (key, value) in &fork.set {
        submission.metadata.insert(key.as_str().into(), Payload::json(value.clone()));
    }
    let output = |step: &Step| {
        let index = whole.context.index_of(step.plan.id.as_str());
        let done = step.status == StepStatus::Success;
        Some((step.plan.id.clone(), result(whole, index).filter(|_| done)?))
    };
    let simulated = match fork.effects {
        EffectMode::Simulate => whole.steps.iter().filter_map(output).collect(),
        EffectMode::Ask | EffectMode::Real => BTreeMap::new(),
    };
    submission.parent = Some(ForkParent {
        task: fork.task.clone(),
        seq: then.seq,
        effects: fork.effects,
        overrides: fork.overrides.clone(),
        set: fork.set.keys().cloned().collect(),
        simulated,
        by: fork.by.clone(),
    });
    submission.contracts = then.contracts.values().map(|c| c.as_ref().clone()).collect();
    submission.task = task;
    submission.idempotency_key = None;
    submission.rules = RULES;
    // The plan of a goal runs in the fork as a fixed plan: no model is asked for another one.
    submission.brief = None;
    Ok(submission)
}

fn opening_events(submission: Submission, then: &State, kept: Vec<Event>) -> Vec<Event> {
    let steps = in_order(then);
    let mut events = submit::opening_events(submission, &steps);
    events.extend(kept);
    events
}

/// Returns the steps that were not dropped, each after its dependencies: a revision may have placed a step before one
/// that it depends on.
fn in_order(then: &State) -> Vec<PlannedStep> {
    let stays = |id: &StepId| then.step(id.as_str()).is_some_and(|step| !step.dropped);
    let mut open: Vec<PlannedStep> =
        then.steps.iter().filter(|step| !step.dropped).map(|step| step.plan.clone()).collect();
    for step in &mut open {
        step.depends_on.retain(stays);
    }
    let mut placed: Vec<PlannedStep> = Vec::with_capacity(open.len());
    let mut known: BTreeSet<StepId> = BTreeSet::new();
    while !open.is_empty() {
        let ready = |step: &PlannedStep| {
            step.depends_on.iter().chain(&step.actions).all(|id| known.contains(id))
        };
        let Some(next) = open.iter().position(ready) else { break };
        // Steps are mostly in order already: then this removes the first one each time.
        let step = open.remove(next);
        known.insert(step.id.clone());
        placed.push(step);
    }
    placed
}
