//! Accepts the steps of a plan: one by one while the model streams it, or all that are left at its end.
//!
//! - in: the elements of `steps` as the model wrote them, in order
//! - out: fixed and checked steps with ids of Praxis, or every reason against them
//! - never: accepts a step that refers to a step which has not entered yet

use super::fix_names::{self, StepSources};
use crate::call::risk::Risk;
use crate::call::tool::Toolbox;
use crate::ids::StepId;
use crate::intake::check::{CheckedPlan, EarlierStep, PlanEnvironment, check_on};
use crate::intake::plan::{self, Plan, PlannedStep};
use crate::intake::rename::{self, StepRenames};
use crate::journal::event::Event;
use crate::journal::outcome::PlanOutcome;
use crate::journal::selection::ToolSelection;
use crate::library::Library;
use crate::payload::Payload;
use crate::problem::Problem;
use crate::route::workflow::Workflow;
use crate::state::step::{Step, StepStatus};
use crate::state::{Phase, State};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The metadata key of the session.
const SESSION: &str = "session_id";

/// Checked steps that may enter the plan.
pub struct AcceptedSteps {
    /// The steps in an order that can run.
    pub steps: Vec<PlannedStep>,
    /// The ids of the steps by the model's names for them.
    pub names: StepRenames,
    /// The fixes that were applied.
    pub fixes: Vec<Problem>,
}

/// Returns the event with which the next streamed step enters the plan; `None` if it cannot enter yet.
pub fn enter(state: &State, elements: &[Value], library: &Library) -> Option<Event> {
    let goal_state = state.goal.as_deref().filter(|_| state.phase == Phase::Planning)?;
    let next = elements.get(goal_state.planning.drafting.entered as usize)?;
    let accepted = accept(state, std::slice::from_ref(next), library).ok()?;
    if leaves_workflow(state, &accepted, library) {
        return None;
    }
    // A write may enter too: until the plan is complete, only steps that read are started.
    Some(planned(state, accepted))
}

/// Returns the workflow that the plan in progress must follow. A replan follows none.
pub fn workflow<'a>(state: &State, library: &'a Library) -> Option<&'a Workflow> {
    let goal_state =
        state.goal.as_deref().filter(|goal_state| !goal_state.planning.drafting.rest)?;
    let is_open = |step: &Step| Some(step.revision) == goal_state.planning.drafting.open;
    let first = state.steps.iter().all(|step| step.dropped || is_open(step));
    let id = goal_state.planning.selection.as_ref().filter(|_| first)?.workflow.as_deref()?;
    library.workflow(id)
}

/// Returns true if the step differs from the workflow's step at this position: then the complete answer decides.
fn leaves_workflow(state: &State, accepted: &AcceptedSteps, library: &Library) -> bool {
    let entered =
        state.goal.as_deref().map_or(0, |goal_state| goal_state.planning.drafting.entered as usize);
    let Some(workflow) = workflow(state, library) else { return false };
    let wanted = workflow.steps.get(entered).map(|step| &step.tool_id);
    accepted.steps.len() != 1 || accepted.steps.first().map(|step| &step.tool) != wanted
}

/// Builds the event with which steps enter the plan.
pub fn planned(state: &State, accepted: AcceptedSteps) -> Event {
    let AcceptedSteps { steps, names, fixes } = accepted;
    let names = names.into_iter().filter(|(name, id)| name != id.as_str()).collect();
    Event::StepsPlanned { revision: revision(state), steps, names, fixes }
}

/// Returns the revision in progress.
pub fn revision(state: &State) -> u32 {
    let open = state.goal.as_deref().and_then(|goal_state| goal_state.planning.drafting.open);
    open.unwrap_or(state.revision + 1)
}

/// Reads, renames, fixes and checks elements of a plan.
pub fn accept(
    state: &State,
    elements: &[Value],
    library: &Library,
) -> Result<AcceptedSteps, Vec<Problem>> {
    let plan = plan::read(&json!({"steps": elements}))?;
    let mut names =
        state.goal.as_deref().map(|c| c.planning.drafting.names.clone()).unwrap_or_default();
    let mut problems = doubled(&plan);
    let given = give_ids(state, &plan, &mut names);
    let tools = chosen_tools(state, library);
    let earlier = earlier(state);
    let known: Vec<StepId> = earlier.keys().chain(given.values()).cloned().collect();
    let (mut steps, mut fixes) = (plan.steps, Vec::new());
    let listed: Vec<_> = tools.keys().cloned().collect();
    for step in &mut steps {
        rename::step(step, &names);
        fixes.extend(fix_names::step(step, library, &listed, &known));
    }
    let before = earlier.iter().map(|(id, earlier)| (id.to_string(), earlier.tool.clone()));
    let now = steps.iter().map(|step| (step.id.to_string(), step.tool.clone()));
    let mut sources =
        StepSources { library, steps: before.chain(now).collect(), before: earlier.len() };
    for step in &mut steps {
        fixes.extend(fix_names::references(step, &sources));
        sources.before += 1;
    }
    let metadata = metadata(state);
    let ground =
        PlanEnvironment { toolbox: &tools, metadata: &metadata, earlier: &earlier, may_miss: true };
    match check_on(&Plan { steps, ..plan }, &ground) {
        Ok(CheckedPlan { steps }) if problems.is_empty() => {
            Ok(AcceptedSteps { steps, names: given, fixes })
        }
        Ok(_) => Err(problems),
        Err(found) => {
            problems.extend(found);
            Err(problems)
        }
    }
}

/// Returns a problem for each id that the model used twice; renaming would hide it.
fn doubled(plan: &Plan) -> Vec<Problem> {
    let mut seen = std::collections::BTreeSet::new();
    let twice = plan.steps.iter().filter(|step| !seen.insert(&step.id));
    twice
        .map(|step| {
            let at = format!("step `{}`", step.id);
            Problem::of(&crate::problem::reason::ProblemReason::DuplicateStep, &at)
        })
        .collect()
}

/// Assigns the next free step ids in the order of writing.
fn give_ids(state: &State, plan: &Plan, names: &mut StepRenames) -> StepRenames {
    let mut given = StepRenames::new();
    let mut next = state.steps.len();
    for step in &plan.steps {
        let id = loop {
            next += 1;
            let id = StepId::from(format!("step_{next}"));
            if state.context.index_of(id.as_str()).is_none() {
                break id;
            }
        };
        given.insert(step.id.to_string(), id);
    }
    names.extend(given.clone());
    given
}

/// Returns the tools that were selected for the task.
pub fn chosen_tools(state: &State, library: &Library) -> Toolbox {
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    let chosen = chosen.into_iter().flat_map(ToolSelection::usable);
    let of_catalog = |id| Some((Clone::clone(id), Arc::clone(library.catalog.get(id)?)));
    chosen.filter_map(of_catalog).collect()
}

/// Returns the steps that a plan may refer to: those that succeeded or were not given up.
pub fn earlier(state: &State) -> BTreeMap<StepId, EarlierStep> {
    // A failed step may still be referred to: its dependents are skipped with it until the plan is revised.
    let usable = |step: &&Step| step.status == StepStatus::Success || !step.dropped;
    let one = |step: &Step| {
        let finished = step.status == StepStatus::Success;
        (step.plan.id.clone(), EarlierStep { tool: step.tool().clone(), finished })
    };
    state.steps.iter().filter(usable).map(one).collect()
}

/// Returns the initial metadata; a value in a blob becomes `null`.
pub(super) fn metadata(state: &State) -> Map<String, Value> {
    let value = |payload: &Payload| match payload {
        Payload::Json(value) => (**value).clone(),
        Payload::Blob(_) => Value::Null,
    };
    state.context.initial().iter().map(|(key, payload)| (key.to_string(), value(payload))).collect()
}

/// Returns the initial metadata without the task's own default session, which no caller gave.
pub(super) fn given(state: &State) -> Map<String, Value> {
    let mut given = metadata(state);
    let task = state.submission.as_ref().map(|submission| submission.task.as_str());
    let own = task.map(|task| Value::from(task.replacen("task_", "session_", 1)));
    if own.is_some() && given.get(SESSION) == own.as_ref() {
        given.remove(SESSION);
    }
    given
}

/// Returns the unfinished steps of the current plan that change something.
pub fn changes(state: &State) -> Vec<StepId> {
    let changes = |step: &&Step| {
        let risk = state.contract(step.tool()).map_or(Risk::Write, |contract| contract.risk);
        risk > Risk::Read && !step.plan.gathers() && !step.dropped && !step.status.is_final()
    };
    state.steps.iter().filter(changes).map(|step| step.plan.id.clone()).collect()
}

/// Returns the events of a plan that a person wrote to replace the one waiting for approval; it is approved too.
pub fn by_hand(
    state: &State,
    written: &Value,
    library: &Library,
) -> Result<Vec<Event>, Vec<Problem>> {
    let elements = written.get("steps").and_then(Value::as_array).cloned().unwrap_or_default();
    // The answer gives up all steps that have not run: the new plan cannot refer to them.
    let accepted = accept(&without_open(state), &elements, library)?;
    let Event::StepsPlanned { steps, names, fixes, .. } = planned(state, accepted) else {
        return Ok(vec![]);
    };
    let revision = state.revision + 1;
    let closed = Event::closed(revision, PlanOutcome::Complete);
    Ok(vec![Event::StepsPlanned { revision, steps, names, fixes }, closed])
}

fn without_open(state: &State) -> State {
    let mut state = state.clone();
    let open = |step: &&mut Step| !matches!(step.status, StepStatus::Success | StepStatus::Running);
    for step in state.steps.iter_mut().filter(open) {
        (step.status, step.dropped) = (StepStatus::Skipped, true);
    }
    if let Some(goal_state) = state.goal.as_deref_mut() {
        goal_state.planning.drafting.names.clear();
    }
    state
}
