//! Helps a failed step: the class of its failure first, then a model, then a person, then the whole plan.
//!
//! - in: a step that ails
//! - out: a changed step, a call to a model, a question, or the end of recovery
//! - never: tries the same again after it failed twice in the same way

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

/// From so many failures in one way on, nothing more is tried.
const SAME_FAILURES: u32 = 2;

/// What is done for a step that failed.
pub enum RecoveryStep {
    /// This happens.
    Events(Vec<Event>),
    /// A model is asked.
    Ask(Purpose),
}

/// The next thing that is tried for a step.
pub fn next(state: &State, index: StepIndex, inputs: &Inputs<'_>) -> RecoveryStep {
    let (Some(step), Some(goal_state)) = (state.step_at(index), state.goal.as_deref()) else {
        return RecoveryStep::Events(vec![]);
    };
    let Some(fault) = &step.fault else { return only_values(step, goal_state) };
    let failing_step = goal_state.recovery.ailments.get(&index).cloned().unwrap_or_default();
    let class = FaultClass::of(fault);
    let repeated = format!("{} {}", step.tool(), normalised(&fault.to_string()));
    let times = goal_state.recovery.repeats.get(&repeated).copied().unwrap_or_default();
    // What a rule changed since was no second try of the same.
    let eased = if class.is_eased_stepwise() { failing_step.eased } else { 0 };
    if class.is_hopeless() {
        return RecoveryStep::Events(vec![ended(step, false, "hopeless")]);
    }
    let full = state.brief().is_some_and(|brief| brief.manner.recovery == RecoveryMode::Full);
    let model = state.brief().is_some_and(|b| b.adviser(&reflect(step)).is_some());
    if class == FaultClass::Denied {
        // No other try of the same: only another plan can do without the call, or make one that is let through.
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
    let errand = if failing_step.repair_wanted { repair(step) } else { reflect(step) };
    if goal_state.is_unanswered(&errand) {
        return RecoveryStep::Events(vec![
            reflection_failed(step),
            ended(step, true, "no_reflection"),
        ]);
    }
    RecoveryStep::Ask(errand)
}

fn reflect(step: &Step) -> Purpose {
    Purpose::Reflect { step: step.plan.id.clone() }
}

fn repair(step: &Step) -> Purpose {
    Purpose::Repair { step: step.plan.id.clone() }
}

/// Nothing more is tried.
pub(super) fn ended(step: &Step, overall: bool, why: &str) -> Event {
    Event::RecoveryEnded { step: step.plan.id.clone(), overall, why: why.to_owned() }
}

/// A step that has not failed waits for the values that a model finds; without an answer it goes on as planned.
fn only_values(step: &Step, goal_state: &GoalState) -> RecoveryStep {
    let errand = Purpose::Infer { step: step.plan.id.clone() };
    let again = goal_state.unfit(&errand).is_some() && !goal_state.is_unanswered(&errand);
    if again { RecoveryStep::Ask(errand) } else { RecoveryStep::Events(vec![untouched(step)]) }
}

/// A step that only waited for values goes on as planned.
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
