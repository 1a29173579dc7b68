//! Tools that were proven useless for a task.
//!
//! - in: what happened so far
//! - out: the tools that never succeeded and failed in one way over and over
//! - never: blames a tool for what was sent to it, or for being busy

use crate::fault::class::FaultClass;
use crate::fault::repeat::normalised;
use crate::ids::ToolId;
use crate::state::State;
use crate::state::goal_log::LogLine;
use std::collections::{BTreeMap, BTreeSet};

/// So often a tool fails in one way before it is of no use.
const PROVEN: u32 = 2;

/// The tools that are of no use here.
pub fn tools(state: &State) -> BTreeSet<ToolId> {
    failing(state, PROVEN)
}

/// The tools that never succeeded and failed in one way at least so often.
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

/// Whether a failure is the tool's own: not one of its arguments, of the moment, or of the task.
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

/// Takes tools out that were proven useless, as long as something else is left; gives those that were.
pub(super) fn drop_useless(state: &State, tools: &mut BTreeSet<ToolId>) -> Vec<ToolId> {
    let useless: BTreeSet<ToolId> = self::tools(state).intersection(tools).cloned().collect();
    if useless.len() == tools.len() {
        return vec![];
    }
    tools.retain(|tool| !useless.contains(tool));
    useless.into_iter().collect()
}
