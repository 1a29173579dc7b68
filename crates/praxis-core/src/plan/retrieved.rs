//! Finds the tools for a goal by retrieval, before any model is asked.
//!
//! - in: the words of a goal or of a need, and the pinned catalog
//! - out: the matching tools, best first; the verdict on the clarity of the match; the tools worth their tokens
//! - never: returns different tools for the same words, recalled tasks and catalog

use super::prompt_room::{PromptRoom, choose};
use crate::ask::tokens::TokenCounter;
use crate::ids::ToolId;
use crate::inputs::Inputs;
use crate::journal::selection::ToolCandidate;
use crate::learn::memory;
use crate::library::Library;
use crate::planner::{FoundTool, Planner, ToolSearch, thousandths};
use crate::state::State;
use std::collections::BTreeSet;

/// The maximum number of tools that a model selects from.
pub const MOST_SHOWN: usize = 30;
/// The maximum number of matches that a selection records.
const MOST_RECORDED: usize = 20;
/// The room for tools in a planning prompt if retrieval is sure.
pub const ROOM: PromptRoom = PromptRoom { least: 3, most: 20, tokens: 2_000 };
/// The room for tools if a model's selection is unusable: rather too many than too few.
pub const WIDE: PromptRoom = PromptRoom { least: 20, most: 30, tokens: 4_000 };
/// The share of similar past tasks at which their tools are taken without asking a model.
const CLEAR_VOTE: f32 = 0.6;
/// The number of top tools that the prompt has room for: the tools behind them must score clearly lower.
const CROWD: usize = 10;
/// The share of the best score above which a tool behind the crowd could be meant as well.
const MOST_BEHIND: f32 = 0.6;
/// The share of the goal's words that the tools must know; the rest are values and phrasing. With these bounds all
/// needed tools are among the selected ones in 99 of 100 public requests over 30 to 100 tools, and in 95 over
/// thousands, and one request in ten goes to a model.
const LEAST_KNOWN: f32 = 0.4;
/// The least number of shared words: a single one may be shared by chance.
const LEAST_SHARED: usize = 2;
/// The maximum number of tools that are added for one need.
const MOST_FOR_A_NEED: usize = 3;
/// The share of the best score below which a tool does not fit a need.
const NEAR: f32 = 0.5;

/// Returns the tools that match the goal, best first.
pub fn find(state: &State, inputs: &Inputs<'_>) -> Vec<FoundTool> {
    let (Some(library), Some(search)) = (inputs.library, inputs.search()) else { return vec![] };
    let memories =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.memories.as_deref());
    let mut tool_votes = memory::tool_votes(memories.unwrap_or_default());
    // A recalled task may have used tools that the catalog no longer has.
    tool_votes.retain(|tool, _| library.catalog.contains_key(tool));
    search.find_beside(&asked(state), MOST_SHOWN, &tool_votes)
}

/// Returns the search text: the goal, the goal of the work that it continues, and the reflection on a failed plan.
fn asked(state: &State) -> String {
    let goal = state.submission.as_ref().map(|submission| submission.goal.as_str());
    let past = state.goal_spec().and_then(|spec| spec.past.as_deref());
    let past = past.filter(|_| !state.steps.is_empty()).map(|past| past.goal.as_str());
    let goal_state = state.goal.as_deref().filter(|goal_state| goal_state.planning.drafting.rest);
    let reflection = goal_state.map(|goal_state| goal_state.recovery.said_last.reflection.as_str());
    [goal, past, reflection].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Returns true if retrieval alone identifies the tools: similar past tasks agree, or the tools know two fifths of
/// the goal's words and those behind the first ten score clearly lower.
pub fn is_sure(goal: &str, found: &[FoundTool], planner: &dyn Planner) -> bool {
    let Some(best) = found.first() else { return false };
    best.because.cases >= CLEAR_VOTE
        || (is_known(&planner.words(goal), found) && !is_crowded(found))
}

/// Returns true if the best tools know enough of the goal's words.
#[expect(clippy::cast_precision_loss, reason = "words of a goal")]
fn is_known(said: &[String], found: &[FoundTool]) -> bool {
    let said: BTreeSet<&String> = said.iter().collect();
    let best = found.iter().take(CROWD).flat_map(|one| &one.because.words);
    let known: BTreeSet<&String> = best.collect();
    let shared = said.iter().filter(|word| known.contains(**word)).count();
    shared >= LEAST_SHARED && shared as f32 / said.len().max(1) as f32 >= LEAST_KNOWN
}

/// Returns true if more than `CROWD` tools score about as high as the best one.
fn is_crowded(found: &[FoundTool]) -> bool {
    let best = found.iter().map(|one| one.score).fold(0.0, f32::max);
    found.iter().filter(|one| one.score > MOST_BEHIND * best).count() > CROWD
}

/// Returns the tools that are worth their tokens; always includes the best one.
pub fn worth(
    found: &[FoundTool],
    room: PromptRoom,
    (library, tokens): (&Library, &dyn TokenCounter),
) -> BTreeSet<ToolId> {
    let price =
        |tool: &ToolId| library.tool(tool).map_or(0, |it| tokens.count(&library.signature(it)));
    let best = found.first().map(|one| one.tool.clone());
    choose(found, room, price).into_iter().chain(best).collect()
}

/// Converts the best matches into the form that the journal records.
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

/// Returns the few tools that match a need which the model named.
pub fn for_need(search: &dyn ToolSearch, need: &str) -> Vec<ToolId> {
    let found = search.find(need, MOST_SHOWN);
    let Some(best) = found.first() else { return vec![] };
    let near = found.iter().filter(|one| one.score >= NEAR * best.score);
    let near: Vec<ToolId> = near.map(|one| one.tool.clone()).collect();
    // A single word shared by several tools is too vague; a word of one tool alone is specific.
    let vague = best.because.words.len() < 2 && near.len() > 1;
    near.into_iter().take(if vague { 0 } else { MOST_FOR_A_NEED }).collect()
}
