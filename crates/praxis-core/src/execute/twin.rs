//! Reuses calls that are still running for dropped steps, if a step of the new plan would make the same call.
//!
//! - in: a step that could start, or a running call of a dropped step
//! - out: the call that need not be repeated, and the step that takes over its result
//! - never: reuses a call that changes something, or one that started before the last change was done

use crate::ask::purpose::Purpose;
use crate::call::risk::Risk;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::{LoadedBlobs, OnUnresolved, blobs_needed, resolve};
use crate::ids::StepId;
use crate::journal::event::Event;
use crate::journal::outcome::CallOutcome;
use crate::payload::Payload;
use crate::state::step::{SentCall, Step, StepStatus};
use crate::state::{Phase, State};
use crate::time::Timestamp;

/// Returns true if a dropped step already runs the same call.
pub fn is_under_way(state: &State, index: StepIndex) -> bool {
    let Some(step) = state.step_at(index) else { return false };
    given_up(state).any(|(_, running)| is_same_call(state, step, running))
}

/// Returns the step that takes over the result of a dropped step's call.
pub fn heir(state: &State, running: StepIndex) -> Option<StepIndex> {
    let running = state.step_at(running).filter(|step| step.dropped)?;
    let place = state.steps.iter().position(|step| is_same_call(state, step, running))?;
    u32::try_from(place).ok().map(StepIndex)
}

/// Returns the running calls of dropped steps that no step needs any more. None while a plan is being written,
/// because it may need them.
pub fn unwanted(state: &State) -> Vec<StepIndex> {
    if is_being_planned(state) {
        return vec![];
    }
    let alone = given_up(state).map(|(index, _)| index);
    alone.filter(|index| heir(state, *index).is_none()).collect()
}

fn is_being_planned(state: &State) -> bool {
    let plans = |purpose: &Purpose| purpose.plans() || *purpose == Purpose::Select;
    let goal_state = state.goal.as_deref();
    let asked = goal_state
        .is_some_and(|goal_state| goal_state.asks.under_way.values().any(|it| plans(&it.purpose)));
    state.phase == Phase::Planning && asked
}

/// Returns the dropped steps with a running call that only reads.
fn given_up(state: &State) -> impl Iterator<Item = (StepIndex, &Step)> {
    // Most tasks never drop a step, and this runs at every event.
    let any = state.given_up > 0;
    let steps = (0u32..).map(StepIndex).zip(&state.steps).take_while(move |_| any);
    let runs = |step: &Step| step.dropped && step.status == StepStatus::Running;
    steps.filter(move |(_, step)| runs(step) && reads(state, step))
}

/// Returns true if `step` could start now with the same call, and nothing has changed since `running` started.
fn is_same_call(state: &State, step: &Step, running: &Step) -> bool {
    let ready = step.status == StepStatus::Init && step.open == 0 && !step.dropped;
    ready
        && !step.plan.gathers()
        && step.tool() == running.tool()
        && sends_the_same(state, step, running)
        && !state.steps.iter().any(|other| may_have_changed(state, other, running.started_at))
}

/// Returns true if a call that changes something ended after `since`, or may still be running.
fn may_have_changed(state: &State, step: &Step, since: Option<Timestamp>) -> bool {
    let changes = !step.plan.gathers() && !reads(state, step) && step.attempt > 0;
    let before = step.status.is_final() && step.finished_at.is_some_and(|end| Some(end) < since);
    changes && !before
}

fn reads(state: &State, step: &Step) -> bool {
    state.contract(step.tool()).is_some_and(|contract| contract.risk == Risk::Read)
}

fn sends_the_same(state: &State, step: &Step, running: &Step) -> bool {
    let Some(sent) = running.sent.as_ref().filter(|sent| sent.holes.is_empty()) else {
        return false;
    };
    let at_hand = blobs_needed(&step.template, &state.context).is_empty();
    let resolved =
        resolve(&step.template, &state.context, &LoadedBlobs::new(), OnUnresolved::Error).ok();
    resolved.is_some_and(|found| {
        at_hand && found.holes.is_empty() && Payload::json(found.value) == sent.arguments
    })
}

/// Turns the result of a dropped step's call into the result of the step that takes it over.
pub fn taken_over(state: &State, running: StepIndex, ended: &Event) -> Option<Event> {
    let Event::StepFinished { outcome: CallOutcome::Succeeded(output), .. } = ended else {
        return None;
    };
    let heir = state.step_at(heir(state, running)?)?.plan.id.clone();
    let SentCall { tool, arguments, holes } = state.step_at(running)?.sent.clone()?;
    Some(Event::StepInherited { step: heir, tool, arguments, holes, output: output.clone() })
}

/// Returns the dropped step that made the call whose result was taken over.
pub fn maker<'a>(state: &'a State, sent: &SentCall) -> Option<&'a StepId> {
    let made = |step: &&Step| step.dropped && step.sent.as_ref() == Some(sent);
    state.steps.iter().find(made).map(|step| &step.plan.id)
}
