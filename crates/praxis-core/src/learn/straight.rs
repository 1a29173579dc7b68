//! Extracts a reusable plan from a task that completed without a detour.
//!
//! - in: a finished task
//! - out: a `PlanTemplate` without the values of the goal; `None` if anything was repaired, supplied or guessed
//!   during the run
//! - never: extracts a plan that depends on more than the goal, the metadata and the tools

use crate::goal::spec::{GoalContext, GoalSpec};
use crate::intake::plan::{self, PlannedStep};
use crate::journal::case::PlanTemplate;
use crate::library::Library;
use crate::payload::Payload;
use crate::planner::{PlanSetting, Planner};
use crate::state::goal_state::GoalState;
use crate::state::step::{Step, StepStatus};
use crate::state::{State, TaskStatus};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the plan of a task as a template.
pub(super) fn plan(
    state: &State,
    (library, planner): (&Library, &dyn Planner),
) -> Option<PlanTemplate> {
    let (spec, goal_state) = (state.goal_spec()?, state.goal.as_deref()?);
    if !rests_on_the_goal(state, spec, goal_state) || !went_straight(state, goal_state) {
        return None;
    }
    let planned: Vec<PlannedStep> = state.steps.iter().map(|step| step.plan.clone()).collect();
    let written = plan::write(None, "", &planned);
    let steps = written.get("steps")?.as_array()?;
    let submission = state.submission.as_ref()?;
    let promise = goal_state
        .planning
        .promise
        .as_deref()
        .and_then(|promise| serde_json::to_value(promise).ok());
    let metadata = values(&submission.metadata);
    let setting = PlanSetting { tools: &library.catalog, metadata: &metadata, promise };
    planner.template(&submission.goal, steps, &setting)
}

/// Returns true if the plan depends on nothing but the goal, the metadata and the tools.
fn rests_on_the_goal(state: &State, spec: &GoalSpec, goal_state: &GoalState) -> bool {
    let forked = state.submission.as_ref().is_some_and(|submission| submission.parent.is_some());
    let workflow =
        goal_state.planning.selection.as_ref().is_some_and(|chosen| chosen.workflow.is_some());
    let alone = spec.past.is_none() && spec.material == GoalContext::default();
    spec.manner.plan_cache && alone && !forked && !workflow && spec.workflow.is_none()
}

/// Returns true if every step succeeded as planned. Retries after a transient failure do not count against the plan.
fn went_straight(state: &State, goal_state: &GoalState) -> bool {
    let counters = &state.counters;
    let anew = counters.single_step_repair_count > 0 || counters.task_replan_count > 0;
    let helped = goal_state.recovery.helped
        || goal_state.evaluation.settle
        || !goal_state.recovery.ailments.is_empty();
    let straight = |step: &Step| {
        let plain = step.plan.node.is_none() && !step.plan.gathers() && step.frame.is_none();
        let as_planned = step.given.is_empty() && !step.was_filled && step.generation == 1;
        let same_tool = step.sent.as_ref().is_none_or(|sent| sent.tool.is_none());
        step.status == StepStatus::Success && !step.dropped && plain && as_planned && same_tool
    };
    let all = !state.steps.is_empty() && state.steps.iter().all(straight);
    state.status() == TaskStatus::Completed && all && !anew && !helped
}

/// Returns the metadata as JSON values; one in a blob becomes `null`, because it is too large for a plan.
fn values(metadata: &BTreeMap<Arc<str>, Payload>) -> Map<String, Value> {
    let value = |payload: &Payload| match payload {
        Payload::Json(value) => (**value).clone(),
        Payload::Blob(_) => json!(null),
    };
    metadata.iter().map(|(key, payload)| (key.to_string(), value(payload))).collect()
}
