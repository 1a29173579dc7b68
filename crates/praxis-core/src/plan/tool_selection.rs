//! Builds a `ToolSelection` and its event, for every method of selection.

use crate::ask::tokens::TokenCounter;
use crate::call::tool::{Contract, Tool};
use crate::hash::content_hash;
use crate::ids::{BlobId, ToolId};
use crate::journal::event::Event;
use crate::journal::selection::{SelectionMethod, SelectionReason, ToolSelection};
use crate::library::Library;
use crate::schema::description::in_lang;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Builds a selection without explanations.
pub fn selection_of(
    (by, why): (SelectionMethod, Option<SelectionReason>),
    tools: BTreeSet<ToolId>,
    library: &Library,
    tokens: &dyn TokenCounter,
) -> ToolSelection {
    let lang = library.pack.lang();
    let whole = |tool: &Tool| {
        let parameters = in_lang(&tool.input_schema, lang);
        let (_, description) = tool.told(lang);
        let sent = json!({"name": tool.id, "description": description, "parameters": parameters});
        tokens.count(&sent.to_string())
    };
    let all = library.catalog.values().map(|tool| whole(tool)).sum();
    let tools: Vec<ToolId> = tools.into_iter().collect();
    let sent = library.chosen(&tools).map(|tool| tokens.count(&library.signature(tool))).sum();
    ToolSelection {
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

/// Adds a workflow and its tools to a selection.
pub fn with_workflow(
    selection: ToolSelection,
    workflow: Option<String>,
    (library, tokens): (&Library, &dyn TokenCounter),
) -> ToolSelection {
    let Some(id) = workflow else { return selection };
    let tools: BTreeSet<ToolId> =
        selection.tools.iter().cloned().chain(library.tools_of_workflow(&id)).collect();
    let ToolSelection { tools, tokens, .. } =
        selection_of((selection.by, selection.why), tools, library, tokens);
    ToolSelection { workflow: Some(id), tools, tokens, ..selection }
}

/// Builds the `ToolsSelected` event, with the contracts of the tools and of the tools that check them.
pub fn tools_selected_event(selection: ToolSelection, library: &Library) -> Event {
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
