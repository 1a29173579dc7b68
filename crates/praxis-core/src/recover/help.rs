//! Helps a failed step: the class of its failure first, then a model, then a person, then the whole plan.
//!
//! - in: a step that ails
//! - out: a changed step, a call to a model, a question, or the end of recovery
//! - never: tries the same again after it failed twice in the same way

use super::ailment::Rung;
use super::infer::{another_choice, missing_values};
use super::reflect::reflection_failed;
use super::remedy::remedy;
use crate::ask::errand::Errand;
use crate::dataflow::context::StepIndex;
use crate::execute::start::{Inputs, ask_for};
use crate::execute::step::Step;
use crate::fault::class::Class;
use crate::fault::repeat::normalised;
use crate::goal::brief::Recovery;
use crate::goal::course::Course;
use crate::journal::event::Event;
use crate::state::State;
use std::collections::BTreeMap;

/// From so many failures in one way on, nothing more is tried.
const SAME_FAILURES: u32 = 2;

/// The next thing that is tried for a step.
pub fn events(state: &State, index: StepIndex, inputs: &Inputs<'_>) -> Vec<Event> {
    let (Some(step), Some(course)) = (state.step_at(index), state.goal.as_deref()) else {
        return vec![];
    };
    let Some(fault) = &step.fault else { return only_values(state, step, course, inputs) };
    let ailment = course.ailments.get(&index).cloned().unwrap_or_default();
    let class = Class::of(fault);
    let repeated = format!("{} {}", step.tool(), normalised(&fault.to_string()));
    let times = course.repeats.get(&repeated).copied().unwrap_or_default();
    // What a rule changed since was no second try of the same.
    let eased = if class.is_eased_stepwise() { ailment.eased } else { 0 };
    if class.is_hopeless() {
        return vec![ended(step, false, "hopeless")];
    }
    let full = state.brief().is_some_and(|brief| brief.manner.recovery == Recovery::Full);
    let model = state.brief().is_some_and(|b| b.adviser(&reflect(step)).is_some());
    if class == Class::Denied {
        // No other try of the same: only another plan can do without the call, or make one that is let through.
        return vec![ended(step, full && model, "denied")];
    }
    if let Some(amended) = remedy(state, step, (fault, &ailment), inputs) {
        return vec![amended];
    }
    if let Some(events) = missing_values(state, step, &ailment, inputs) {
        return events;
    }
    if times.saturating_sub(eased) >= SAME_FAILURES {
        return vec![ended(step, full && model, "repeated")];
    }
    if !full || !model {
        let asked = another_choice(state, step, inputs);
        return asked.unwrap_or_else(|| vec![ended(step, false, "no_model")]);
    }
    let errand = if ailment.repair_wanted { repair(step) } else { reflect(step) };
    if course.is_unanswered(&errand) {
        return vec![reflection_failed(step), ended(step, true, "no_reflection")];
    }
    ask_for(state, &errand, inputs)
}

fn reflect(step: &Step) -> Errand {
    Errand::Reflect { step: step.plan.id.clone() }
}

fn repair(step: &Step) -> Errand {
    Errand::Repair { step: step.plan.id.clone() }
}

/// Nothing more is tried.
pub(super) fn ended(step: &Step, overall: bool, why: &str) -> Event {
    Event::RecoveryEnded { step: step.plan.id.clone(), overall, why: why.to_owned() }
}

/// A step that has not failed waits for the values that a model finds; without an answer it goes on as planned.
fn only_values(state: &State, step: &Step, course: &Course, inputs: &Inputs<'_>) -> Vec<Event> {
    let errand = Errand::Infer { step: step.plan.id.clone() };
    let again = course.unfit(&errand).is_some() && !course.is_unanswered(&errand);
    if again { ask_for(state, &errand, inputs) } else { vec![untouched(step)] }
}

/// A step that only waited for values goes on as planned.
fn untouched(step: &Step) -> Event {
    Event::StepAmended {
        step: step.plan.id.clone(),
        rung: Rung::Inference,
        tool: None,
        parameters: None,
        set: BTreeMap::new(),
        why: "as planned".to_owned(),
        by: String::new(),
    }
}
