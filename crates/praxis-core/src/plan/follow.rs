//! What is done where no model is asked: tools are taken as they are, a workflow is followed, words decide.
//!
//! - in: the state of a goal
//! - out: the strategy, the tools or the plan that the rules give
//! - never: makes up a value; what a workflow does not have is asked for

use super::{again, by_words, composed, draft, endow, select};
use crate::ask::errand::Errand;
use crate::ask::request::Request;
use crate::inputs::Inputs;
use crate::intake::plan::metadata;
use crate::intake::rename;
use crate::journal::event::Event;
use crate::journal::outcome::PlanOutcome;
use crate::journal::selection::{Selection, Selector, Why};
use crate::library::Library;
use crate::offline::by_workflow::called;
use crate::prompt::schema;
use crate::route::strategy::detect;
use crate::route::{instantiate, workflow};
use crate::stage::compose::{Stage, request};
use crate::state::State;
use serde_json::Value;
use std::fmt::Write;

/// How the request stands to earlier work, by what the caller said or by its words.
pub fn strategy(state: &State) -> Option<Event> {
    let past = state.brief()?.past.as_ref()?;
    if let Some(strategy) = past.strategy {
        let by = "caller".to_owned();
        return Some(Event::StrategyChosen {
            strategy,
            by,
            confidence: 100,
            reasoning: String::new(),
        });
    }
    let found = detect(&state.submission.as_ref()?.goal);
    Some(Event::StrategyChosen {
        strategy: found.decision,
        by: "keywords".to_owned(),
        confidence: found.confidence.into(),
        reasoning: found.cue.unwrap_or_default(),
    })
}

/// The request for the same.
pub fn ask_strategy(state: &State, inputs: &Inputs<'_>) -> Option<Request> {
    let library = inputs.library?;
    let past = state.brief()?.past.as_ref()?;
    let goal = &state.submission.as_ref()?.goal;
    let mut history = format!("{}\n", past.goal);
    for done in &past.done {
        let _ = writeln!(history, "✅ {} {} ({})", done.id(), done.step.name, done.step.tool);
    }
    for undone in &past.undone {
        let _ = writeln!(history, "❌ {undone}");
    }
    let holes = [("request", goal.as_str()), ("history", history.trim_end())];
    let (errand, schema) = (Errand::Strategy, schema("strategy")?);
    let stage =
        Stage { errand: &errand, part: "continue_planning.strategy", holes: &holes, schema };
    request(state, library, inputs.tokens, &stage)
}

/// The tools without a model: those of the workflow, else all.
pub fn choice(state: &State, inputs: &Inputs<'_>) -> Option<Event> {
    let (brief, library) = (state.brief()?, inputs.library?);
    let course = state.goal.as_deref()?;
    let named = brief.workflow.as_deref().filter(|_| course.selection.is_none());
    if let Some(workflow) = named.and_then(|id| library.workflow(id)) {
        let tools: Vec<_> = library.tools_of_workflow(&workflow.id).collect();
        let whole = !tools.is_empty() && by_words::is_whole(workflow, library);
        if brief.adviser(&Errand::Plan).is_none() && whole {
            let event = of_workflow(workflow, tools, library, inputs);
            return Some(with_defaults(state, event, library));
        }
    }
    if let Some(event) = again::choice(state, inputs) {
        return Some(event);
    }
    let alone = brief.adviser(&Errand::Plan).is_none() && brief.workflow.is_none();
    if alone && (course.selection.is_none() || course.drafting.rest) {
        return composed::choice(state, (library, inputs.tokens));
    }
    let by = if course.is_unanswered(&Errand::Select) { Selector::Fallback } else { Selector::All };
    let mut event = match by {
        Selector::Fallback => select::fallen_back(state, inputs)?,
        Selector::All
        | Selector::Model
        | Selector::Retrieval
        | Selector::Workflow
        | Selector::Case
        | Selector::Offline => select::all(state, inputs, by)?,
    };
    if let Event::ToolsSelected { selection, .. } = &mut event {
        selection.workflow = named.map(str::to_owned);
    }
    if by == Selector::Fallback && course.selection.is_none() {
        // The words still tell what the model could not say.
        let told = by_words::workflow(state, "", "", library);
        if let Event::ToolsSelected { selection, .. } = event {
            let selection = select::following(*selection, told, (library, inputs.tokens));
            event = select::selected(selection, library);
        }
    }
    Some(again::noted(state, with_defaults(state, event, library), inputs))
}

fn with_defaults(state: &State, mut event: Event, library: &Library) -> Event {
    if let Event::ToolsSelected { selection, .. } = &mut event {
        **selection = endow::endowed(state, (**selection).clone(), library);
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
        ..select::plain(
            (Selector::Workflow, Some(Why::Workflow)),
            tools.into_iter().collect(),
            library,
            inputs.tokens,
        )
    };
    select::selected(selection, library)
}

/// The plan that nobody is asked for: of an earlier task, of the workflow, or put together from tools.
pub fn events(state: &State, inputs: &Inputs<'_>) -> Vec<Event> {
    let Some(library) = inputs.library else { return vec![] };
    if let Some(events) = again::events(state, library) {
        return events;
    }
    if state.goal.as_deref().is_some_and(|course| course.drafting.open.is_some()) {
        // All its steps entered at once; Praxis stopped before it could say so.
        return vec![Event::closed(draft::revision(state), PlanOutcome::Complete)];
    }
    let Some(steps) = steps(state, library) else { return refused(state, vec![]) };
    match draft::accept(state, &steps, library) {
        Ok(accepted) => {
            let revision = draft::revision(state);
            let closed = Event::closed(revision, PlanOutcome::Complete);
            vec![draft::planned(state, accepted), closed]
        }
        Err(problems) => refused(state, problems),
    }
}

/// Its steps as a plan file writes them.
fn steps(state: &State, library: &Library) -> Option<Vec<Value>> {
    let brief = state.brief()?;
    let Some(id) = brief.workflow.as_deref() else { return composed::steps(state, library) };
    let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
    let workflow = library.workflow(id)?;
    let plan = instantiate::plan(workflow, goal, &metadata(&Value::Null));
    let mut steps = plan.get("steps").and_then(Value::as_array).cloned()?;
    let called = called(workflow, &draft::metadata(state));
    for step in &mut steps {
        rename::metadata(step, &called);
    }
    Some(steps)
}

fn refused(state: &State, problems: Vec<crate::problem::Problem>) -> Vec<Event> {
    let revision = draft::revision(state);
    vec![Event::PlanClosed { revision, outcome: PlanOutcome::Refused, problems, promise: None }]
}
