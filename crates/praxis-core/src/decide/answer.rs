//! Turns the answer of a model into events, with one reader for each `Purpose`.
//!
//! - in: a complete reply to a pending model call
//! - out: the events of the answer, or the event that it cannot be used, with the reasons
//! - never: uses any part of a reply that violates its schema

use crate::ask::purpose::Purpose;
use crate::ask::reply::{FinishReason, ModelReply};
use crate::evaluate::{extract, judge};
use crate::finalize::message;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::outcome::PlanOutcome;
use crate::learn::look_back;
use crate::plan::{draft, propose, select, strategy};
use crate::prompt::schema;
use crate::recover::{infer, reflect, revise};
use crate::stage::reading::{ReadAnswer, read, refused};
use crate::state::{Phase, State};
use serde_json::Value;

/// Returns the events that follow from a reply.
pub fn events(state: &State, ask: u32, reply: &ModelReply, inputs: &Inputs<'_>) -> Vec<Event> {
    let asking = state.goal.as_deref().and_then(|goal_state| goal_state.asks.under_way.get(&ask));
    let Some(asking) = asking else { return vec![] };
    let purpose = &asking.purpose;
    let late_message = *purpose == Purpose::Tell && matches!(state.phase, Phase::Finished(_));
    if matches!(state.phase, Phase::Stopping(_)) || late_message || is_late(state, purpose) {
        return vec![];
    }
    match read(ask, reply, &wanted(state, purpose)) {
        Ok(found) => mean(state, purpose, &found, (&asking.model, inputs)),
        Err(problems) => {
            let unfit = refused(ask, purpose, reply, problems.clone());
            let cut = reply.finish == FinishReason::Length;
            let outcome = if cut { PlanOutcome::Cut } else { PlanOutcome::Refused };
            let revision = draft::revision(state);
            let closed = Event::PlanClosed { revision, outcome, problems, promise: None };
            [unfit].into_iter().chain(purpose.plans().then_some(closed)).collect()
        }
    }
}

/// Returns true if the step that the model was asked about no longer waits for recovery.
fn is_late(state: &State, purpose: &Purpose) -> bool {
    let helped = !matches!(purpose, Purpose::Extract { .. });
    let Some(step) = purpose.step().filter(|_| helped) else { return false };
    let index = state.context.index_of(step.as_str());
    let goal_state = state.goal.as_deref();
    !index.is_some_and(|index| {
        goal_state.is_some_and(|goal_state| goal_state.recovery.ailing.contains(&index))
    })
}

/// Returns the schema that an answer must match.
fn wanted(state: &State, purpose: &Purpose) -> Value {
    match purpose {
        Purpose::Evaluate => judge::judgement_schema(state),
        Purpose::Report => judge::report_schema(state),
        Purpose::Plan => propose::wanted(state).clone(),
        Purpose::Strategy
        | Purpose::Select
        | Purpose::Replan
        | Purpose::Infer { .. }
        | Purpose::Reflect { .. }
        | Purpose::Repair { .. }
        | Purpose::ReflectOverall
        | Purpose::Extract { .. }
        | Purpose::Tell
        | Purpose::Learn => schema(purpose.stage()).cloned().unwrap_or_default(),
    }
}

fn mean(
    state: &State,
    purpose: &Purpose,
    found: &ReadAnswer,
    (model, inputs): (&str, &Inputs<'_>),
) -> Vec<Event> {
    match purpose {
        Purpose::Strategy => strategy::read(state, found, inputs.planner).into_iter().collect(),
        Purpose::Select => select::read(state, found, inputs).into_iter().collect(),
        Purpose::Plan | Purpose::Replan => {
            match (select::for_plan(state, &found.value, inputs), inputs.library) {
                (Some(added), _) => vec![added],
                (None, Some(library)) => propose::read(state, purpose, found, library),
                (None, None) => vec![],
            }
        }
        Purpose::Infer { .. } => infer::read(state, found, purpose, (model, inputs)),
        Purpose::Reflect { .. } => reflect::read(state, found, purpose, (model, inputs)),
        Purpose::Repair { .. } => reflect::read_repair(state, found, purpose, (model, inputs)),
        Purpose::Evaluate => judge::read(state, found),
        Purpose::ReflectOverall => vec![revise::read(found)],
        Purpose::Extract { step } => vec![extract::read(state, found, step, inputs)],
        Purpose::Report => vec![judge::read_report(state, found)],
        Purpose::Tell => vec![message::read(found)],
        Purpose::Learn => vec![look_back::read(state, found, inputs)],
    }
}
