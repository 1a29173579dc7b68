//! Chooses the tools of a task: all where they are few, what retrieval finds where it is sure, else by a model.
//!
//! - in: the catalog; later the model's choice, or what a plan misses
//! - out: the tools that are frozen for the task, or the reason why the goal is turned away
//! - never: lets a name in that is not in the catalog, or a goal fail because a choice could not be used

use super::{again, by_words, endow, follow, offer, retrieved, useless};
use crate::ask::errand::Errand;
use crate::ask::names::resolve;
use crate::ask::request::Request;
use crate::ask::tokens::Tokens;
use crate::call::tool::{Contract, Tool};
use crate::goal::brief::{Brief, TwoStage};
use crate::hash::content_hash;
use crate::ids::{BlobId, ToolId};
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::selection::{Selection, Selector, Why};
use crate::library::Library;
use crate::prompt::schema;
use crate::prompt::signature::{brief, signature};
use crate::retrieve::search::Found;
use crate::route::scene::Topic;
use crate::stage::compose::{Stage, request};
use crate::stage::figures::outcomes;
use crate::stage::reading::{Read, score, text, texts};
use crate::state::State;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Below this likeness a goal is turned away.
const LEAST_SIMILARITY: u32 = 30;
/// So many abilities a plan may miss before it has to do without.
const MOST_NEEDS: usize = 6;

/// Whether tools are chosen before planning, and a model can be asked which.
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

/// The choice where no model has to be asked for it.
pub fn unasked(state: &State, inputs: &Inputs<'_>) -> Option<Event> {
    let (brief, course, library) = (state.brief()?, state.goal.as_deref()?, inputs.library?);
    if let Some(event) = again::choice(state, inputs) {
        return Some(event);
    }
    if brief.manner.two_stage != TwoStage::Auto {
        return None;
    }
    if offer::is_small(state, inputs, library) {
        return follow::choice(state, inputs);
    }
    // What the words told was not enough: now somebody has to think.
    if course.selection.is_some() {
        return None;
    }
    let found = retrieved::find(state, library);
    let goal = &state.submission.as_ref()?.goal;
    let chosen = retrieved::is_sure(goal, &found)
        .then(|| by_retrieval(state, &found, (library, inputs.tokens)));
    chosen.map(|event| again::noted(state, event, inputs))
}

/// What retrieval found. The kind of work and the workflow are what the caller and the words say.
fn by_retrieval(
    state: &State,
    found: &[Found],
    (library, tokens): (&Library, &dyn Tokens),
) -> Event {
    let mut tools = retrieved::worth(found, retrieved::ROOM, (library, tokens));
    let intent = state.brief().and_then(|brief| brief.intent.clone());
    tools.extend(intent.iter().flat_map(|intent| library.tools_of_kind(intent)));
    let task_type = intent.unwrap_or_default();
    let workflow = by_words::workflow(state, "", &task_type, library);
    let by = (Selector::Retrieval, why(state, Selector::Retrieval));
    let chosen = plain(by, tools, library, tokens);
    let selection = Selection { task_type, found: retrieved::recorded(found), ..chosen };
    let selection = following(selection, workflow, (library, tokens));
    selected(endow::endowed(state, selection, library), library)
}

/// The request for a choice.
pub fn ask(state: &State, inputs: &Inputs<'_>) -> Option<Request> {
    let library = inputs.library?;
    let (pinned, course) = (state.brief()?, state.goal.as_deref()?);
    let catalog: Vec<String> =
        offer::shown(state, inputs, library).into_iter().map(brief).collect();
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
    tools.extend(missing.iter().flat_map(|need| retrieved::for_need(library, need)));
    let intent = state.brief().and_then(|brief| brief.intent.clone());
    tools.extend(intent.iter().flat_map(|intent| library.tools_of_kind(intent)));
    // What the caller called it is what it is.
    let task_type = intent.unwrap_or_else(|| text(&found.value, "task_type"));
    let workflow =
        by_words::workflow(state, &text(&found.value, "workflow_id"), &task_type, library);
    tools.extend(workflow.iter().flat_map(|id| library.tools_of_workflow(id)));
    let useless = drop_useless(state, &mut tools);
    let chosen = if tools.is_empty() {
        let chosen = offer::instead(state, inputs, library);
        plain((Selector::Fallback, Some(Why::FallbackEmpty)), chosen, library, inputs.tokens)
    } else {
        plain((Selector::Model, why(state, Selector::Model)), tools, library, inputs.tokens)
    };
    let selection = Selection {
        task_type,
        similarity: Some(score(&found.value, "similarity_score")),
        reasoning: text(&found.value, "brief_reasoning"),
        rejected: rejected(state, &found.value),
        unknown,
        missing,
        changes_summary: text(&found.value, "changes_summary"),
        continuity_summary: text(&found.value, "continuity_summary"),
        useless,
        found: retrieved::recorded(&retrieved::find(state, library)),
        asked_tokens: Some(found.usage.prompt + found.usage.completion),
        ..chosen
    };
    let selection = following(selection, workflow, (library, inputs.tokens));
    let event = selected(endow::endowed(state, selection, library), library);
    Some(again::noted(state, event, inputs))
}

/// Why a goal is turned away. Once work has begun, a choice only adds to it.
fn rejected(state: &State, answer: &Value) -> Option<String> {
    let rejects = answer.get("should_reject") == Some(&Value::Bool(true))
        || score(answer, "similarity_score") < LEAST_SIMILARITY;
    (rejects && state.steps.is_empty()).then(|| text(answer, "reject_reason"))
}

/// Takes tools out that were proven useless, as long as something else is left; gives those that were.
fn drop_useless(state: &State, tools: &mut BTreeSet<ToolId>) -> Vec<ToolId> {
    let useless: BTreeSet<ToolId> = useless::tools(state).intersection(tools).cloned().collect();
    if useless.len() == tools.len() {
        return vec![];
    }
    tools.retain(|tool| !useless.contains(tool));
    useless.into_iter().collect()
}

/// The choice with a workflow, whose tools are always part of it.
pub fn following(
    selection: Selection,
    workflow: Option<String>,
    (library, tokens): (&Library, &dyn Tokens),
) -> Selection {
    let Some(id) = workflow else { return selection };
    let tools: BTreeSet<ToolId> =
        selection.tools.iter().cloned().chain(library.tools_of_workflow(&id)).collect();
    let Selection { tools, tokens, .. } =
        plain((selection.by, selection.why), tools, library, tokens);
    Selection { workflow: Some(id), tools, tokens, ..selection }
}

/// Why tools are chosen in this way.
fn why(state: &State, by: Selector) -> Option<Why> {
    let brief = state.brief()?;
    Some(match (by, brief.manner.two_stage) {
        (Selector::Workflow, _) => Why::Workflow,
        (Selector::Case, _) => Why::Case,
        (Selector::Fallback, _) => Why::FallbackFailed,
        (Selector::Retrieval, _) => Why::Sure,
        (Selector::Offline, _) => Why::NoModel,
        (Selector::Model, TwoStage::Always) => Why::Always,
        (Selector::Model, TwoStage::Auto | TwoStage::Never) => Why::Unsure,
        (Selector::All, TwoStage::Never) => Why::Never,
        (Selector::All, _) if brief.adviser(&Errand::Select).is_none() => Why::NoModel,
        (Selector::All, _) if is_asked(brief) => Why::Small,
        (Selector::All, TwoStage::Auto | TwoStage::Always) => Why::BelowThreshold,
    })
}

/// All tools, or those that fit into the prompt.
pub fn all(state: &State, inputs: &Inputs<'_>, by: Selector) -> Option<Event> {
    let library = inputs.library?;
    let mut tools = offer::fitting(state, inputs, library);
    let useless = drop_useless(state, &mut tools);
    let chosen = plain((by, why(state, by)), tools, library, inputs.tokens);
    Some(selected(Selection { useless, ..chosen }, library))
}

/// The choice where a model was asked and gave none.
pub fn fallen_back(state: &State, inputs: &Inputs<'_>) -> Option<Event> {
    let library = inputs.library?;
    let by = (Selector::Fallback, why(state, Selector::Fallback));
    let chosen = plain(by, offer::instead(state, inputs, library), library, inputs.tokens);
    let found = retrieved::recorded(&retrieved::find(state, library));
    Some(selected(Selection { found, ..chosen }, library))
}

/// The tools for what a plan misses, if there are any that it was not shown: then it is asked for again.
pub fn for_plan(state: &State, plan: &Value, inputs: &Inputs<'_>) -> Option<Event> {
    let (course, library) = (state.goal.as_deref()?, inputs.library?);
    let chosen = course.selection.as_ref()?;
    let steps = plan.get("steps").and_then(Value::as_array).map_or(0, Vec::len);
    let entered = course.drafting.entered > 0;
    let missing = texts(plan, "need_tools");
    if steps > 0 || entered || chosen.missing.len() + missing.len() > MOST_NEEDS {
        return None;
    }
    let near = missing.iter().flat_map(|need| retrieved::for_need(library, need));
    let tools: BTreeSet<ToolId> = near.filter(|tool| !chosen.tools.contains(tool)).collect();
    let by = (Selector::Retrieval, Some(Why::Needed));
    let added = (!tools.is_empty()).then(|| plain(by, tools, library, inputs.tokens))?;
    Some(selected(Selection { missing, ..added }, library))
}

/// A choice that nobody explains.
pub fn plain(
    (by, why): (Selector, Option<Why>),
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
        defaults: BTreeMap::new(),
        said: BTreeMap::new(),
        similarity: None,
        reasoning: String::new(),
        rejected: None,
        unknown: vec![],
        missing: vec![],
        changes_summary: String::new(),
        continuity_summary: String::new(),
        useless: vec![],
        why,
        found: vec![],
        sureness: None,
        case: None,
        of: u32::try_from(library.catalog.len()).ok(),
        tokens: (all, sent),
        asked_tokens: None,
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
    Event::ToolsSelected { selection: Box::new(selection), contracts }
}

fn contract(tool: &Tool) -> Contract {
    let text = serde_json::to_string(tool).unwrap_or_default();
    tool.contract(BlobId::from(content_hash(text.as_bytes())))
}
