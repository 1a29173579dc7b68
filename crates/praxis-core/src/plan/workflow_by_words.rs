//! Finds the workflow that a goal is for.
//!
//! - in: a goal, the model's workflow and task type for it, and the library
//! - out: the id of a workflow
//! - never: returns a workflow for another intent or with missing tools, unless the caller named it

use crate::library::Library;
use crate::route::workflow::{Workflow, matching};
use crate::state::State;

/// Returns the workflow to follow: the one named by the caller, by the model, or matched by words, in this order.
pub fn workflow(
    state: &State,
    named_by_model: &str,
    task_type: &str,
    library: &Library,
) -> Option<String> {
    let pinned = state.goal_spec()?;
    // A replan follows no workflow.
    state.goal.as_deref().filter(|goal_state| !goal_state.planning.drafting.rest)?;
    if let Some(named) = pinned.workflow.as_deref().filter(|id| library.workflow(id).is_some()) {
        return Some(named.to_owned());
    }
    let intent = pinned.intent.as_deref();
    let is_for = |workflow: &Workflow| intent.is_none_or(|intent| workflow.is_for(intent));
    let fits = |workflow: &&Workflow| is_for(workflow) && is_whole(workflow, library);
    if let Some(chosen) = library.workflow(named_by_model).filter(fits) {
        return Some(chosen.id.clone());
    }
    // A task that continues earlier work needs another plan than the whole workflow.
    if !state.steps.is_empty() {
        return None;
    }
    let goal = &state.submission.as_ref()?.goal;
    let usable: Vec<Workflow> =
        library.workflows.iter().filter(|workflow| is_whole(workflow, library)).cloned().collect();
    let task_type = Some(task_type).filter(|words| !words.trim().is_empty());
    matching(&usable, intent, task_type, goal).map(|(workflow, _)| workflow.id.clone())
}

/// Returns true if the catalog has every tool of the workflow's steps.
pub fn is_whole(workflow: &Workflow, library: &Library) -> bool {
    workflow.steps.iter().all(|step| library.tool(&step.tool_id).is_some())
}
