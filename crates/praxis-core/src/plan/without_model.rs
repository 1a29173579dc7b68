//! Plans without a model call: from the plan cache, a workflow, or a lexical plan.
//!
//! - in: the state of a goal
//! - out: the events of the plan
//! - never: makes up a value; a value that a workflow lacks is asked for

use super::{draft, lexical_plan, plan_cache};
use crate::inputs::Inputs;
use crate::intake::plan::metadata;
use crate::intake::rename;
use crate::journal::event::Event;
use crate::journal::outcome::PlanOutcome;
use crate::route::instantiate;
use crate::route::instantiate::called;
use crate::state::State;
use serde_json::Value;

/// Returns the events of a plan that needs no model: from the plan cache, the workflow, or the lexical planner.
pub fn events(state: &State, inputs: &Inputs<'_>) -> Vec<Event> {
    if let Some(events) = plan_cache::events(state, inputs) {
        return events;
    }
    if state.goal.as_deref().is_some_and(|goal_state| goal_state.planning.drafting.open.is_some()) {
        // All its steps entered at once, but Praxis stopped before the revision was closed.
        return vec![Event::closed(draft::revision(state), PlanOutcome::Complete)];
    }
    match steps(state, inputs) {
        Some(steps) => entered(state, &steps, inputs),
        None => refused(state, vec![]),
    }
}

/// Checks steps like the plan of a model and returns the events with which they enter.
pub fn entered(state: &State, steps: &[Value], inputs: &Inputs<'_>) -> Vec<Event> {
    let Some(library) = inputs.library else { return vec![] };
    match draft::accept(state, steps, library) {
        Ok(accepted) => {
            let revision = draft::revision(state);
            let closed = Event::closed(revision, PlanOutcome::Complete);
            vec![draft::planned(state, accepted), closed]
        }
        Err(problems) => refused(state, problems),
    }
}

/// Returns the steps of the workflow or the lexical plan in the form of a plan file.
fn steps(state: &State, inputs: &Inputs<'_>) -> Option<Vec<Value>> {
    let (spec, library) = (state.goal_spec()?, inputs.library?);
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    let followed = chosen.and_then(|chosen| chosen.workflow.as_deref());
    let Some(id) = followed.or(spec.workflow.as_deref()) else {
        return lexical_plan::steps(state, inputs);
    };
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
