//! Chooses the tools of a task: by a model where there are many, else all of them.
//!
//! - in: the catalog; later the model's choice
//! - out: the tools that are frozen for the task, or the reason why the goal is turned away
//! - never: lets a name in that is not in the catalog, or a goal fail because a choice could not be used

use super::selection::{Selection, Selector};
use crate::ask::errand::Errand;
use crate::ask::names::resolve;
use crate::ask::request::Request;
use crate::ask::tokens::Tokens;
use crate::call::tool::{Contract, Tool};
use crate::execute::start::Inputs;
use crate::goal::brief::{Brief, TwoStage};
use crate::goal::library::Library;
use crate::goal::reading::{Read, score, text, texts};
use crate::ids::{BlobId, ToolId};
use crate::journal::chain::content_hash;
use crate::journal::event::Event;
use crate::prompt::compose::{Stage, request};
use crate::prompt::schema;
use crate::prompt::signature::{brief, signature};
use crate::recover::figures::outcomes;
use crate::route::scene::Topic;
use crate::state::State;
use std::collections::BTreeSet;

/// Below this likeness a goal is turned away.
const LEAST_SIMILARITY: u32 = 30;
/// The share of a model's context that signatures may take, in hundredths.
const TOOLS_SHARE: u64 = 40;
/// So many tools are added for one need.
const MOST_FOR_A_NEED: usize = 3;

/// Whether a model chooses.
pub fn is_asked(brief: &Brief) -> bool {
    let model = brief.adviser(&Errand::Select).is_some();
    let many = brief.tools >= brief.manner.two_stage_tool_threshold;
    model
        && brief.tools > 0
        && match brief.manner.two_stage {
            TwoStage::Auto => many,
            TwoStage::Always => true,
            TwoStage::Never => false,
        }
}

/// The request for a choice.
pub fn ask(state: &State, inputs: &Inputs<'_>) -> Option<Request> {
    let library = inputs.library?;
    let (pinned, course) = (state.brief()?, state.goal.as_deref()?);
    let catalog: Vec<String> = library.catalog.values().map(|tool| brief(tool)).collect();
    let workflows = library.workflow_lines();
    let previous = outcomes(state);
    let mut holes = vec![
        ("scene_guidance", library.guidance(Topic::Selection)),
        ("intent", pinned.intent.clone().unwrap_or_default()),
        ("workflows", workflows),
        ("catalog", catalog.join("\n")),
    ];
    let part = if course.drafting.rest {
        holes.push(("previous", previous));
        holes.push(("reflection", course.said_last.reflection.clone()));
        "selection.replanning"
    } else if !state.steps.is_empty() {
        holes.push(("previous", previous));
        "selection.continuing"
    } else {
        "selection"
    };
    let filled: Vec<(&str, &str)> =
        holes.iter().map(|(name, words)| (*name, library.pack.or_none(words))).collect();
    let errand = Errand::Select;
    let stage = Stage { errand: &errand, part, holes: &filled, schema: schema("selection")? };
    request(state, library, inputs.tokens, &stage)
}

/// Reads the model's choice.
pub fn read(state: &State, found: &Read, inputs: &Inputs<'_>) -> Option<Event> {
    let library = inputs.library?;
    let offered: Vec<&str> = library.catalog.keys().map(ToolId::as_str).collect();
    let (mut tools, mut unknown) = (BTreeSet::new(), Vec::new());
    for name in texts(&found.value, "selected_tool_ids") {
        match resolve(&name, &offered) {
            Some(tool) => drop(tools.insert(ToolId::from(tool))),
            None => unknown.push(name),
        }
    }
    let missing = texts(&found.value, "need_tools");
    tools.extend(missing.iter().flat_map(|need| by_words(library, need)));
    let workflow = Some(text(&found.value, "workflow_id"));
    let workflow = workflow.filter(|id| library.workflow(id).is_some());
    tools.extend(workflow.iter().flat_map(|id| library.tools_of_workflow(id)));
    let intent = state.brief().and_then(|brief| brief.intent.clone());
    tools.extend(intent.iter().flat_map(|intent| of_category(library, intent)));
    let similarity = score(&found.value, "similarity_score");
    let replanning = !state.steps.is_empty();
    let rejects = found.value.get("should_reject") == Some(&serde_json::Value::Bool(true))
        || similarity < LEAST_SIMILARITY;
    let reason = text(&found.value, "reject_reason");
    let by = if tools.is_empty() { Selector::Fallback } else { Selector::Model };
    let chosen = if tools.is_empty() { fitting(state, inputs, library) } else { tools };
    let selection = Selection {
        by,
        // What the caller called it is what it is.
        task_type: intent.unwrap_or_else(|| text(&found.value, "task_type")),
        workflow,
        similarity: Some(similarity),
        reasoning: text(&found.value, "brief_reasoning"),
        // Once work has begun, a choice only adds to it.
        rejected: (rejects && !replanning).then_some(reason),
        unknown,
        missing,
        ..plain(by, chosen, library, inputs.tokens)
    };
    Some(selected(selection, library))
}

/// The tools of the kind that the caller named: these come first, whatever the model chose beside them.
fn of_category<'a>(library: &'a Library, intent: &'a str) -> impl Iterator<Item = ToolId> + 'a {
    let is_of = move |tool: &&std::sync::Arc<Tool>| {
        tool.tags.iter().any(|tag| tag.to_lowercase() == intent.to_lowercase())
    };
    library.catalog.values().filter(is_of).map(|tool| tool.id.clone())
}

/// The tools whose words fit a need best that the model named: its second chance.
fn by_words(library: &Library, need: &str) -> Vec<ToolId> {
    let wanted = need.to_lowercase();
    let words: Vec<&str> =
        wanted.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect();
    let likeness = |tool: &Tool| {
        let text = brief(tool).to_lowercase();
        let shared = words.iter().filter(|word| text.contains(**word)).count();
        // The very words are more than all of them apart.
        if text.contains(&wanted) { words.len() + 2 } else { shared }
    };
    let best = library.catalog.values().map(|tool| likeness(tool)).max().unwrap_or_default();
    let fits = library.catalog.values().filter(|tool| best >= 2 && likeness(tool) == best);
    fits.map(|tool| tool.id.clone()).take(MOST_FOR_A_NEED).collect()
}

/// All tools, or those that fit into the prompt.
pub fn all(state: &State, inputs: &Inputs<'_>, by: Selector) -> Option<Event> {
    let library = inputs.library?;
    let tools = fitting(state, inputs, library);
    Some(selected(plain(by, tools, library, inputs.tokens), library))
}

fn fitting(state: &State, inputs: &Inputs<'_>, library: &Library) -> BTreeSet<ToolId> {
    let adviser = state.brief().and_then(|brief| brief.adviser(&Errand::Plan));
    let room =
        adviser.map_or(u64::MAX, |adviser| adviser.context.saturating_mul(TOOLS_SHARE) / 100);
    let mut used = 0;
    let fits = |tool: &&std::sync::Arc<Tool>| {
        used += inputs.tokens.count(&signature(tool));
        used <= room
    };
    library.catalog.values().take_while(fits).map(|tool| tool.id.clone()).collect()
}

/// A choice that nobody explains.
pub fn plain(
    by: Selector,
    tools: BTreeSet<ToolId>,
    library: &Library,
    tokens: &dyn Tokens,
) -> Selection {
    let whole =
        |tool: &Tool| {
            tokens.count(&serde_json::json!({
        "name": tool.id, "description": tool.description, "parameters": tool.input_schema,
    }).to_string())
        };
    let all = library.catalog.values().map(|tool| whole(tool)).sum();
    let tools: Vec<ToolId> = tools.into_iter().collect();
    let sent = library.chosen(&tools).map(|tool| tokens.count(&signature(tool))).sum();
    Selection {
        by,
        tools,
        task_type: String::new(),
        workflow: None,
        similarity: None,
        reasoning: String::new(),
        rejected: None,
        unknown: vec![],
        missing: vec![],
        tokens: (all, sent),
    }
}

/// The choice with the contracts of its tools and of those that check them.
pub fn selected(selection: Selection, library: &Library) -> Event {
    let mut contracts: Vec<Contract> = Vec::new();
    let mut open: Vec<ToolId> = selection.tools.iter().rev().cloned().collect();
    while let Some(id) = open.pop() {
        let known = contracts.iter().any(|contract| contract.tool == id);
        let Some(tool) = library.tool(&id).filter(|_| !known) else { continue };
        contracts.push(contract(tool));
        open.extend(tool.check_with.clone());
    }
    contracts.sort_by(|one, other| one.tool.cmp(&other.tool));
    Event::ToolsSelected { selection, contracts }
}

fn contract(tool: &Tool) -> Contract {
    let text = serde_json::to_string(tool).unwrap_or_default();
    tool.contract(BlobId::from(content_hash(text.as_bytes())))
}
