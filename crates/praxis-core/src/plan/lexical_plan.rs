//! The lexical plan, for goals with neither a model nor a workflow.
//!
//! - in: the state of a goal, and its pinned catalog
//! - out: the tools of the plan with its confidence; its steps; or the reason why the goal is rejected
//! - never: returns different plans for the same state and catalog

use super::tool_choice::ToolChoice;
use super::useless_tools::failing;
use super::{draft, retrieved};
use crate::call::risk::Risk;
use crate::ids::{TaskId, ToolId};
use crate::inputs::Inputs;
use crate::intake::rename;
use crate::intake::rename::StepRenames;
use crate::journal::selection::{SelectionMethod, SelectionReason, ToolSelection};
use crate::lang::Lang;
use crate::library::Library;
use crate::plan::tool_selection::selection_of;
use crate::plan::tool_selection::tools_selected_event;
use crate::planner::{FoundTool, LexicalPlan, PlanQuery};
use crate::problem::{Bilingual, Problem};
use crate::route::workflow::Workflow;
use crate::state::State;
use crate::state::step::{Step, StepStatus};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The number of nearest tools that a rejection names.
const NEAREST: usize = 3;

/// Returns the tools and the steps of the lexical plan, or the reason why there is none.
pub(super) fn choice(state: &State, library: &Library, inputs: &Inputs<'_>) -> Option<ToolChoice> {
    let by = (SelectionMethod::Offline, Some(SelectionReason::NoModel));
    let (selection, steps, no_plan) = match outcome(state, inputs)? {
        LexicalPlan::Plan { steps, tools, sureness, like, .. } => {
            let selection = ToolSelection {
                sureness: Some(sureness),
                reasoning: followed(&like, library.pack.lang()),
                found: retrieved::recorded(&retrieved::find(state, inputs)),
                ..selection_of(by, tools, library, inputs.tokens)
            };
            (selection, Some(beyond_what_is_done(state, steps)), None)
        }
        LexicalPlan::Refused { why, nearest, sureness } => {
            let no_plan = no_plan(&why, &nearest);
            let selection = ToolSelection {
                rejected: Some(why.tell(library.pack.lang()).to_owned()),
                found: retrieved::recorded(&nearest),
                sureness: Some(sureness),
                ..selection_of(by, BTreeSet::new(), library, inputs.tokens)
            };
            (selection, None, Some(Box::new(no_plan)))
        }
    };
    Some(ToolChoice { event: tools_selected_event(selection, library), steps, no_plan })
}

/// Builds the problem of a goal that cannot be planned.
fn no_plan(why: &Bilingual, nearest: &[FoundTool]) -> Problem {
    let near: Vec<String> =
        nearest.iter().take(NEAREST).map(|found| format!("`{}`", found.tool)).collect();
    let near = near.join(", ");
    let (near_en, near_zh) = if near.is_empty() {
        (String::new(), String::new())
    } else {
        (format!("; closest tools: {near}"), format!("；最接近的工具：{near}"))
    };
    let words = (
        format!("could not plan the goal: {}{near_en}", why.en),
        format!("无法规划该目标：{}{near_zh}", why.zh),
    );
    Problem::new("no_plan", "", words).next((
        "rephrase the goal in the words of the tools (`praxis tool search WORDS`, `praxis plan GOAL --explain`), or let a model plan it: \
         `praxis model add local --preset ollama --model qwen3:8b`",
        "请用工具描述中的词语改写目标（`praxis tool search WORDS`、`praxis plan GOAL --explain`），或由模型规划：\
         `praxis model add local --preset ollama --model qwen3:8b`",
    ))
}

/// Returns the workflow that the words of the goal match.
pub(super) fn workflow<'a>(
    state: &State,
    library: &'a Library,
    inputs: &Inputs<'_>,
) -> Option<&'a Workflow> {
    let goal = &state.submission.as_ref()?.goal;
    let (given, without) = (&draft::given(state), &BTreeSet::new());
    let (catalog, cancelled) = (&library.catalog, inputs.cancelled);
    let wanted = PlanQuery { goal, given, catalog, without, memories: &[], cancelled };
    inputs.search()?.workflow(&wanted, &library.workflows)
}

/// Names the earlier tasks that the plan follows.
fn followed(tasks: &[TaskId], lang: Lang) -> String {
    let named: Vec<&str> = tasks.iter().map(TaskId::as_str).collect();
    match (lang, named.is_empty()) {
        (_, true) => String::new(),
        (Lang::En, false) => format!("based on earlier tasks: {}", named.join(", ")),
        (Lang::Zh, false) => format!("参照以往任务：{}", named.join("、")),
    }
}

/// Returns the steps of the lexical plan in the form of a plan file; `None` if there is no plan.
pub(super) fn steps(state: &State, inputs: &Inputs<'_>) -> Option<Vec<Value>> {
    match outcome(state, inputs)? {
        LexicalPlan::Plan { steps, .. } => Some(beyond_what_is_done(state, steps)),
        LexicalPlan::Refused { .. } => None,
    }
}

/// The percentage points of the goal that another plan may explain less than the failed one.
const LESS_SURE: u32 = 10;

/// Returns true if there is another plan: without the tools that failed by their own fault, with all values it needs,
/// hardly less confident, and without new tools that change something.
pub fn has_another(state: &State, inputs: &Inputs<'_>) -> bool {
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    let Some(chosen) = chosen.filter(|chosen| chosen.by == SelectionMethod::Offline) else {
        return false;
    };
    if failing(state, 1).is_empty() {
        return false;
    }
    let Some(library) = inputs.library else { return false };
    let Some(LexicalPlan::Plan { is_whole: true, tools, sureness, .. }) = outcome(state, inputs)
    else {
        return false;
    };
    let was_sure = chosen.sureness.as_ref().map_or(0, |sureness| sureness.percent);
    let changes = |tool: &ToolId| library.tool(tool).is_none_or(|tool| tool.risk() > Risk::Read);
    let mut new = tools.into_iter().filter(|tool| !chosen.tools.contains(tool));
    sureness.percent + LESS_SURE >= was_sure && !new.any(|tool| changes(&tool))
}

/// Makes a lexical plan without the tools that failed so far.
fn outcome(state: &State, inputs: &Inputs<'_>) -> Option<LexicalPlan> {
    let goal = &state.submission.as_ref()?.goal;
    let given = &draft::given(state);
    let memories =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.memories.as_deref());
    let memories = memories.unwrap_or_default();
    let (catalog, without) = (&inputs.library?.catalog, &failing(state, 1));
    let cancelled = inputs.cancelled;
    Some(inputs.search()?.plan(&PlanQuery { goal, given, catalog, without, memories, cancelled }))
}

/// Removes the steps that an earlier plan has done; the remaining steps refer to the done ones instead.
fn beyond_what_is_done(state: &State, written: Vec<Value>) -> Vec<Value> {
    let done = |step: &&Step| !step.dropped && step.status == StepStatus::Success;
    let done: Vec<&Step> = state.steps.iter().filter(done).collect();
    if done.is_empty() {
        return written;
    }
    let (mut names, mut left) = (StepRenames::new(), Vec::new());
    for mut step in written {
        let (Some(id), Some(fields)) = (text(&step, "step_id"), step.as_object_mut()) else {
            continue;
        };
        let mut parameters = fields.get("parameters").cloned().unwrap_or_default();
        rename::parameters(&mut parameters, &names);
        let tool = fields.get("tool").and_then(Value::as_str);
        let same = |one: &&&Step| {
            Some(one.plan.tool.as_str()) == tool && one.plan.parameters == parameters
        };
        if let Some(same) = done.iter().find(same) {
            names.insert(id, same.plan.id.clone());
            continue;
        }
        let own = format!("again_{id}");
        names.insert(id, own.as_str().into());
        let before = fields.get("depends_on").and_then(Value::as_array).into_iter().flatten();
        let before = before.filter_map(|id| names.get(id.as_str()?)).map(|id| json!(id));
        let before: Vec<Value> = before.collect();
        fields.extend([
            ("step_id".to_owned(), json!(own)),
            ("parameters".to_owned(), parameters),
            ("depends_on".to_owned(), json!(before)),
        ]);
        left.push(step);
    }
    left
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}
