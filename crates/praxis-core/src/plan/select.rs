//! Selects the tools of a task: all if they are few, by retrieval if its match is confident
//! enough, otherwise by a model.
//!
//! - in: the catalog; later the model's selection, or the needs that a plan names
//! - out: the tools that are frozen for the task, or the reason why the goal is rejected
//! - never: lets in a name that is not in the catalog, or fails a goal because of an unusable selection

use super::{offer, plan_cache, retrieved, workflow_by_words, workflow_defaults};
use crate::ask::names::resolve;
use crate::ask::purpose::Purpose;
use crate::ask::request::ModelRequest;
use crate::ids::ToolId;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::selection::{SelectionMethod, SelectionReason, ToolSelection};
use crate::plan::tool_selection::selection_of;
use crate::plan::tool_selection::tools_selected_event;
use crate::plan::tool_selection::with_workflow;
use crate::plan::two_stage::selection_reason;
use crate::plan::useless_tools::drop_useless;
use crate::prompt::schema;
use crate::route::scene::Topic;
use crate::stage::compose::{StageTexts, request};
use crate::stage::figures::outcomes;
use crate::stage::reading::{ReadAnswer, score, text, texts};
use crate::state::State;
use serde_json::Value;
use std::collections::BTreeSet;

/// The similarity score below which a goal is rejected.
const MIN_SIMILARITY: u32 = 30;
/// The maximum number of missing abilities, over all rounds, for which tools are searched.
const MAX_MISSING_ABILITIES: usize = 6;

/// Builds the request for a selection.
pub fn ask(state: &State, inputs: &Inputs<'_>) -> Option<ModelRequest> {
    let library = inputs.library?;
    let (pinned, goal_state) = (state.goal_spec()?, state.goal.as_deref()?);
    let catalog: Vec<String> =
        offer::shown(state, inputs, library).into_iter().map(|tool| library.brief(tool)).collect();
    let workflows = library.workflow_lines();
    let previous = outcomes(state);
    let mut holes = vec![
        ("scene_guidance", library.guidance(Topic::Selection)),
        ("intent", pinned.intent.clone().unwrap_or_default()),
        ("workflows", workflows),
        ("catalog", catalog.join("\n")),
    ];
    let part = if goal_state.planning.drafting.rest {
        holes.push(("previous", previous));
        holes.push(("reflection", goal_state.recovery.said_last.reflection.clone()));
        "selection.replanning"
    } else if !state.steps.is_empty() {
        holes.push(("previous", previous));
        "selection.continuing"
    } else {
        "selection"
    };
    let filled: Vec<(&str, &str)> =
        holes.iter().map(|(name, words)| (*name, library.pack.or_none(words))).collect();
    let purpose = Purpose::Select;
    let stage =
        StageTexts { purpose: &purpose, part, holes: &filled, schema: schema("selection")? };
    request(state, library, inputs.tokens, &stage)
}

/// Reads the model's selection.
pub fn read(state: &State, found: &ReadAnswer, inputs: &Inputs<'_>) -> Option<Event> {
    let (library, search) = (inputs.library?, inputs.search()?);
    let offered: Vec<&str> = library.catalog.keys().map(ToolId::as_str).collect();
    let (mut tools, mut unknown) = (BTreeSet::new(), Vec::new());
    for name in texts(&found.value, "selected_tool_ids") {
        match resolve(&name, &offered) {
            Some(tool) => drop(tools.insert(ToolId::from(tool))),
            None => unknown.push(name),
        }
    }
    let missing = texts(&found.value, "need_tools");
    tools.extend(missing.iter().flat_map(|need| retrieved::for_need(search, need)));
    let intent = state.goal_spec().and_then(|brief| brief.intent.clone());
    tools.extend(intent.iter().flat_map(|intent| library.tools_of_kind(intent)));
    // The caller's intent overrides the model's task type.
    let task_type = intent.unwrap_or_else(|| text(&found.value, "task_type"));
    let workflow =
        workflow_by_words::workflow(state, &text(&found.value, "workflow_id"), &task_type, library);
    tools.extend(workflow.iter().flat_map(|id| library.tools_of_workflow(id)));
    let useless = drop_useless(state, &mut tools);
    let chosen = if tools.is_empty() {
        let chosen = offer::fallback_tools(state, inputs, library);
        selection_of(
            (SelectionMethod::Fallback, Some(SelectionReason::FallbackEmpty)),
            chosen,
            library,
            inputs.tokens,
        )
    } else {
        selection_of(
            (SelectionMethod::Model, selection_reason(state, SelectionMethod::Model)),
            tools,
            library,
            inputs.tokens,
        )
    };
    let selection = ToolSelection {
        task_type,
        similarity: Some(score(&found.value, "similarity_score")),
        reasoning: text(&found.value, "brief_reasoning"),
        rejected: rejected(state, &found.value),
        unknown,
        missing,
        changes_summary: text(&found.value, "changes_summary"),
        continuity_summary: text(&found.value, "continuity_summary"),
        useless,
        found: retrieved::recorded(&retrieved::find(state, inputs)),
        asked_tokens: Some(found.usage.prompt + found.usage.completion),
        ..chosen
    };
    let selection = with_workflow(selection, workflow, (library, inputs.tokens));
    let event = tools_selected_event(
        workflow_defaults::with_workflow_defaults(state, selection, inputs),
        library,
    );
    Some(plan_cache::with_cache_miss_reason(state, event, inputs))
}

/// Returns the reason why the goal is rejected. Once work has begun, a goal is no longer rejected.
fn rejected(state: &State, answer: &Value) -> Option<String> {
    let rejects = answer.get("should_reject") == Some(&Value::Bool(true))
        || score(answer, "similarity_score") < MIN_SIMILARITY;
    (rejects && state.steps.is_empty()).then(|| text(answer, "reject_reason"))
}

/// Returns tools for the needs that a plan without steps names; the model is then asked for a plan again.
pub fn for_plan(state: &State, plan: &Value, inputs: &Inputs<'_>) -> Option<Event> {
    let (goal_state, library) = (state.goal.as_deref()?, inputs.library?);
    let chosen = goal_state.planning.selection.as_ref()?;
    let steps = plan.get("steps").and_then(Value::as_array).map_or(0, Vec::len);
    let entered = goal_state.planning.drafting.entered > 0;
    let missing = texts(plan, "need_tools");
    let too_many = chosen.missing.len() + missing.len() > MAX_MISSING_ABILITIES;
    if missing.is_empty() || steps > 0 || entered || too_many {
        return None;
    }
    let search = inputs.search()?;
    let near = missing.iter().flat_map(|need| retrieved::for_need(search, need));
    let tools: BTreeSet<ToolId> = near.filter(|tool| !chosen.tools.contains(tool)).collect();
    let by = (SelectionMethod::Retrieval, Some(SelectionReason::Needed));
    let added = (!tools.is_empty()).then(|| selection_of(by, tools, library, inputs.tokens))?;
    Some(tools_selected_event(ToolSelection { missing, ..added }, library))
}
