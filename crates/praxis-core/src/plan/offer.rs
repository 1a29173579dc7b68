//! Selects the tools that a prompt has room for: as signatures for planning, in brief for a selection.
//!
//! - in: the catalog, and the tools that retrieval finds for the goal
//! - out: the tools that are shown
//! - never: leaves out a tool that fits the goal in favour of one that does not

use super::retrieved;
use crate::ask::purpose::Purpose;
use crate::call::tool::Tool;
use crate::ids::ToolId;
use crate::inputs::Inputs;
use crate::library::Library;
use crate::state::State;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The share of a model's context that tools may take, in percent.
const TOOLS_SHARE: u64 = 40;
/// The number of tools up to which all are sent: a selection would save nothing and could miss one.
const FEW_TOOLS: usize = 15;
/// The total tokens of all signatures up to which all tools are sent.
const FEW_TOKENS: u64 = 2_000;

/// The number of matches below which retrieval is not trusted: a single shared word may be chance.
const ENOUGH: usize = 10;

/// Returns true if all tools are sent without a selection: they are few or short, and fit into the prompt.
pub(super) fn is_small(state: &State, inputs: &Inputs<'_>, library: &Library) -> bool {
    let room = room(state, &Purpose::Plan);
    let few = library.catalog.len() <= FEW_TOOLS;
    let most = if few { room } else { room.min(FEW_TOKENS) };
    let mut used = 0;
    library.catalog.values().all(|tool| {
        used += inputs.tokens.count(&library.signature(tool));
        used <= most
    })
}

/// Returns the tokens that tools may take in the prompt of a purpose.
fn room(state: &State, purpose: &Purpose) -> u64 {
    let adviser = state.goal_spec().and_then(|brief| brief.model_for(purpose));
    adviser.map_or(u64::MAX, |adviser| adviser.context.saturating_mul(TOOLS_SHARE) / 100)
}

/// Returns all tools; if not all fit, the best matches first, then others by name.
pub(super) fn fitting(state: &State, inputs: &Inputs<'_>, library: &Library) -> BTreeSet<ToolId> {
    let price = |tool: &Arc<Tool>| inputs.tokens.count(&library.signature(tool));
    let (whole, room): (u64, u64) =
        (library.catalog.values().map(price).sum(), room(state, &Purpose::Plan));
    if whole <= room {
        return library.catalog.keys().cloned().collect();
    }
    let best = retrieved::find(state, inputs).into_iter().map(|one| one.tool);
    let (mut used, mut tools) = (0, BTreeSet::new());
    for id in best.chain(library.catalog.keys().cloned()) {
        let fits = |price: u64| used + price <= room;
        let price = library.catalog.get(&id).filter(|_| !tools.contains(&id)).map(price);
        if let Some(price) = price.filter(|price| fits(*price)) {
            used += price;
            tools.insert(id);
        }
    }
    tools
}

/// Returns the tools for an unusable selection of a model: the best matches if there are enough, else all that fit.
pub(super) fn fallback_tools(
    state: &State,
    inputs: &Inputs<'_>,
    library: &Library,
) -> BTreeSet<ToolId> {
    let found =
        if is_small(state, inputs, library) { vec![] } else { retrieved::find(state, inputs) };
    let best = retrieved::worth(&found, retrieved::WIDE, (library, inputs.tokens));
    let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
    let enough = retrieved::is_sure(goal, &found, inputs.planner) || best.len() >= ENOUGH;
    if enough { best } else { fitting(state, inputs, library) }
}

/// Returns the tools that a model selects from, by name: in a large catalog the best matches, the tools of the
/// caller's intent and those that were selected before.
pub(super) fn shown<'a>(state: &State, inputs: &Inputs<'_>, library: &'a Library) -> Vec<&'a Tool> {
    let names = library.catalog.keys();
    if library.catalog.len() <= retrieved::MOST_SHOWN {
        return names.filter_map(|id| library.tool(id)).collect();
    }
    let found = retrieved::find(state, inputs);
    if found.len() < ENOUGH {
        // Hardly a word is shared: the model has to see all tools, as far as there is room.
        let room = room(state, &Purpose::Select);
        let mut used = 0;
        let lines = names.filter_map(|id| library.tool(id));
        let fits = |tool: &&Tool| {
            used += inputs.tokens.count(&library.brief(tool));
            used <= room
        };
        return lines.take_while(fits).collect();
    }
    let intent = state.goal_spec().and_then(|brief| brief.intent.as_deref());
    let named = intent.into_iter().flat_map(|intent| library.tools_of_kind(intent));
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    let chosen = chosen.into_iter().flat_map(|chosen| chosen.tools.iter().cloned());
    let found = found.into_iter().map(|one| one.tool);
    let mut ids: BTreeSet<ToolId> =
        found.chain(named.take(retrieved::MOST_SHOWN)).chain(chosen).collect();
    for id in names {
        if ids.len() >= retrieved::MOST_SHOWN {
            break;
        }
        ids.insert(id.clone());
    }
    ids.iter().filter_map(|id| library.tool(id)).collect()
}
