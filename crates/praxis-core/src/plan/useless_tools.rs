//! Finds tools that have proven useless for a task.
//!
//! - in: the log of the goal
//! - out: the tools that never succeeded and repeatedly failed in the same way
//! - never: blames a tool for its arguments or for a rate limit

use crate::fault::class::FaultClass;
use crate::fault::repeat::normalised;
use crate::ids::ToolId;
use crate::state::State;
use crate::state::goal_log::LogLine;
use std::collections::{BTreeMap, BTreeSet};

/// The number of equal failures after which a tool is useless.
const PROVEN: u32 = 2;

/// Returns the tools that are useless for this task.
pub fn tools(state: &State) -> BTreeSet<ToolId> {
    failing(state, PROVEN)
}

/// Returns the tools that never succeeded and failed in the same way at least `least` times.
pub fn failing(state: &State, least: u32) -> BTreeSet<ToolId> {
    let mut failures: BTreeMap<(&ToolId, String), u32> = BTreeMap::new();
    let mut useful: BTreeSet<&ToolId> = BTreeSet::new();
    for line in state.goal.iter().flat_map(|goal_state| &goal_state.log.lines) {
        if let LogLine::Succeeded { tool, .. } = line {
            useful.insert(tool);
        } else if let LogLine::Failed { tool, fault, .. } = line
            && is_its_own(FaultClass::of(fault))
        {
            *failures.entry((tool, normalised(&fault.to_string()))).or_default() += 1;
        }
    }
    let proven = failures.into_iter().filter(|(_, times)| *times >= least);
    let tools = proven.map(|((tool, _), _)| tool).filter(|tool| !useful.contains(tool));
    tools.cloned().collect()
}

/// Returns true if the failure is the tool's own, not one of its arguments, of a rate limit or of the task.
fn is_its_own(class: FaultClass) -> bool {
    match class {
        FaultClass::ToolUnknown
        | FaultClass::Timeout
        | FaultClass::Transient
        | FaultClass::Auth
        | FaultClass::TooLarge
        | FaultClass::SemanticBad
        | FaultClass::Unknown => true,
        FaultClass::MissingParam
        | FaultClass::Format
        | FaultClass::EnumInvalid
        | FaultClass::UnresolvedRef
        | FaultClass::NotFound
        | FaultClass::EmptyResult
        | FaultClass::RateLimited
        | FaultClass::SideEffectUnknown
        | FaultClass::Denied
        | FaultClass::Ended => false,
    }
}

/// Removes useless tools as long as others are left, and returns the removed ones.
pub(super) fn drop_useless(state: &State, tools: &mut BTreeSet<ToolId>) -> Vec<ToolId> {
    let useless: BTreeSet<ToolId> = self::tools(state).intersection(tools).cloned().collect();
    if useless.len() == tools.len() {
        return vec![];
    }
    tools.retain(|tool| !useless.contains(tool));
    useless.into_iter().collect()
}
