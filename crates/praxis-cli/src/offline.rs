//! What becomes of a goal where no model plans, told before there is a task.

use crate::failure::Failure;
use crate::pursuit::{Wanted, named_workflow};
use praxis_adapters::library::Library;
use praxis_core::call::manifest::Toolbox;
use praxis_core::offline::by_workflow::fill;
use praxis_core::offline::foresee::{Way, foresee};
use praxis_core::offline::planner::{self, Outcome, Refusal};
use praxis_core::retrieve::search::{Found, Search};
use praxis_core::retrieve::synonyms::Synonyms;
use serde_json::{Map, Value};

/// What is looked up in a toolbox.
pub(crate) fn search(toolbox: &Toolbox) -> Search {
    let mut search = Search::with(Synonyms::built_in().clone());
    for tool in toolbox.values() {
        search.put(tool);
    }
    search
}

/// The way of a goal: the workflow that was named, else what its words tell.
pub(crate) fn way<'a>(
    library: &'a Library,
    wanted: &Wanted<'_>,
    (toolbox, metadata, search): (&Toolbox, &Map<String, Value>, &Search),
    stated: Option<&str>,
) -> Result<Way<'a>, Failure> {
    let planned = planner::Wanted { goal: wanted.words, given: metadata, catalog: toolbox, search };
    let named = named_workflow(library, wanted)?;
    Ok(match named {
        Some(workflow) => Way::Workflow(workflow, fill(workflow, &planned)),
        None => foresee(&planned, &library.workflows, stated),
    })
}

/// The workflow that is followed, if one is; an error if nothing can be planned.
pub(crate) fn followed(way: &Way<'_>) -> Result<Option<String>, Failure> {
    match way {
        Way::Workflow(workflow, _) => Ok(Some(workflow.id.clone())),
        Way::Tools(Outcome::Ready(_) | Outcome::NeedParams(_)) => Ok(None),
        Way::Tools(Outcome::NoPlan(refusal)) => Err(no_plan(refusal)),
    }
}

/// So many tools that come near are named.
const NEAREST: usize = 3;

/// Nobody can plan this.
fn no_plan(refusal: &Refusal) -> Failure {
    let near: Vec<String> = refusal
        .nearest
        .iter()
        .take(NEAREST)
        .map(|found: &Found| format!("`{}`", found.tool))
        .collect();
    let near = near.join(", ");
    let (near_en, near_zh) = if near.is_empty() {
        (String::new(), String::new())
    } else {
        (format!("; the nearest tools: {near}"), format!("；最接近的工具：{near}"))
    };
    let why = refusal.words();
    let words = (format!("no plan: {}{near_en}", why.en), format!("没有计划：{}{near_zh}", why.zh));
    Failure::usage("no_plan", words).next((
        "say it with words that tools use (`praxis tool search \"…\"`, `praxis plan \"…\" --explain`), or let a model plan: \
         `praxis model add local --preset ollama --model qwen3:8b`",
        "请用工具描述中的词语表述（`praxis tool search \"…\"`、`praxis plan \"…\" --explain`），或由模型规划：\
         `praxis model add local --preset ollama --model qwen3:8b`",
    ))
}
