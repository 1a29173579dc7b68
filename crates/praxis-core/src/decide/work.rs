//! Work that needs no model and may take long. The engine runs it on threads that may block.
//!
//! - in: the state of a goal, and everything that is pinned for it
//! - out: events that are recorded together; or the problems of a goal without a plan, which is then rejected
//! - never: makes a plan twice: one that was made to find the tools is recorded with them

use super::begin::ask_for;
use crate::ask::purpose::Purpose;
use crate::effect::WorkKind;
use crate::inputs::Inputs;
use crate::journal::event::{Entry, Event};
use crate::plan::tool_choice::{ToolChoice, choice, choose_without_model};
use crate::plan::without_model;
use crate::problem::Problem;
use crate::recover::revise;
use crate::state::State;
use serde_json::Value;

/// The outcome of a piece of work.
#[derive(Debug, Default)]
pub struct WorkResult {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The problems for which the goal cannot be planned.
    pub no_plan: Option<Vec<Problem>>,
}

/// Performs a piece of work.
pub fn work(state: &State, job: WorkKind, inputs: &Inputs<'_>) -> WorkResult {
    let (events, unplannable) = match job {
        WorkKind::Choose => chosen(state, inputs),
        WorkKind::Select => (selected(state, inputs), None),
        WorkKind::Plan => (without_model::events(state, inputs), None),
        WorkKind::Reflect => (vec![revise::by_rules(state, inputs)], None),
    };
    let no_plan = unplannable.map(|why| vec![*why]).or_else(|| refused(state, &events));
    WorkResult { events, no_plan }
}

/// Returns the problems of a refused plan, if no model can make another one.
fn refused(state: &State, events: &[Event]) -> Option<Vec<Problem>> {
    state.goal_spec().filter(|spec| spec.model_for(&Purpose::Plan).is_none())?;
    let Some(Event::PlanClosed { problems, .. }) = events.last() else { return None };
    (!problems.is_empty()).then(|| problems.clone())
}

/// Chooses the tools, and returns the plan with them if it was made to find them.
fn chosen(state: &State, inputs: &Inputs<'_>) -> (Vec<Event>, Option<Box<Problem>>) {
    let Some(ToolChoice { event, steps, no_plan }) = choice(state, inputs) else {
        return (vec![], None);
    };
    let planned = steps.map(|steps| planned(state, &event, &steps, inputs)).unwrap_or_default();
    ([event].into_iter().chain(planned).collect(), no_plan)
}

/// Returns the plan for tools that are about to be chosen.
fn planned(state: &State, chosen: &Event, steps: &[Value], inputs: &Inputs<'_>) -> Vec<Event> {
    let mut after = state.clone();
    let entry = Entry { seq: state.seq + 1, at: state.at, event: chosen.clone() };
    // An illegal choice is refused when it is recorded.
    if after.apply(&entry).is_err() {
        return vec![];
    }
    without_model::entered(&after, steps, inputs)
}

/// Chooses the tools, and starts a model call only if one is needed.
fn selected(state: &State, inputs: &Inputs<'_>) -> Vec<Event> {
    let chosen = choose_without_model(state, inputs);
    chosen.map_or_else(|| ask_for(state, &Purpose::Select, inputs), |event| vec![event])
}
