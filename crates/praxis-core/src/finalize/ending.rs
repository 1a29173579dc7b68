//! Determines the ending of a goal when nothing is left to do.

use crate::ask::purpose::Purpose;
use crate::fault::Fault;
use crate::ids::StepId;
use crate::journal::outcome::TaskEnding;
use crate::state::goal_state::GoalState;
use crate::state::step::StepStatus;
use crate::state::{Phase, State};

/// Returns the ending of a goal that has no further work.
pub fn ending(state: &State, goal_state: &GoalState) -> TaskEnding {
    let fault = match &state.phase {
        Phase::Stopping(ending) | Phase::Finished(ending) => return ending.clone(),
        Phase::Empty | Phase::Planning => no_plan(state, goal_state),
        Phase::Executing | Phase::Reflecting => failed_steps(state).or_else(|| missed(goal_state)),
        Phase::Evaluating => judged(state, goal_state),
    };
    fault.map_or(TaskEnding::Completed, |fault| TaskEnding::Failed { fault })
}

/// Returns the reason why there is no plan.
fn no_plan(state: &State, goal_state: &GoalState) -> Option<Fault> {
    let purpose = if goal_state.planning.drafting.rest { Purpose::Replan } else { Purpose::Plan };
    if state.goal_spec().is_none_or(|spec| spec.model_for(&purpose).is_none()) {
        // The plan was made without a model and refused. Its problems are in its last revision.
        let refused = goal_state.planning.drafting.misses > 0;
        let fault = Fault::PlanRefused { problems: vec![] };
        return Some(if refused { fault } else { Fault::ModelNeeded });
    }
    if let Some(unfit) = goal_state.unfit(&purpose) {
        let repeated = unfit.problems.iter().any(|problem| problem.code == "plan_repeated");
        let problems = unfit.problems.clone();
        return Some(if repeated { Fault::PlanRepeated } else { Fault::PlanRefused { problems } });
    }
    let fault = goal_state.asks.unanswered.get(purpose.stage()).cloned();
    let fault = fault.map(|fault| Fault::ModelFailed { fault: Box::new(fault) });
    Some(fault.unwrap_or(Fault::PlanRefused { problems: vec![] }))
}

fn failed_steps(state: &State) -> Option<Fault> {
    let failed =
        state.steps.iter().filter(|step| !step.dropped && step.status == StepStatus::Error);
    let steps: Vec<StepId> = failed.map(|step| step.plan.id.clone()).collect();
    (!steps.is_empty()).then_some(Fault::StepsFailed { steps })
}

fn missed(goal_state: &GoalState) -> Option<Fault> {
    let judgement = goal_state.evaluation.judgement.as_ref()?;
    let (score, failures) = (judgement.scores.overall(), judgement.failures.clone());
    Some(Fault::GoalMissed { score, failures })
}

/// Returns the fault of a judged task. It has one if it was ended early with something missing, or if its answer
/// lacks the required form.
fn judged(state: &State, goal_state: &GoalState) -> Option<Fault> {
    if goal_state.evaluation.settle {
        let well = goal_state
            .evaluation
            .judgement
            .as_ref()
            .is_some_and(|judgement| judgement.is_successful);
        let whole = well && !goal_state.evaluation.cut_short;
        let given_up = Fault::GivenUp { reason: "ended with what was there".to_owned() };
        return (!whole).then_some(given_up);
    }
    let wants_form = state.goal_spec().is_some_and(|spec| spec.output_schema.is_some());
    let unfit = goal_state.unfit(&Purpose::Report).map(|unfit| unfit.problems.clone());
    let missing = wants_form && goal_state.evaluation.answer.is_none();
    missing.then(|| Fault::AnswerUnfit { problems: unfit.unwrap_or_default() })
}
