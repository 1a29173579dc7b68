//! Determines the earlier work that a goal continues: a finished task, or an execution history in the request.
//!
//! - in: a `GoalRequest` that names a task, or whose material contains a history
//! - out: an `EarlierWork` with the steps done and not done; or the reason for refusing it
//! - never: continues a task that has not ended

use crate::engine::Engine;
use crate::large::{BlobRoom, keep};
use crate::pursue::GoalRequest;
use crate::seams::Blobs;
use crate::stopped::DriverStopped;
use crate::submit::SubmitError;
use praxis_core::ask::purpose::ModelRole;
use praxis_core::goal::history;
use praxis_core::goal::spec::{DoneStep, EarlierWork};
use praxis_core::goal::strategy::StrategyDecision;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::Event;
use praxis_core::payload::Payload;
use praxis_core::problem::Problem;
use praxis_core::recover::keep_done::inherited;
use praxis_core::state::State;
use praxis_core::state::step::StepStatus;
use std::collections::BTreeSet;

impl Engine {
    /// Returns the earlier work of a goal, if there is any.
    pub(crate) async fn earlier_work(
        &self,
        goal: &GoalRequest,
        blobs: &dyn Blobs,
    ) -> Result<Option<Box<EarlierWork>>, SubmitError> {
        if let Some((task, strategy)) = &goal.continues {
            if !goal.advisers.contains_key(&ModelRole::Plan) {
                return Err(SubmitError::Refused(vec![model_needed()]));
            }
            return self.past(task, *strategy).await.map(Some);
        }
        let Some(handed) = history::handed(&goal.material) else { return Ok(None) };
        let mut past = handed.map_err(SubmitError::Refused)?;
        for done in &mut past.done {
            if let Payload::Json(value) = &done.output {
                done.output = keep(blobs, value.clone(), BlobRoom::Needed)
                    .await
                    .map_err(DriverStopped::Blob)?;
            }
        }
        Ok(Some(Box::new(past)))
    }

    /// Returns the work of an earlier task that can be continued.
    async fn past(
        &self,
        task: &TaskId,
        strategy: Option<StrategyDecision>,
    ) -> Result<Box<EarlierWork>, SubmitError> {
        let unreadable = |why: String| {
            let en = format!("cannot read the task to continue: {why}");
            refused("no_history", task, (en, format!("无法读取要继续的任务：{why}")))
        };
        let state = self.state_of(task).await.map_err(|error| unreadable(error.to_string()))?;
        let entries = self.entries_of(task).await.map_err(|error| unreadable(error.to_string()))?;
        if !state.status().is_final() {
            let words = ("the task to continue has not ended", "要继续的任务尚未结束");
            return Err(refused("task_unfinished", task, words));
        }
        let kept = inherited(&state, &entries, &BTreeSet::new());
        let mut done: Vec<DoneStep> = adopted(&state).cloned().collect();
        done.extend(kept.into_iter().filter_map(|event| own(&state, event)));
        if done.is_empty() && state.steps.is_empty() {
            let words = ("the task to continue has no steps", "要继续的任务没有任何步骤");
            return Err(refused("no_history", task, words));
        }
        let goal = state.submission.as_ref().map(|s| s.goal.clone()).unwrap_or_default();
        Ok(Box::new(EarlierWork {
            task: task.clone(),
            goal,
            done,
            undone: undone(&state),
            strategy,
        }))
    }
}

/// The problem of a goal that continues a task while no model can plan the remaining steps.
fn model_needed() -> Problem {
    let words = (
        "continuing a task requires a model to plan the remaining steps",
        "继续任务需要模型来规划剩余步骤",
    );
    Problem::new("model_needed", "", words).next((
        "add a model with `praxis model add`, or retry the original task with `praxis retry TASK`",
        "用 `praxis model add` 添加模型，或用 `praxis retry TASK` 重试原任务",
    ))
}

fn refused(
    code: &str,
    task: &TaskId,
    words: (impl Into<String>, impl Into<String>),
) -> SubmitError {
    SubmitError::Refused(vec![Problem::new(code, task.as_str(), words)])
}

/// Returns the steps that the task itself took over from earlier work: they are done, too.
fn adopted(state: &State) -> impl Iterator<Item = &DoneStep> {
    let goes_on = |strategy| strategy != StrategyDecision::NormalPlanning;
    let strategy = state.goal.as_deref().and_then(|goal_state| goal_state.planning.strategy);
    let past = state.goal_spec().and_then(|spec| spec.past.as_deref());
    let past = past.filter(|_| strategy.is_some_and(goes_on));
    past.into_iter().flat_map(|past| &past.done)
}

/// Converts an inherited step into a `DoneStep` without dependencies: they are done, too.
fn own(state: &State, event: Event) -> Option<DoneStep> {
    let Event::StepInherited { step, tool, arguments, output, .. } = event else { return None };
    let mut planned = state.step(step.as_str())?.plan.clone();
    planned.depends_on.clear();
    planned.actions.clear();
    Some(DoneStep { step: planned, tool, arguments, output })
}

/// Describes the steps that did not succeed, with their faults.
fn undone(state: &State) -> Vec<String> {
    let undone = state.steps.iter().filter(|step| step.status != StepStatus::Success);
    let told = undone.map(|step| {
        let why = step.fault.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{} {} ({}) {why}", step.plan.id, step.plan.name, step.plan.tool)
    });
    told.collect()
}
