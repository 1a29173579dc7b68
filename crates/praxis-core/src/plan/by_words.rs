//! What words alone tell: the workflow that a goal is for, and the tools that a need is for.
//!
//! - in: a goal and what a model made of it, or a need in words; the library
//! - out: the id of a workflow, or tools
//! - never: takes a workflow that is for another intent, or, unless it was named, one that cannot be followed here

use crate::call::tool::Tool;
use crate::goal::library::Library;
use crate::ids::ToolId;
use crate::prompt::signature::brief;
use crate::route::phrase::{folded, is_chinese};
use crate::route::workflow::{Workflow, matching};
use crate::state::State;
use std::collections::BTreeSet;

/// So many tools are added for one need.
const MOST_FOR_A_NEED: usize = 3;
/// From so many shared terms on, tools that fit alike are all taken.
const SURE: usize = 2;
/// A shorter word says nothing.
const SHORTEST_WORD: usize = 4;

/// The workflow that is followed: the one that was named, else the model's, else the one that the words tell.
pub fn workflow(
    state: &State,
    named_by_model: &str,
    task_type: &str,
    library: &Library,
) -> Option<String> {
    let pinned = state.brief()?;
    // A plan of the rest follows none.
    state.goal.as_deref().filter(|course| !course.drafting.rest)?;
    if let Some(named) = pinned.workflow.as_deref().filter(|id| library.workflow(id).is_some()) {
        return Some(named.to_owned());
    }
    let intent = pinned.intent.as_deref();
    let is_for = |workflow: &Workflow| intent.is_none_or(|intent| workflow.is_for(intent));
    let fits = |workflow: &&Workflow| is_for(workflow) && is_whole(workflow, library);
    if let Some(chosen) = library.workflow(named_by_model).filter(fits) {
        return Some(chosen.id.clone());
    }
    // What goes on with earlier work has another plan than the words tell.
    if !state.steps.is_empty() {
        return None;
    }
    let goal = &state.submission.as_ref()?.goal;
    let usable: Vec<Workflow> =
        library.workflows.iter().filter(|workflow| is_whole(workflow, library)).cloned().collect();
    let task_type = Some(task_type).filter(|words| !words.trim().is_empty());
    matching(&usable, intent, task_type, goal).map(|(workflow, _)| workflow.id.clone())
}

/// Whether every tool of a workflow is there: a plan that follows it can be made.
pub fn is_whole(workflow: &Workflow, library: &Library) -> bool {
    workflow.steps.iter().all(|step| library.tool(&step.tool_id).is_some())
}

/// The tools whose words fit a need best that a model named: its second chance.
pub fn tools(library: &Library, need: &str) -> Vec<ToolId> {
    let wanted = folded(need.trim());
    let terms = terms(&wanted);
    let likeness = |tool: &Tool| {
        let text = folded(&brief(tool));
        let shared = terms.iter().filter(|term| text.contains(term.as_str())).count();
        // The very words are more than all of them apart.
        if !wanted.is_empty() && text.contains(&wanted) { terms.len() + SURE } else { shared }
    };
    let likeness: Vec<(usize, &ToolId)> =
        library.catalog.values().map(|tool| (likeness(tool), &tool.id)).collect();
    let best = likeness.iter().map(|(count, _)| *count).max().unwrap_or_default();
    let fits: Vec<ToolId> = likeness
        .into_iter()
        .filter(|(count, _)| *count == best && best > 0)
        .map(|(_, id)| id.clone())
        .collect();
    // One term that many tools share says nothing; one that a single tool has is what is near.
    let counts = best >= SURE || fits.len() == 1;
    fits.into_iter().take(if counts { MOST_FOR_A_NEED } else { 0 }).collect()
}

/// What a text is compared by: its words, and each pair of neighbouring Chinese characters, since Chinese
/// puts no blanks between words.
fn terms(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() || is_chinese(c));
    let words = words.filter(|word| word.len() >= SHORTEST_WORD).map(str::to_owned);
    let signs: Vec<char> = text.chars().collect();
    let pairs = signs.windows(2).filter(|pair| pair.iter().all(|c| is_chinese(*c)));
    words.chain(pairs.map(|pair| pair.iter().collect())).collect()
}
