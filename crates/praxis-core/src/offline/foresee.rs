//! What becomes of a goal without a model, told before there is a task: a workflow, tools, or nothing.

use super::by_workflow::{Filled, fill};
use super::planner::{LEAST_SURE, Outcome, Wanted, plan};
use crate::ids::TaskId;
use crate::journal::memory::Memory;
use crate::offline::template::filled;
use crate::route::workflow::{Workflow, matching};

/// A workflow that somebody wrote is taken though tools alone would explain so much more of the goal.
const TRUSTED: u32 = 10;

/// The way that a goal would go.
#[derive(Clone, Debug)]
pub enum Way<'a> {
    /// A workflow is followed.
    Workflow(&'a Workflow, Filled),
    /// The plan of an earlier task is used again, if it is still found fit then.
    Again(TaskId),
    /// A plan is put together from tools; or there is none.
    Tools(Outcome),
}

/// The way of a goal. A stated intent is taken at its word.
pub fn foresee<'a>(
    wanted: &Wanted<'_>,
    workflows: &'a [Workflow],
    stated: Option<&str>,
) -> Way<'a> {
    let told = matching(workflows, stated, None, wanted.goal).map(|(workflow, _)| workflow);
    let whole = |workflow: &&Workflow| {
        workflow.steps.iter().all(|step| wanted.catalog.contains_key(&step.tool_id))
    };
    let Some(workflow) = told.filter(|it| stated.is_some() || whole(it)) else {
        return again(wanted).map_or_else(|| Way::Tools(plan(wanted)), Way::Again);
    };
    let filled = fill(workflow, wanted);
    if stated.is_some() {
        return Way::Workflow(workflow, filled);
    }
    // By their own words: what earlier tasks did may be this very workflow, and is no reason to leave it.
    let tools = match plan(&Wanted { memories: &[], ..*wanted }) {
        Outcome::Ready(made) | Outcome::NeedParams(made) => made.sureness.percent,
        Outcome::NoPlan(_) => 0,
    };
    let sure = filled.sureness.percent;
    if sure >= LEAST_SURE && sure + TRUSTED >= tools {
        Way::Workflow(workflow, filled)
    } else {
        again(wanted).map_or_else(|| Way::Tools(plan(wanted)), Way::Again)
    }
}

/// The earlier task that was worded alike and whose plan is kept.
fn again(wanted: &Wanted<'_>) -> Option<TaskId> {
    let fits = |memory: &&Memory| {
        let plan = memory.case.plan.as_ref().filter(|_| memory.barred.is_none());
        plan.is_some_and(|plan| filled(plan, wanted.goal).is_some())
    };
    wanted.memories.iter().find(fits).map(|memory| memory.task.clone())
}
