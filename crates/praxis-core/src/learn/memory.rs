//! Earlier tasks that a task recalls: read once, recorded, and from then on part of its state.

use crate::ids::{TaskId, ToolId};
use crate::journal::memory::PlanBarred;
use crate::journal::memory::RecalledTask;
use crate::planner::Planner;
use crate::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of recalled tasks, besides the one that the caller named.
pub const MOST: usize = 20;
/// The least similarity of a recalled goal, in thousandths.
const LEAST_SIMILARITY: u32 = 250;
/// The least similarity at which a recalled experience is shown to the planning model.
const OFFERED_FROM: u32 = 400;
/// The similarity from which on a plan is recalled even if it cannot be filled from the goal.
const PLAN_FROM: u32 = 500;
/// The age beyond which a plan is not reused.
const PLAN_LASTS_MS: u64 = 30 * 24 * 60 * 60 * 1000;
/// The maximum number of experiences that are shown.
const MOST_OFFERED: usize = 3;

/// The goal and the context of a recall.
pub struct RecallQuery<'a> {
    /// The goal of the present task.
    pub goal: &'a str,
    /// The current time.
    pub now: Timestamp,
    /// The task that the caller named: it is recalled at any similarity.
    pub named: Option<&'a TaskId>,
    /// The planner, which checks if an earlier plan fits the goal.
    pub planner: &'a dyn Planner,
}

/// Filters and trims the tasks that were found, to keep the state of the task small.
pub fn recalled(found: Vec<RecalledTask>, who: &RecallQuery<'_>) -> Vec<RecalledTask> {
    let is_named = |memory: &RecalledTask| who.named == Some(&memory.task);
    let (named, others): (Vec<RecalledTask>, Vec<RecalledTask>) =
        found.into_iter().partition(is_named);
    let near = others.into_iter().filter(|memory| memory.similarity >= LEAST_SIMILARITY).take(MOST);
    named.into_iter().chain(near).map(|memory| kept(memory, who)).collect()
}

fn kept(mut memory: RecalledTask, who: &RecallQuery<'_>) -> RecalledTask {
    let is_named = who.named == Some(&memory.task);
    let is_old = memory.at.is_some_and(|at| who.now.since(at) > PLAN_LASTS_MS);
    if memory.case.plan.is_none() {
        memory.barred = None;
    } else if is_old {
        memory.barred = Some(PlanBarred::Old);
    }
    // A named task may lend a plan that failed before, but not one that is too old.
    let is_barred = memory.barred.is_some() && (is_old || !is_named);
    let fits = memory.similarity >= PLAN_FROM
        || memory
            .case
            .plan
            .as_ref()
            .is_some_and(|plan| who.planner.filled(plan, who.goal).is_some());
    if is_barred || !(fits || is_named) {
        memory.case.plan = None;
    }
    if memory.similarity < OFFERED_FROM {
        memory.summary.clear();
    }
    memory
}

/// Returns the recalled tasks that are shown to the planning model.
pub fn offered(memories: &[RecalledTask]) -> impl Iterator<Item = &RecalledTask> {
    memories.iter().filter(|memory| memory.similarity >= OFFERED_FROM).take(MOST_OFFERED)
}

/// Returns for each tool the share of recalled tasks that used it, weighted by similarity. The shares are scaled by
/// the highest similarity: tasks that are hardly similar count little even if they all agree.
#[expect(clippy::cast_precision_loss, reason = "thousandths")]
pub fn tool_votes(memories: &[RecalledTask]) -> BTreeMap<ToolId, f32> {
    let weight = |memory: &RecalledTask| memory.similarity as f32 / 1000.0;
    let nearest = memories.iter().map(weight).fold(0.0, f32::max);
    let all: f32 = memories.iter().map(weight).sum();
    let mut tool_votes: BTreeMap<ToolId, f32> = BTreeMap::new();
    for memory in memories {
        let tools: BTreeSet<&ToolId> = memory.case.tools.iter().collect();
        for tool in tools {
            *tool_votes.entry(tool.clone()).or_default() += nearest * weight(memory) / all;
        }
    }
    tool_votes
}
