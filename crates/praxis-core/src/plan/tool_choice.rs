//! Selects tools without a model: by a workflow, the plan cache, retrieval or a lexical plan, or takes all.
//!
//! - in: the state of a goal, and the catalog
//! - out: the tools that are frozen for the task; `None` if a model must be asked
//! - never: rejects a goal, except if there is no model and no lexical plan

use super::tool_selection::{selection_of, tools_selected_event, with_workflow};
use super::two_stage::selection_reason;
use super::useless_tools::drop_useless;
use super::{lexical_plan, offer, plan_cache, retrieved, workflow_by_words, workflow_defaults};
use crate::ask::purpose::Purpose;
use crate::goal::spec::TwoStage;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::selection::{SelectionMethod, SelectionReason, ToolSelection};
use crate::library::Library;
use crate::planner::FoundTool;
use crate::problem::Problem;
use crate::route::workflow;
use crate::state::State;
use serde_json::Value;

/// A selection of tools, with the plan that it was made for.
pub struct ToolChoice {
    /// The `ToolsSelected` event.
    pub event: Event,
    /// The steps of the plan that the tools were selected for, in the form of a plan file.
    pub steps: Option<Vec<Value>>,
    /// The reason why there is no plan, if none can be made.
    pub no_plan: Option<Box<Problem>>,
}

impl From<Event> for ToolChoice {
    fn from(event: Event) -> Self {
        Self { event, steps: None, no_plan: None }
    }
}

/// Returns the selection if no model needs to be asked for it.
pub fn choose_without_model(state: &State, inputs: &Inputs<'_>) -> Option<Event> {
    let (spec, goal_state, library) = (state.goal_spec()?, state.goal.as_deref()?, inputs.library?);
    if let Some(event) = plan_cache::choice(state, inputs) {
        return Some(event);
    }
    if spec.manner.two_stage != TwoStage::Auto {
        return None;
    }
    if offer::is_small(state, inputs, library) {
        return choice(state, inputs).map(|choice| choice.event);
    }
    // The tools that retrieval found before were not enough: now a model has to select.
    if goal_state.planning.selection.is_some() {
        return None;
    }
    let found = retrieved::find(state, inputs);
    let goal = &state.submission.as_ref()?.goal;
    let chosen = retrieved::is_sure(goal, &found, inputs.planner)
        .then(|| by_retrieval(state, &found, (library, inputs)));
    chosen.map(|event| plan_cache::with_cache_miss_reason(state, event, inputs))
}

/// Builds the selection of retrieval, with the caller's intent and the workflow that the words match.
fn by_retrieval(
    state: &State,
    found: &[FoundTool],
    (library, inputs): (&Library, &Inputs<'_>),
) -> Event {
    let tokens = inputs.tokens;
    let mut tools = retrieved::worth(found, retrieved::ROOM, (library, tokens));
    let intent = state.goal_spec().and_then(|spec| spec.intent.clone());
    tools.extend(intent.iter().flat_map(|intent| library.tools_of_kind(intent)));
    let task_type = intent.unwrap_or_default();
    let workflow = workflow_by_words::workflow(state, "", &task_type, library);
    let by = (SelectionMethod::Retrieval, selection_reason(state, SelectionMethod::Retrieval));
    let chosen = selection_of(by, tools, library, tokens);
    let selection = ToolSelection { task_type, found: retrieved::recorded(found), ..chosen };
    let selection = with_workflow(selection, workflow, (library, tokens));
    tools_selected_event(
        workflow_defaults::with_workflow_defaults(state, selection, inputs),
        library,
    )
}

/// Selects tools without a model: of the workflow, the plan cache or the lexical plan; else all that fit.
pub fn choice(state: &State, inputs: &Inputs<'_>) -> Option<ToolChoice> {
    let (spec, library) = (state.goal_spec()?, inputs.library?);
    let goal_state = state.goal.as_deref()?;
    let named = spec.workflow.as_deref().filter(|_| goal_state.planning.selection.is_none());
    let is_alone = spec.model_for(&Purpose::Plan).is_none();
    if is_alone && let Some(event) = by_workflow(state, named, library, inputs) {
        return Some(event.into());
    }
    if let Some(event) = plan_cache::choice(state, inputs) {
        return Some(event.into());
    }
    let composes = is_alone && spec.workflow.is_none();
    if composes && (goal_state.planning.selection.is_none() || goal_state.planning.drafting.rest) {
        return lexical_plan::choice(state, library, inputs);
    }
    let by = if goal_state.is_unanswered(&Purpose::Select) {
        SelectionMethod::Fallback
    } else {
        SelectionMethod::All
    };
    let mut event = match by {
        SelectionMethod::Fallback => fallen_back(state, inputs)?,
        SelectionMethod::All
        | SelectionMethod::Model
        | SelectionMethod::Retrieval
        | SelectionMethod::Workflow
        | SelectionMethod::Case
        | SelectionMethod::Offline => all(state, inputs, by)?,
    };
    if let Event::ToolsSelected { selection, .. } = &mut event {
        selection.workflow = named.map(str::to_owned);
    }
    if by == SelectionMethod::Fallback && goal_state.planning.selection.is_none() {
        // The words of the goal may still match a workflow.
        let told = workflow_by_words::workflow(state, "", "", library);
        if let Event::ToolsSelected { selection, .. } = event {
            let selection = with_workflow(*selection, told, (library, inputs.tokens));
            event = tools_selected_event(selection, library);
        }
    }
    Some(
        plan_cache::with_cache_miss_reason(state, with_defaults(state, event, inputs), inputs)
            .into(),
    )
}

/// Selects the tools of the named workflow, else of the one that the words match; `None` if a tool of it is missing.
fn by_workflow(
    state: &State,
    named: Option<&str>,
    library: &Library,
    inputs: &Inputs<'_>,
) -> Option<Event> {
    let is_first =
        state.goal.as_deref().is_some_and(|goal_state| goal_state.planning.selection.is_none());
    // A stated intent admits only workflows for that intent, and those were considered before.
    let is_free = is_first && state.goal_spec().is_some_and(|spec| spec.intent.is_none());
    let workflow = match named {
        Some(id) => library.workflow(id),
        None if is_free => lexical_plan::workflow(state, library, inputs),
        None => None,
    };
    let workflow = workflow.filter(|workflow| workflow_by_words::is_whole(workflow, library))?;
    let tools: Vec<_> = library.tools_of_workflow(&workflow.id).collect();
    let event = (!tools.is_empty()).then(|| of_workflow(workflow, tools, library, inputs))?;
    Some(with_defaults(state, event, inputs))
}

fn with_defaults(state: &State, mut event: Event, inputs: &Inputs<'_>) -> Event {
    if let Event::ToolsSelected { selection, .. } = &mut event {
        **selection =
            workflow_defaults::with_workflow_defaults(state, (**selection).clone(), inputs);
    }
    event
}

fn of_workflow(
    workflow: &workflow::Workflow,
    mut tools: Vec<crate::ids::ToolId>,
    library: &Library,
    inputs: &Inputs<'_>,
) -> Event {
    tools.sort();
    tools.dedup();
    let selection = ToolSelection {
        workflow: Some(workflow.id.clone()),
        task_type: workflow.intent.clone().unwrap_or_default(),
        ..selection_of(
            (SelectionMethod::Workflow, Some(SelectionReason::Workflow)),
            tools.into_iter().collect(),
            library,
            inputs.tokens,
        )
    };
    tools_selected_event(selection, library)
}

/// Selects all tools that fit into the prompt.
pub fn all(state: &State, inputs: &Inputs<'_>, by: SelectionMethod) -> Option<Event> {
    let library = inputs.library?;
    let mut tools = offer::fitting(state, inputs, library);
    let useless = drop_useless(state, &mut tools);
    let chosen = selection_of((by, selection_reason(state, by)), tools, library, inputs.tokens);
    Some(tools_selected_event(ToolSelection { useless, ..chosen }, library))
}

/// Selects tools after a model was asked and gave no usable selection.
pub fn fallen_back(state: &State, inputs: &Inputs<'_>) -> Option<Event> {
    let library = inputs.library?;
    let by = (SelectionMethod::Fallback, selection_reason(state, SelectionMethod::Fallback));
    let chosen =
        selection_of(by, offer::fallback_tools(state, inputs, library), library, inputs.tokens);
    let found = retrieved::recorded(&retrieved::find(state, inputs));
    Some(tools_selected_event(ToolSelection { found, ..chosen }, library))
}
