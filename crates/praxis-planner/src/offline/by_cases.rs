//! Derives the tools for a request from similar goals of earlier tasks.
//!
//! - in: successful earlier tasks, each with the similarity of its goal
//! - out: the tools that they agree on, in order, and the words that their goals share with the request
//! - never: follows a task with low similarity, or one whose tools no longer exist

use super::reading::RequestReading;
use crate::retrieve::cases::CaseIndex;
use crate::retrieve::words::words;
use crate::weights::WEIGHTS;
use praxis_core::call::tool::Toolbox;
use praxis_core::ids::{TaskId, ToolId};
use praxis_core::journal::memory::RecalledTask;
use std::collections::BTreeSet;

/// The minimum similarity of an earlier task's goal, in thousandths.
const LEAST_SIMILARITY: u32 = 600;

/// The tools that served similar goals.
pub struct Precedent {
    /// The tools, in the order of their calls.
    pub tools: Vec<ToolId>,
    /// The earlier tasks that used exactly these tools.
    pub tasks: Vec<TaskId>,
    /// The words of the request that the goals of those tasks contain too.
    pub words: BTreeSet<String>,
}

/// Returns the tools that similar earlier tasks agree on; `None` if they agree too little.
pub fn precedent(
    reading: &RequestReading,
    memories: &[RecalledTask],
    catalog: &Toolbox,
) -> Option<Precedent> {
    let is_whole =
        |memory: &&RecalledTask| memory.case.tools.iter().all(|it| catalog.contains_key(it));
    let near = memories.iter().filter(|memory| memory.similarity >= LEAST_SIMILARITY);
    let near: Vec<&RecalledTask> = near.filter(is_whole).collect();
    let mut cases = CaseIndex::default();
    for memory in &near {
        cases.put(memory.task.as_str(), &memory.case.goal, memory.case.tools.clone());
    }
    let chain =
        cases.chain(&reading.text).filter(|chain| chain.sureness >= WEIGHTS.plans.least_agreed)?;
    let spoke = |memory: &&&RecalledTask| {
        chain.votes.iter().any(|(task, _)| task == memory.task.as_str())
            && memory.case.tools == chain.steps
    };
    let spoke: Vec<&RecalledTask> = near.iter().filter(spoke).copied().collect();
    let theirs: BTreeSet<String> =
        spoke.iter().flat_map(|memory| words(&memory.case.goal)).collect();
    let own = words(&reading.text).into_iter();
    Some(Precedent {
        tools: chain.steps,
        tasks: spoke.iter().map(|memory| memory.task.clone()).collect(),
        words: own.filter(|word| theirs.contains(word)).collect(),
    })
}
