//! What retrieval says of the tools that a goal needs, before any model is asked.
//!
//! - in: the words of a goal or of a need, and the catalog that the task is pinned to
//! - out: the tools that fit, the best first; whether that is clear enough; those that are worth their tokens
//! - never: gives another answer for the same words and the same catalog

use super::prompt_room::{PromptRoom, choose};
use crate::ask::tokens::TokenCounter;
use crate::ids::ToolId;
use crate::inputs::Inputs;
use crate::journal::selection::ToolCandidate;
use crate::learn::memory;
use crate::library::Library;
use crate::planner::{FoundTool, Planner, ToolSearch, thousandths};
use crate::prompt::signature::signature;
use crate::state::State;
use std::collections::BTreeSet;

/// A model chooses among so many.
pub const MOST_SHOWN: usize = 30;
/// So many are written down with a choice.
const MOST_RECORDED: usize = 20;
/// The room for tools in the prompt of a plan, where the words say clearly which.
pub const ROOM: PromptRoom = PromptRoom { least: 3, most: 20, tokens: 2_000 };
/// The same where nobody could say which: rather too many than too few.
pub const WIDE: PromptRoom = PromptRoom { least: 20, most: 30, tokens: 4_000 };
/// From this share of near past cases on, what they used is clear.
const CLEAR_VOTE: f32 = 0.6;
/// So many tools always fit: what comes behind them must be worth clearly less.
const CROWD: usize = 10;
/// A tool behind the crowd that has more than this share of the best score could as well be meant.
const MOST_BEHIND: f32 = 0.6;
/// So much of what a goal says the tools must know of; the rest are values and manners of speaking. With these bounds
/// all tools that are needed are among the chosen ones in 99 of 100 public requests over 30 to 100 tools, and in 95 over
/// thousands, and one request in ten goes to a model.
const LEAST_KNOWN: f32 = 0.4;
/// A single word may be shared by chance.
const LEAST_SHARED: usize = 2;
/// So many tools are added for one need.
const MOST_FOR_A_NEED: usize = 3;
/// A tool that fits a need less than this share of the best is left out.
const NEAR: f32 = 0.5;

/// The tools that fit a goal, the best first.
pub fn find(state: &State, inputs: &Inputs<'_>) -> Vec<FoundTool> {
    let (Some(library), Some(search)) = (inputs.library, inputs.search()) else { return vec![] };
    let memories =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.memories.as_deref());
    let mut voices = memory::voices(memories.unwrap_or_default());
    // What is gone since then cannot be chosen.
    voices.retain(|tool, _| library.catalog.contains_key(tool));
    search.find_beside(&asked(state), MOST_SHOWN, &voices)
}

/// What is looked for: the goal; with it the work that it goes on with, and what was learnt from a plan that failed.
fn asked(state: &State) -> String {
    let goal = state.submission.as_ref().map(|submission| submission.goal.as_str());
    let past = state.brief().and_then(|brief| brief.past.as_deref());
    let past = past.filter(|_| !state.steps.is_empty()).map(|past| past.goal.as_str());
    let goal_state = state.goal.as_deref().filter(|goal_state| goal_state.planning.drafting.rest);
    let reflection = goal_state.map(|goal_state| goal_state.recovery.said_last.reflection.as_str());
    [goal, past, reflection].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Whether the words of a goal say clearly enough which tools it needs, so that no model has to be asked: near past
/// cases agree; or the tools know two fifths of what the goal says, and those behind the first ten fit clearly less.
pub fn is_sure(goal: &str, found: &[FoundTool], planner: &dyn Planner) -> bool {
    let Some(best) = found.first() else { return false };
    best.because.cases >= CLEAR_VOTE
        || (is_known(&planner.words(goal), found) && !is_crowded(found))
}

/// Whether the best tools know enough of what a goal says.
#[expect(clippy::cast_precision_loss, reason = "words of a goal")]
fn is_known(said: &[String], found: &[FoundTool]) -> bool {
    let said: BTreeSet<&String> = said.iter().collect();
    let best = found.iter().take(CROWD).flat_map(|one| &one.because.words);
    let known: BTreeSet<&String> = best.collect();
    let shared = said.iter().filter(|word| known.contains(**word)).count();
    shared >= LEAST_SHARED && shared as f32 / said.len().max(1) as f32 >= LEAST_KNOWN
}

/// Whether more tools fit about as well as the best than are sent.
fn is_crowded(found: &[FoundTool]) -> bool {
    let best = found.iter().map(|one| one.score).fold(0.0, f32::max);
    found.iter().filter(|one| one.score > MOST_BEHIND * best).count() > CROWD
}

/// The tools that are worth their tokens; the best one is, however long it is.
pub fn worth(
    found: &[FoundTool],
    room: PromptRoom,
    (library, tokens): (&Library, &dyn TokenCounter),
) -> BTreeSet<ToolId> {
    let price = |tool: &ToolId| library.tool(tool).map_or(0, |it| tokens.count(&signature(it)));
    let best = found.first().map(|one| one.tool.clone());
    choose(found, room, price).into_iter().chain(best).collect()
}

/// What was found, as it is written down.
pub fn recorded(found: &[FoundTool]) -> Vec<ToolCandidate> {
    let candidate = |one: &FoundTool| ToolCandidate {
        tool: one.tool.clone(),
        score: thousandths(one.score),
        words: one.because.words.clone(),
        cases: thousandths(one.because.cases),
        brings_for: one.because.brings_for.clone(),
    };
    found.iter().take(MOST_RECORDED).map(candidate).collect()
}

/// The few tools that fit a need that a model named: its second chance.
pub fn for_need(search: &dyn ToolSearch, need: &str) -> Vec<ToolId> {
    let found = search.find(need, MOST_SHOWN);
    let Some(best) = found.first() else { return vec![] };
    let near = found.iter().filter(|one| one.score >= NEAR * best.score);
    let near: Vec<ToolId> = near.map(|one| one.tool.clone()).collect();
    // One word that several tools share says nothing; one that a single tool has is what is near.
    let vague = best.because.words.len() < 2 && near.len() > 1;
    near.into_iter().take(if vague { 0 } else { MOST_FOR_A_NEED }).collect()
}
