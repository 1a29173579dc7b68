//! The promise of a plan: the answer that its outputs will give, and the checks that must hold for it.
//!
//! - in: `answer` and `checks` of a plan; later the outputs
//! - out: a judgement and an answer in which every value has an origin, without another model call
//! - never: judges a task in which a step failed or a person helped, or in which a value was inferred, is empty or is
//!   missing from the answer

use super::judge;
use super::result::last_steps;
use crate::call::not_empty::is_empty;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::{LoadedBlobs, OnUnresolved, blobs_needed, resolve};
use crate::dataflow::template::{ParameterTemplate, Placeholder};
use crate::goal::spec::JudgingMode;
use crate::intake::rename::{self, StepRenames};
use crate::journal::event::Event;
use crate::journal::judgement::{Judge, Judgement};
use crate::journal::promise::PlanPromise;
use crate::journal::promise::PromiseCheck;
use crate::mask::is_secret_key;
use crate::state::State;
use crate::state::step::{Step, StepStatus};
use serde_json::Value;

/// The largest number of checks in a plan.
const MOST_CHECKS: usize = 32;

/// Reads the promise from a plan that a model wrote and replaces its step names by ours. Returns `None` if it has no
/// valid promise.
pub fn read(plan: &Value, names: &StepRenames) -> Option<Box<PlanPromise>> {
    let ours = |written: &Value| {
        let mut written = written.clone();
        rename::parameters(&mut written, names);
        written
    };
    let answer = ours(plan.get("answer")?).as_str()?.trim().to_owned();
    let written = plan.get("checks").map(ours).unwrap_or_default();
    let checks = written.as_array().map_or(&[][..], Vec::as_slice);
    let fits = !answer.is_empty() && checks.len() <= MOST_CHECKS;
    let checks = checks.iter().map(|check| serde_json::from_value(check.clone()).ok());
    let checks: Option<Vec<PromiseCheck>> = checks.collect();
    checks.filter(|_| fits).map(|checks| Box::new(PlanPromise { answer, checks }))
}

/// Returns true if the promise is kept, so that no model has to judge.
pub fn is_kept(state: &State) -> bool {
    kept(state).is_some()
}

/// Returns the judgement and the answer if the promise is kept.
pub fn events(state: &State) -> Option<Vec<Event>> {
    let (answer, checks) = kept(state)?;
    let judgement = Judgement { by: Judge::Plan, successes: checks, ..judge::of_steps(state) };
    let answer = judge::given(answer.into(), "plan", String::new());
    Some(vec![Event::TaskJudged(Box::new(judgement)), answer])
}

/// Returns the answer with its values filled in, and the checks that hold.
fn kept(state: &State) -> Option<(String, Vec<String>)> {
    let (goal_state, spec) = (state.goal.as_deref()?, state.goal_spec()?);
    let counts = spec.manner.judging == JudgingMode::Auto && spec.output_schema.is_none();
    let promise = goal_state.planning.promise.as_deref().filter(|_| counts)?;
    let steps = || state.steps.iter().filter(|step| !step.dropped);
    let smooth = goal_state.recovery.ailments.is_empty()
        && !goal_state.evaluation.settle
        && !goal_state.recovery.helped;
    let certain = |step: &Step| {
        step.status == StepStatus::Success && step.given.values().all(|given| given.rung.is_none())
    };
    if !smooth || !steps().all(certain) {
        return None;
    }
    let (answer, mut read) = value(state, &promise.answer)?;
    let mut held = Vec::new();
    for check in &promise.checks {
        let (found, steps) = value(state, &check.value)?;
        read.extend(steps);
        held.push(check.holds(&found)?);
    }
    let told = |step: &Step| {
        state.context.index_of(step.plan.id.as_str()).is_some_and(|index| read.contains(&index))
    };
    let whole = steps().next().is_some() && last_steps(state).all(told);
    whole.then(|| (text(&answer), held))
}

/// Resolves a text with placeholders and returns the steps that it reads. Returns `None` if a value is missing,
/// empty, in a blob, or a secret.
fn value(state: &State, written: &str) -> Option<(Value, Vec<StepIndex>)> {
    let template = ParameterTemplate::parse(&Value::from(written), &state.context);
    let mut sound = blobs_needed(&template, &state.context).is_empty();
    template.each_placeholder(&mut |one: &Placeholder| {
        let alone = ParameterTemplate::Whole(one.clone());
        let found = resolve(&alone, &state.context, &LoadedBlobs::new(), OnUnresolved::Error);
        let there = found.is_ok_and(|found| found.holes.is_empty() && !is_empty(&found.value));
        sound &= there && !one.source.split(['.', '[', ' ', '}']).any(is_secret_key);
    });
    let found = resolve(&template, &state.context, &LoadedBlobs::new(), OnUnresolved::Error);
    let found = found.ok().filter(|found| sound && found.holes.is_empty())?;
    Some((found.value, template.steps_read()))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl PromiseCheck {
    /// Returns the check in words if it holds.
    fn holds(&self, found: &Value) -> Option<String> {
        let said = text(found);
        let number = found.as_f64().or_else(|| said.trim().parse().ok());
        let equal = self.is.as_ref().is_none_or(|is| is.trim() == said.trim());
        let enough = self.at_least.is_none_or(|least| number.is_some_and(|n| n >= least));
        let not_more = self.at_most.is_none_or(|most| number.is_some_and(|n| n <= most));
        let shown: String = said.chars().take(80).collect();
        let looked_at = self.value.trim_matches(['{', '}']);
        (equal && enough && not_more).then(|| format!("{looked_at} = {shown}"))
    }
}
