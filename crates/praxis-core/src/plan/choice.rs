//! The choice of tools for which no model is asked: of a workflow, of an earlier plan, by retrieval, by words, or all.
//!
//! - in: the state of a goal, and the catalog
//! - out: the tools that are frozen for the task; none where a model has to be asked
//! - never: turns a goal away

use super::chosen::{following, plain, selected};
use super::two_stage::why;
use super::useless::drop_useless;
use super::{again, by_words, composed, endow, offer, retrieved};
use crate::ask::errand::Errand;
use crate::goal::brief::TwoStage;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::selection::{Selection, Selector, Why};
use crate::library::Library;
use crate::planner::Found;
use crate::problem::Problem;
use crate::route::workflow;
use crate::state::State;
use serde_json::Value;

/// A choice of tools.
pub struct Choice {
    /// The tools, as a fact.
    pub event: Event,
    /// The steps of the plan that they were chosen for, as a plan file writes them.
    pub steps: Option<Vec<Value>>,
    /// The reason why there is no plan, if nobody could make one.
    pub no_plan: Option<Box<Problem>>,
}

impl From<Event> for Choice {
    fn from(event: Event) -> Self {
        Self { event, steps: None, no_plan: None }
    }
}

/// The choice where no model has to be asked for it.
pub fn unasked(state: &State, inputs: &Inputs<'_>) -> Option<Event> {
    let (brief, course, library) = (state.brief()?, state.goal.as_deref()?, inputs.library?);
    if let Some(event) = again::choice(state, inputs) {
        return Some(event);
    }
    if brief.manner.two_stage != TwoStage::Auto {
        return None;
    }
    if offer::is_small(state, inputs, library) {
        return choice(state, inputs).map(|choice| choice.event);
    }
    // What the words told was not enough: now somebody has to think.
    if course.planning.selection.is_some() {
        return None;
    }
    let found = retrieved::find(state, inputs);
    let goal = &state.submission.as_ref()?.goal;
    let chosen = retrieved::is_sure(goal, &found, inputs.planner)
        .then(|| by_retrieval(state, &found, (library, inputs)));
    chosen.map(|event| again::noted(state, event, inputs))
}

/// What retrieval found. The kind of work and the workflow are what the caller and the words say.
fn by_retrieval(
    state: &State,
    found: &[Found],
    (library, inputs): (&Library, &Inputs<'_>),
) -> Event {
    let tokens = inputs.tokens;
    let mut tools = retrieved::worth(found, retrieved::ROOM, (library, tokens));
    let intent = state.brief().and_then(|brief| brief.intent.clone());
    tools.extend(intent.iter().flat_map(|intent| library.tools_of_kind(intent)));
    let task_type = intent.unwrap_or_default();
    let workflow = by_words::workflow(state, "", &task_type, library);
    let by = (Selector::Retrieval, why(state, Selector::Retrieval));
    let chosen = plain(by, tools, library, tokens);
    let selection = Selection { task_type, found: retrieved::recorded(found), ..chosen };
    let selection = following(selection, workflow, (library, tokens));
    selected(endow::endowed(state, selection, inputs), library)
}

/// The tools without a model: those of the workflow, of an earlier plan or of one that is put together; else all.
pub fn choice(state: &State, inputs: &Inputs<'_>) -> Option<Choice> {
    let (brief, library) = (state.brief()?, inputs.library?);
    let course = state.goal.as_deref()?;
    let named = brief.workflow.as_deref().filter(|_| course.planning.selection.is_none());
    let is_alone = brief.adviser(&Errand::Plan).is_none();
    if is_alone && let Some(event) = by_workflow(state, named, library, inputs) {
        return Some(event.into());
    }
    if let Some(event) = again::choice(state, inputs) {
        return Some(event.into());
    }
    let composes = is_alone && brief.workflow.is_none();
    if composes && (course.planning.selection.is_none() || course.planning.drafting.rest) {
        return composed::choice(state, library, inputs);
    }
    let by = if course.is_unanswered(&Errand::Select) { Selector::Fallback } else { Selector::All };
    let mut event = match by {
        Selector::Fallback => fallen_back(state, inputs)?,
        Selector::All
        | Selector::Model
        | Selector::Retrieval
        | Selector::Workflow
        | Selector::Case
        | Selector::Offline => all(state, inputs, by)?,
    };
    if let Event::ToolsSelected { selection, .. } = &mut event {
        selection.workflow = named.map(str::to_owned);
    }
    if by == Selector::Fallback && course.planning.selection.is_none() {
        // The words still tell what the model could not say.
        let told = by_words::workflow(state, "", "", library);
        if let Event::ToolsSelected { selection, .. } = event {
            let selection = following(*selection, told, (library, inputs.tokens));
            event = selected(selection, library);
        }
    }
    Some(again::noted(state, with_defaults(state, event, inputs), inputs).into())
}

/// The tools of the workflow that was named, or that the words tell where none was; none if it cannot be followed here.
fn by_workflow(
    state: &State,
    named: Option<&str>,
    library: &Library,
    inputs: &Inputs<'_>,
) -> Option<Event> {
    let is_first = state.goal.as_deref().is_some_and(|course| course.planning.selection.is_none());
    // An intent that was stated admits only workflows that are for it, and those were looked at.
    let is_free = is_first && state.brief().is_some_and(|brief| brief.intent.is_none());
    let workflow = match named {
        Some(id) => library.workflow(id),
        None if is_free => composed::workflow(state, library, inputs),
        None => None,
    };
    let workflow = workflow.filter(|workflow| by_words::is_whole(workflow, library))?;
    let tools: Vec<_> = library.tools_of_workflow(&workflow.id).collect();
    let event = (!tools.is_empty()).then(|| of_workflow(workflow, tools, library, inputs))?;
    Some(with_defaults(state, event, inputs))
}

fn with_defaults(state: &State, mut event: Event, inputs: &Inputs<'_>) -> Event {
    if let Event::ToolsSelected { selection, .. } = &mut event {
        **selection = endow::endowed(state, (**selection).clone(), inputs);
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
    let selection = Selection {
        workflow: Some(workflow.id.clone()),
        task_type: workflow.intent.clone().unwrap_or_default(),
        ..plain(
            (Selector::Workflow, Some(Why::Workflow)),
            tools.into_iter().collect(),
            library,
            inputs.tokens,
        )
    };
    selected(selection, library)
}

/// All tools, or those that fit into the prompt.
pub fn all(state: &State, inputs: &Inputs<'_>, by: Selector) -> Option<Event> {
    let library = inputs.library?;
    let mut tools = offer::fitting(state, inputs, library);
    let useless = drop_useless(state, &mut tools);
    let chosen = plain((by, why(state, by)), tools, library, inputs.tokens);
    Some(selected(Selection { useless, ..chosen }, library))
}

/// The choice where a model was asked and gave none.
pub fn fallen_back(state: &State, inputs: &Inputs<'_>) -> Option<Event> {
    let library = inputs.library?;
    let by = (Selector::Fallback, why(state, Selector::Fallback));
    let chosen = plain(by, offer::instead(state, inputs, library), library, inputs.tokens);
    let found = retrieved::recorded(&retrieved::find(state, inputs));
    Some(selected(Selection { found, ..chosen }, library))
}
