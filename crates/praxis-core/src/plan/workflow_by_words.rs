//! What words alone tell: the workflow that a goal is for.
//!
//! - in: a goal and what a model made of it; the library
//! - out: the id of a workflow
//! - never: takes a workflow that is for another intent, or, unless it was named, one that cannot be followed here

use crate::library::Library;
use crate::route::workflow::{Workflow, matching};
use crate::state::State;

/// The workflow that is followed: the one that was named, else the model's, else the one that the words tell.
pub fn workflow(
    state: &State,
    named_by_model: &str,
    task_type: &str,
    library: &Library,
) -> Option<String> {
    let pinned = state.brief()?;
    // A plan of the rest follows none.
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
    // What goes on with earlier work has another plan than the words tell.
    if !state.steps.is_empty() {
        return None;
    }
    let goal = &state.submission.as_ref()?.goal;
    let usable: Vec<Workflow> =
        library.workflows.iter().filter(|workflow| is_whole(workflow, library)).cloned().collect();
    let task_type = Some(task_type).filter(|words| !words.trim().is_empty());
    matching(&usable, intent, task_type, goal).map(|(workflow, _)| workflow.id.clone())
}

/// Whether every tool of a workflow is there: a plan that follows it can be made.
pub fn is_whole(workflow: &Workflow, library: &Library) -> bool {
    workflow.steps.iter().all(|step| library.tool(&step.tool_id).is_some())
}
