//! Adds a workflow's default metadata to a task that follows it.
//!
//! - in: a selection of tools that names a workflow
//! - out: the selection with the workflow's defaults, and with the values that the goal states under its parameter
//!   names
//! - never: overrides values of the caller, or adds anything after the first selection

use super::draft;
use crate::inputs::Inputs;
use crate::journal::selection::{SelectionMethod, ToolSelection};
use crate::planner::{FilledWorkflow, PlanQuery};
use crate::route::instantiate::told;
use crate::route::workflow::Workflow;
use crate::state::State;
use serde_json::Value;
use std::collections::BTreeSet;

/// Adds the metadata of the workflow to the selection.
pub(super) fn with_workflow_defaults(
    state: &State,
    selection: ToolSelection,
    inputs: &Inputs<'_>,
) -> ToolSelection {
    let is_first =
        state.goal.as_deref().is_some_and(|goal_state| goal_state.planning.selection.is_none());
    let workflow = selection.workflow.as_deref().filter(|_| is_first);
    let workflow = workflow.and_then(|id| inputs.library?.workflow(id));
    let Some(workflow) = workflow else { return selection };
    let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
    let is_free = |(key, _): &(String, Value)| {
        let is_given = state.context.initial().contains_key(key.as_str());
        !is_given && state.context.index_of(key).is_none()
    };
    // No model will read the goal after this, so values that the goal states without a name are taken too.
    let alone = selection.by == SelectionMethod::Workflow;
    let filled = if alone {
        filled(state, workflow, inputs).unwrap_or_default()
    } else {
        spoken(workflow, goal)
    };
    let said = filled.said.into_iter().filter(is_free);
    let said: std::collections::BTreeMap<String, Value> = said.collect();
    let defaults = workflow.defaults.clone().into_iter().filter(is_free);
    let defaults = defaults.filter(|(key, _)| !said.contains_key(key)).collect();
    ToolSelection { defaults, said, sureness: alone.then_some(filled.sureness), ..selection }
}

fn filled(state: &State, workflow: &Workflow, inputs: &Inputs<'_>) -> Option<FilledWorkflow> {
    let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
    let (given, without) = (&draft::given(state), &BTreeSet::new());
    let catalog = &inputs.library?.catalog;
    let cancelled = inputs.cancelled;
    let wanted = PlanQuery { goal, given, catalog, without, memories: &[], cancelled };
    Some(inputs.search()?.fill(workflow, &wanted))
}

fn spoken(workflow: &Workflow, goal: &str) -> FilledWorkflow {
    FilledWorkflow { said: told(workflow, goal), ..FilledWorkflow::default() }
}
