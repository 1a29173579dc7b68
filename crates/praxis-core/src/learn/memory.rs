//! What earlier tasks taught, as a task recalls it: read once, recorded, and from then on part of its state.

use super::case::Case;
use crate::ids::{TaskId, ToolId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// So many are recalled at most.
pub const MOST: usize = 20;
/// A goal that is less like it is not recalled, in thousandths.
const LEAST_LIKENESS: u32 = 250;
/// From this likeness on, what it taught is offered to whoever plans.
const OFFERED_FROM: u32 = 400;
/// From this likeness on, its plan comes with it.
const PLAN_FROM: u32 = 500;
/// So many are offered at most.
const MOST_OFFERED: usize = 3;

/// An earlier task that ended well, and how near its goal is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Which task.
    pub task: TaskId,
    /// How much of the present goal its goal says too, in thousandths.
    pub likeness: u32,
    /// The hash of the whole case, the plan too where that does not come with it.
    pub hash: String,
    /// What it taught, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What it did.
    pub case: Case,
}

/// What is kept of what was found: the state of a task stays small.
pub fn recalled(found: Vec<Memory>) -> Vec<Memory> {
    let near = found.into_iter().filter(|memory| memory.likeness >= LEAST_LIKENESS);
    let kept = near.map(|mut memory| {
        if memory.likeness < PLAN_FROM {
            memory.case.plan = None;
        }
        if memory.likeness < OFFERED_FROM {
            memory.summary.clear();
        }
        memory
    });
    kept.take(MOST).collect()
}

/// Those that whoever plans is told of.
pub fn offered(memories: &[Memory]) -> impl Iterator<Item = &Memory> {
    memories.iter().filter(|memory| memory.likeness >= OFFERED_FROM).take(MOST_OFFERED)
}

/// The share of what is recalled that used each tool. What is hardly like the goal has hardly a voice, however much
/// it agrees.
#[expect(clippy::cast_precision_loss, reason = "thousandths")]
pub fn voices(memories: &[Memory]) -> BTreeMap<ToolId, f32> {
    let weight = |memory: &Memory| memory.likeness as f32 / 1000.0;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::case::Template;

    fn memory(likeness: u32) -> Memory {
        let plan = Some(Template::default());
        let case = Case { goal: "g".to_owned(), tools: vec!["look".into()], plan };
        let (task, hash) = (format!("task_{likeness}").into(), case.hash());
        Memory { task, likeness, hash, summary: "s".to_owned(), case }
    }

    //
    #[test]
    fn what_is_hardly_like_a_goal_is_not_recalled_and_what_is_little_like_it_comes_without_a_plan()
    {
        let found = [1000, 500, 499, 400, 399, 250, 249].map(memory).to_vec();
        let kept = recalled(found);
        let told: Vec<(u32, bool, bool)> = kept
            .iter()
            .map(|it| (it.likeness, it.case.plan.is_some(), it.summary.is_empty()))
            .collect();
        assert_eq!(
            told,
            [
                (1000, true, false),
                (500, true, false),
                (499, false, false),
                (400, false, false),
                (399, false, true),
                (250, false, true)
            ]
        );
        let offered: Vec<u32> = offered(&kept).map(|memory| memory.likeness).collect();
        assert_eq!(offered, [1000, 500, 499], "no more than three");
        assert_eq!(recalled((0..30).map(|_| memory(900)).collect()).len(), MOST);
    }
}
