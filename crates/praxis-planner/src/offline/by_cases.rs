//! What goals like this one were served by.
//!
//! - in: earlier tasks that ended well, each with how near its goal is
//! - out: the tools that they agree on, in order, and the words that their goals share with this one
//! - never: follows a task that is little like it, or one whose tools are gone

use super::reading::RequestReading;
use crate::retrieve::cases::CaseIndex;
use crate::retrieve::words::words;
use crate::weights::WEIGHTS;
use praxis_core::call::tool::Toolbox;
use praxis_core::ids::{TaskId, ToolId};
use praxis_core::journal::memory::RecalledTask;
use std::collections::BTreeSet;

/// A task says something only if its goal says so much of this one, in thousandths.
const LEAST_LIKENESS: u32 = 600;

/// What like goals were served by.
pub struct Precedent {
    /// The tools, in order.
    pub tools: Vec<ToolId>,
    /// The tasks that speak for it most.
    pub tasks: Vec<TaskId>,
    /// The words of this goal that theirs have too.
    pub words: BTreeSet<String>,
}

/// What the tasks that are like a request agree on.
pub fn precedent(
    reading: &RequestReading,
    memories: &[RecalledTask],
    catalog: &Toolbox,
) -> Option<Precedent> {
    let is_whole =
        |memory: &&RecalledTask| memory.case.tools.iter().all(|it| catalog.contains_key(it));
    let near = memories.iter().filter(|memory| memory.likeness >= LEAST_LIKENESS);
    let near: Vec<&RecalledTask> = near.filter(is_whole).collect();
    let mut cases = CaseIndex::default();
    for memory in &near {
        cases.put(memory.task.as_str(), &memory.case.goal, memory.case.tools.clone());
    }
    let chain =
        cases.chain(&reading.text).filter(|chain| chain.sureness >= WEIGHTS.plans.least_agreed)?;
    let spoke = |memory: &&&RecalledTask| {
        chain.voices.iter().any(|(task, _)| task == memory.task.as_str())
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
