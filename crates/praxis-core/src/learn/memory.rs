//! What earlier tasks taught, as a task recalls it: read once, recorded, and from then on part of its state.

use crate::ids::{TaskId, ToolId};
use crate::journal::memory::PlanBarred;
use crate::journal::memory::RecalledTask;
use crate::planner::Planner;
use crate::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// So many are recalled at most.
pub const MOST: usize = 20;
/// A goal that is less like it is not recalled, in thousandths.
const LEAST_LIKENESS: u32 = 250;
/// From this likeness on, what it taught is offered to whoever plans.
const OFFERED_FROM: u32 = 400;
/// From this likeness on, its plan comes with it.
const PLAN_FROM: u32 = 500;
/// A plan that is older is not used again.
const PLAN_LASTS_MS: u64 = 30 * 24 * 60 * 60 * 1000;
/// So many are offered at most.
const MOST_OFFERED: usize = 3;

/// Who recalls, and what for.
pub struct RecallQuery<'a> {
    /// What is wanted.
    pub goal: &'a str,
    /// Now.
    pub now: Timestamp,
    /// The task that the caller named: it comes, however little it is like.
    pub named: Option<&'a TaskId>,
    /// Who tells whether its plan fits the goal.
    pub planner: &'a dyn Planner,
}

/// What is kept of what was found: the state of a task stays small.
pub fn recalled(found: Vec<RecalledTask>, who: &RecallQuery<'_>) -> Vec<RecalledTask> {
    let is_named = |memory: &RecalledTask| who.named == Some(&memory.task);
    let (named, others): (Vec<RecalledTask>, Vec<RecalledTask>) =
        found.into_iter().partition(is_named);
    let near = others.into_iter().filter(|memory| memory.likeness >= LEAST_LIKENESS).take(MOST);
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
    // A plan that did not lead to the end may still be named; one that is too old may not.
    let is_barred = memory.barred.is_some() && (is_old || !is_named);
    let fits = memory.likeness >= PLAN_FROM
        || memory
            .case
            .plan
            .as_ref()
            .is_some_and(|plan| who.planner.filled(plan, who.goal).is_some());
    if is_barred || !(fits || is_named) {
        memory.case.plan = None;
    }
    if memory.likeness < OFFERED_FROM {
        memory.summary.clear();
    }
    memory
}

/// Those that whoever plans is told of.
pub fn offered(memories: &[RecalledTask]) -> impl Iterator<Item = &RecalledTask> {
    memories.iter().filter(|memory| memory.likeness >= OFFERED_FROM).take(MOST_OFFERED)
}

/// The share of what is recalled that used each tool. What is hardly like the goal has hardly a voice, however much
/// it agrees.
#[expect(clippy::cast_precision_loss, reason = "thousandths")]
pub fn voices(memories: &[RecalledTask]) -> BTreeMap<ToolId, f32> {
    let weight = |memory: &RecalledTask| memory.likeness as f32 / 1000.0;
    let nearest = memories.iter().map(weight).fold(0.0, f32::max);
    let all: f32 = memories.iter().map(weight).sum();
    let mut voices: BTreeMap<ToolId, f32> = BTreeMap::new();
    for memory in memories {
        let tools: BTreeSet<&ToolId> = memory.case.tools.iter().collect();
        for tool in tools {
            *voices.entry(tool.clone()).or_default() += nearest * weight(memory) / all;
        }
    }
    voices
}
