//! What becomes of a goal without a model, told before there is a task: a workflow, tools, or nothing.

use super::by_workflow::fill;
use super::planner::{LEAST_SURE, LexicalOutcome, LexicalQuery, plan};
use crate::offline::template::filled;
use praxis_core::ids::TaskId;
use praxis_core::journal::memory::RecalledTask;
use praxis_core::planner::FilledWorkflow;
use praxis_core::route::workflow::{Workflow, matching};

/// A workflow that somebody wrote is taken though tools alone would explain so much more of the goal.
const TRUSTED: u32 = 10;

/// The way that a goal would go.
#[derive(Clone, Debug)]
pub enum PlanPath<'a> {
    /// A workflow is followed.
    Workflow(&'a Workflow, FilledWorkflow),
    /// The plan of an earlier task is used again, if it is still found fit then.
    Again(TaskId),
    /// A plan is put together from tools; or there is none.
    Tools(LexicalOutcome),
}

/// The way of a goal. A stated intent is taken at its word.
pub fn foresee<'a>(
    wanted: &LexicalQuery<'_>,
    workflows: &'a [Workflow],
    stated: Option<&str>,
) -> PlanPath<'a> {
    let followed = match stated {
        Some(_) => meant(wanted, workflows, stated),
        None => workflow(wanted, workflows),
    };
    if let Some((workflow, filled)) = followed {
        return PlanPath::Workflow(workflow, filled);
    }
    again(wanted).map_or_else(|| PlanPath::Tools(plan(wanted)), PlanPath::Again)
}

/// The workflow of a stated intent, filled from the goal.
fn meant<'a>(
    wanted: &LexicalQuery<'_>,
    workflows: &'a [Workflow],
    stated: Option<&str>,
) -> Option<(&'a Workflow, FilledWorkflow)> {
    let (workflow, _) = matching(workflows, stated, None, wanted.goal)?;
    Some((workflow, fill(workflow, wanted)))
}

/// The workflow that the words of a goal tell, filled from them: one whose tools are all there, and that explains the goal
/// about as well as tools alone would.
pub fn workflow<'a>(
    wanted: &LexicalQuery<'_>,
    workflows: &'a [Workflow],
) -> Option<(&'a Workflow, FilledWorkflow)> {
    let (workflow, _) = matching(workflows, None, None, wanted.goal)?;
    let is_there = |tool| wanted.catalog.contains_key(tool);
    if !workflow.steps.iter().all(|step| is_there(&step.tool_id)) {
        return None;
    }
    let filled = fill(workflow, wanted);
    let sure = filled.sureness.percent;
    if sure < LEAST_SURE {
        return None;
    }
    // By their own words: what earlier tasks did may be this very workflow, and is no reason to leave it.
    let tools = match plan(&LexicalQuery { memories: &[], ..*wanted }) {
        LexicalOutcome::Ready(made) | LexicalOutcome::NeedParams(made) => made.sureness.percent,
        LexicalOutcome::NoPlan(_) => 0,
    };
    (sure + TRUSTED >= tools).then_some((workflow, filled))
}

/// The earlier task that was worded alike and whose plan is kept.
fn again(wanted: &LexicalQuery<'_>) -> Option<TaskId> {
    let fits = |memory: &&RecalledTask| {
        let plan = memory.case.plan.as_ref().filter(|_| memory.barred.is_none());
        plan.is_some_and(|plan| filled(plan, wanted.goal).is_some())
    };
    wanted.memories.iter().find(fits).map(|memory| memory.task.clone())
}
