//! Recovers a failed step: by the rule of its `FaultClass` first, then a model, then a person, then a new plan.
//!
//! - in: a failing step
//! - out: a changed step, a model request, a question to the user, or the end of recovery
//! - never: repeats a call that failed twice in the same way

use super::infer::{another_choice, missing_values};
use super::reflect::reflection_failed;
use super::remedy::remedy;
use crate::ask::purpose::Purpose;
use crate::dataflow::context::StepIndex;
use crate::fault::class::FaultClass;
use crate::fault::repeat::normalised;
use crate::goal::spec::RecoveryMode;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::rung::RecoveryRung;
use crate::state::State;
use crate::state::goal_state::GoalState;
use crate::state::step::Step;
use std::collections::BTreeMap;

/// The number of identical failures after which recovery ends.
const SAME_FAILURES: u32 = 2;

/// The next action of recovery for a failed step.
pub enum RecoveryStep {
    /// Events to append.
    Events(Vec<Event>),
    /// A request to a model.
    Ask(Purpose),
}

/// Returns the next recovery action for a step.
pub fn next(state: &State, index: StepIndex, inputs: &Inputs<'_>) -> RecoveryStep {
    let (Some(step), Some(goal_state)) = (state.step_at(index), state.goal.as_deref()) else {
        return RecoveryStep::Events(vec![]);
    };
    let Some(fault) = &step.fault else { return only_values(step, goal_state) };
    let failing_step = goal_state.recovery.ailments.get(&index).cloned().unwrap_or_default();
    let class = FaultClass::of(fault);
    let repeated = format!("{} {}", step.tool(), normalised(&fault.to_string()));
    let times = goal_state.recovery.repeats.get(&repeated).copied().unwrap_or_default();
    // A failure after a stepwise change is not a repetition of the same call.
    let eased = if class.is_eased_stepwise() { failing_step.eased } else { 0 };
    if class.is_hopeless() {
        return RecoveryStep::Events(vec![ended(step, false, "hopeless")]);
    }
    let full = state.goal_spec().is_some_and(|spec| spec.manner.recovery == RecoveryMode::Full);
    let model = state.goal_spec().is_some_and(|b| b.model_for(&reflect(step)).is_some());
    if class == FaultClass::Denied {
        // A retry of the same call is pointless: only another plan can avoid the call, or make one that the policy
        // allows.
        return RecoveryStep::Events(vec![ended(step, full && model, "denied")]);
    }
    if let Some(amended) = remedy(state, step, (fault, &failing_step), inputs) {
        return RecoveryStep::Events(vec![amended]);
    }
    if let Some(help) = missing_values(state, step, &failing_step, inputs) {
        return help;
    }
    if times.saturating_sub(eased) >= SAME_FAILURES {
        return RecoveryStep::Events(vec![ended(step, full && model, "repeated")]);
    }
    if !full || !model {
        let asked = another_choice(state, step, inputs);
        return RecoveryStep::Events(asked.unwrap_or_else(|| vec![ended(step, false, "no_model")]));
    }
    let purpose = if failing_step.repair_wanted { repair(step) } else { reflect(step) };
    if goal_state.is_unanswered(&purpose) {
        return RecoveryStep::Events(vec![
            reflection_failed(step),
            ended(step, true, "no_reflection"),
        ]);
    }
    RecoveryStep::Ask(purpose)
}

fn reflect(step: &Step) -> Purpose {
    Purpose::Reflect { step: step.plan.id.clone() }
}

fn repair(step: &Step) -> Purpose {
    Purpose::Repair { step: step.plan.id.clone() }
}

/// Returns the event that ends the recovery of a step.
pub(super) fn ended(step: &Step, overall: bool, why: &str) -> Event {
    Event::RecoveryEnded { step: step.plan.id.clone(), overall, why: why.to_owned() }
}

/// Handles a step that has not failed but waits for values from a model. Without an answer it runs as planned.
fn only_values(step: &Step, goal_state: &GoalState) -> RecoveryStep {
    let purpose = Purpose::Infer { step: step.plan.id.clone() };
    let again = goal_state.unfit(&purpose).is_some() && !goal_state.is_unanswered(&purpose);
    if again { RecoveryStep::Ask(purpose) } else { RecoveryStep::Events(vec![untouched(step)]) }
}

/// Returns the event with which a step runs as planned.
fn untouched(step: &Step) -> Event {
    Event::StepAmended {
        step: step.plan.id.clone(),
        rung: RecoveryRung::Inference,
        tool: None,
        parameters: None,
        set: BTreeMap::new(),
        why: "as planned".to_owned(),
        by: String::new(),
    }
}
