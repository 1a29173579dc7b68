//! How a goal ends, when nothing is left to be done.

use crate::ask::errand::Purpose;
use crate::fault::Fault;
use crate::ids::StepId;
use crate::journal::outcome::TaskEnding;
use crate::state::course::GoalState;
use crate::state::step::StepStatus;
use crate::state::{Phase, State};

/// The ending of a goal whose course is over.
pub fn ending(state: &State, course: &GoalState) -> TaskEnding {
    let fault = match &state.phase {
        Phase::Stopping(ending) | Phase::Finished(ending) => return ending.clone(),
        Phase::Empty | Phase::Planning => no_plan(state, course),
        Phase::Executing | Phase::Reflecting => failed_steps(state).or_else(|| missed(course)),
        Phase::Evaluating => judged(state, course),
    };
    fault.map_or(TaskEnding::Completed, |fault| TaskEnding::Failed { fault })
}

/// Why there is no plan.
fn no_plan(state: &State, course: &GoalState) -> Option<Fault> {
    let errand = if course.planning.drafting.rest { Purpose::Replan } else { Purpose::Plan };
    if state.brief().is_none_or(|brief| brief.adviser(&errand).is_none()) {
        // A plan that the rules made and that was refused: what is wrong with it stands in its last revision.
        let refused = course.planning.drafting.misses > 0;
        let fault = Fault::PlanRefused { problems: vec![] };
        return Some(if refused { fault } else { Fault::ModelNeeded });
    }
    if let Some(unfit) = course.unfit(&errand) {
        let repeated = unfit.problems.iter().any(|problem| problem.code == "plan_repeated");
        let problems = unfit.problems.clone();
        return Some(if repeated { Fault::PlanRepeated } else { Fault::PlanRefused { problems } });
    }
    let fault = course.asks.unanswered.get(errand.stage()).cloned();
    let fault = fault.map(|fault| Fault::ModelFailed { fault: Box::new(fault) });
    Some(fault.unwrap_or(Fault::PlanRefused { problems: vec![] }))
}

fn failed_steps(state: &State) -> Option<Fault> {
    let failed =
        state.steps.iter().filter(|step| !step.dropped && step.status == StepStatus::Error);
    let steps: Vec<StepId> = failed.map(|step| step.plan.id.clone()).collect();
    (!steps.is_empty()).then_some(Fault::StepsFailed { steps })
}

fn missed(course: &GoalState) -> Option<Fault> {
    let judgement = course.evaluation.judgement.as_ref()?;
    let (score, failures) = (judgement.scores.overall(), judgement.failures.clone());
    Some(Fault::GoalMissed { score, failures })
}

/// A judged task is complete unless it was ended early with something missing, or its answer has another form.
fn judged(state: &State, course: &GoalState) -> Option<Fault> {
    if course.evaluation.settle {
        let well =
            course.evaluation.judgement.as_ref().is_some_and(|judgement| judgement.is_successful);
        let whole = well && !course.evaluation.cut_short;
        let given_up = Fault::GivenUp { reason: "ended with what was there".to_owned() };
        return (!whole).then_some(given_up);
    }
    let wants_form = state.brief().is_some_and(|brief| brief.output_schema.is_some());
    let unfit = course.unfit(&Purpose::Report).map(|unfit| unfit.problems.clone());
    let missing = wants_form && course.evaluation.answer.is_none();
    missing.then(|| Fault::AnswerUnfit { problems: unfit.unwrap_or_default() })
}
