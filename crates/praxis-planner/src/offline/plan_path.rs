//! Predicts the path of a goal without a model, before a task exists: a workflow, an earlier plan, tools, or nothing.

use super::by_workflow::fill;
use super::planner::{LEAST_SURE, LexicalOutcome, LexicalQuery, plan};
use crate::offline::template::filled;
use praxis_core::ids::TaskId;
use praxis_core::journal::memory::RecalledTask;
use praxis_core::planner::FilledWorkflow;
use praxis_core::route::workflow::{Workflow, matching};

/// The number of percentage points by which tools may explain more of the goal before they are preferred to a
/// workflow.
const TRUSTED: u32 = 10;

/// The predicted path of a goal.
#[derive(Clone, Debug)]
pub enum PlanPath<'a> {
    /// The goal follows a workflow.
    Workflow(&'a Workflow, FilledWorkflow),
    /// The plan of an earlier task is reused, if it still passes the checks then.
    Again(TaskId),
    /// A lexical plan, or the reason for a refusal.
    Tools(LexicalOutcome),
}

/// Predicts the path of a goal. A stated intent determines the workflow.
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

/// Returns the workflow of a stated intent, filled from the goal.
fn meant<'a>(
    wanted: &LexicalQuery<'_>,
    workflows: &'a [Workflow],
    stated: Option<&str>,
) -> Option<(&'a Workflow, FilledWorkflow)> {
    let (workflow, _) = matching(workflows, stated, None, wanted.goal)?;
    Some((workflow, fill(workflow, wanted)))
}

/// Returns the workflow that the words of a goal match, filled from them. All its tools must exist, and it must
/// explain the goal about as well as tools alone.
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
    // Compared without earlier tasks: they may have followed this very workflow, which is no reason to leave it.
    let tools = match plan(&LexicalQuery { memories: &[], ..*wanted }) {
        LexicalOutcome::Ready(made) | LexicalOutcome::NeedParams(made) => made.sureness.percent,
        LexicalOutcome::NoPlan(_) => 0,
    };
    (sure + TRUSTED >= tools).then_some((workflow, filled))
}

/// Returns the earlier task with the same wording whose plan can be reused.
fn again(wanted: &LexicalQuery<'_>) -> Option<TaskId> {
    let fits = |memory: &&RecalledTask| {
        let plan = memory.case.plan.as_ref().filter(|_| memory.barred.is_none());
        plan.is_some_and(|plan| filled(plan, wanted.goal).is_some())
    };
    wanted.memories.iter().find(fits).map(|memory| memory.task.clone())
}
