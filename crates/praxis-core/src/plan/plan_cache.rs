//! The plan cache: reuses the plan of an earlier task, without a model call for tools and steps.
//!
//! - in: the recalled tasks, and the caller's wishes about reuse
//! - out: the selection of tools with the earlier task, then its plan with the values of this goal
//! - never: reuses a plan with values of another goal, with other metadata or with missing tools, or a plan that
//!   would not be accepted from a model

use super::{draft, offer, retrieved};
use crate::ask::tokens::TokenCounter;
use crate::evaluate::promise;
use crate::goal::plan_reuse::USUAL_THRESHOLD;
use crate::goal::spec::{GoalContext, GoalSpec};
use crate::ids::{TaskId, ToolId};
use crate::inputs::Inputs;
use crate::journal::case::PlanTemplate;
use crate::journal::event::Event;
use crate::journal::memory::{PlanBarred, RecalledTask};
use crate::journal::outcome::PlanOutcome;
use crate::journal::selection::{CaseUse, SelectionMethod, SelectionReason, ToolSelection};
use crate::lang::Lang;
use crate::library::Library;
use crate::plan::tool_selection::selection_of;
use crate::plan::tool_selection::tools_selected_event;
use crate::planner::{FilledPlan, Planner};
use crate::state::State;
use crate::state::goal_state::GoalState;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The reason why a plan is not reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CacheMiss {
    /// No plan of the task is kept.
    Gone,
    Old,
    /// The plan has values of its own goal for which this goal has none.
    Unlike,
    /// The metadata has other keys than that of the earlier task.
    Metadata,
    /// One of its tools is missing.
    Tools,
    /// Its steps no longer pass the checks.
    Refused,
}

impl CacheMiss {
    fn words(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Gone, Lang::En) => "it has no stored plan",
            (Self::Gone, Lang::Zh) => "没有保存的计划",
            (Self::Old, Lang::En) => "it is older than 30 days",
            (Self::Old, Lang::Zh) => "已超过 30 天",
            (Self::Unlike, Lang::En) => {
                "the wording of this goal differs, so the plan's parameter values cannot be filled in from it"
            }
            (Self::Unlike, Lang::Zh) => "目标的措辞不同，无法据此填写计划的参数值",
            (Self::Metadata, Lang::En) => "it was made with different metadata",
            (Self::Metadata, Lang::Zh) => "当时的元数据不同",
            (Self::Tools, Lang::En) => "one of its tools no longer exists",
            (Self::Tools, Lang::Zh) => "其中有工具已不存在",
            (Self::Refused, Lang::En) => "its steps no longer pass validation",
            (Self::Refused, Lang::Zh) => "其步骤不再通过校验",
        }
    }
}

/// Returns the selection of tools if the plan of an earlier task can be reused.
pub(super) fn choice(state: &State, inputs: &Inputs<'_>) -> Option<Event> {
    let library = inputs.library?;
    let spec = state.goal_spec().filter(|spec| may_look(state, spec))?;
    let (memory, plan) = candidates(state, spec).find_map(|memory| {
        usable(state, memory, (library, inputs.planner)).ok().map(|plan| (memory, plan))
    })?;
    let tools = tools_of(&plan).chain(beside(state, inputs, library)).collect();
    let case = CaseUse {
        task: memory.task.clone(),
        similarity: memory.similarity,
        hash: memory.hash.clone(),
    };
    let by = (SelectionMethod::Case, Some(SelectionReason::Case));
    let chosen =
        ToolSelection { case: Some(case), ..selection_of(by, tools, library, inputs.tokens) };
    Some(tools_selected_event(chosen, library))
}

/// Adds the reason why the plan that the caller named is not reused to another selection.
pub(super) fn with_cache_miss_reason(
    state: &State,
    mut event: Event,
    inputs: &Inputs<'_>,
) -> Event {
    if let (Event::ToolsSelected { selection, .. }, Some(why)) =
        (&mut event, why_not(state, inputs))
    {
        let parts = [why, std::mem::take(&mut selection.reasoning)];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        selection.reasoning = parts.join(" ");
    }
    event
}

/// Returns the reason why the plan that the caller named is not reused.
fn why_not(state: &State, inputs: &Inputs<'_>) -> Option<String> {
    let (spec, library) = (state.goal_spec()?, inputs.library?);
    let goal_state =
        state.goal.as_deref().filter(|goal_state| goal_state.planning.selection.is_none())?;
    let hit = spec.hit.as_ref().filter(|hit| hit.enabled)?;
    let task = hit.task.as_ref()?;
    let found = goal_state.planning.memories.iter().flatten().find(|memory| memory.task == *task);
    let miss = found
        .map_or(Err(CacheMiss::Gone), |memory| usable(state, memory, (library, inputs.planner)))
        .err();
    let lang = library.pack.lang();
    let why = match miss {
        Some(miss) => miss.words(lang),
        None if lang == Lang::En => {
            "its similarity is too low, or the plan cache does not apply here"
        }
        None => "相似度不足，或计划缓存在此不适用",
    };
    Some(match lang {
        Lang::En => format!("the plan of {task} was not reused: {why}."),
        Lang::Zh => format!("未复用 {task} 的计划：{why}。"),
    })
}

/// Returns true if the plan cache applies: it is enabled, and a new plan would depend on the goal alone.
fn may_look(state: &State, spec: &GoalSpec) -> bool {
    let fresh =
        state.goal.as_deref().is_some_and(|goal_state| goal_state.planning.selection.is_none());
    let alone = spec.past.is_none() && spec.material == GoalContext::default();
    let wanted = spec.hit.as_ref().is_none_or(|hit| hit.enabled);
    let free = spec.workflow.is_none() && state.steps.is_empty();
    spec.manner.plan_cache && wanted && fresh && alone && free
}

/// Returns the recalled tasks whose plans may be reused, in the order of recall.
fn candidates<'a>(state: &'a State, spec: &'a GoalSpec) -> impl Iterator<Item = &'a RecalledTask> {
    let goal_state = state.goal.as_deref();
    let memories = goal_state
        .and_then(|goal_state| goal_state.planning.memories.as_deref())
        .unwrap_or_default();
    let hit = spec.hit.as_ref();
    memories.iter().filter(move |memory| {
        let named = hit.and_then(|hit| hit.task.as_ref());
        let least = hit.and_then(|hit| hit.threshold).unwrap_or_default();
        named.is_none_or(|task| memory.task == *task) && memory.similarity >= least
    })
}

/// Returns the plan of an earlier task for this goal, checked like the plan of a model.
fn usable(
    state: &State,
    memory: &RecalledTask,
    (library, planner): (&Library, &dyn Planner),
) -> Result<FilledPlan, CacheMiss> {
    let missing =
        if memory.barred == Some(PlanBarred::Old) { CacheMiss::Old } else { CacheMiss::Gone };
    let template = memory.case.plan.as_ref().ok_or(missing)?;
    let plan = plan_for(state, memory, (template, planner)).ok_or(CacheMiss::Unlike)?;
    if !has_metadata(state, template) {
        return Err(CacheMiss::Metadata);
    }
    if !tools_of(&plan).all(|tool| library.catalog.contains_key(&tool)) {
        return Err(CacheMiss::Tools);
    }
    let mut after = state.clone();
    if let Some(goal_state) = after.goal.as_deref_mut() {
        let by = (SelectionMethod::Case, None);
        let tools = tools_of(&plan).collect();
        goal_state.planning.selection = Some(selection_of(by, tools, library, &NoPrice));
    }
    draft::accept(&after, &plan.steps, library).map(|_| plan).map_err(|_| CacheMiss::Refused)
}

/// A counter for a selection whose tokens nobody reads.
struct NoPrice;

impl TokenCounter for NoPrice {
    fn count(&self, _: &str) -> u64 {
        0
    }
}

/// Fills the plan with the values of this goal. If the caller allows it, a plan without values of its own goal is
/// reused as it stands.
fn plan_for(
    state: &State,
    memory: &RecalledTask,
    (template, planner): (&PlanTemplate, &dyn Planner),
) -> Option<FilledPlan> {
    let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
    let hit = state.goal_spec().and_then(|spec| spec.hit.as_ref());
    let allowed = hit.is_some_and(|hit| {
        let near = memory.similarity >= hit.threshold.unwrap_or(USUAL_THRESHOLD);
        hit.task.is_some() || near
    });
    let filled = planner.filled(template, goal);
    filled.or_else(|| planner.as_it_stands(template).filter(|_| allowed))
}

/// Returns true if the metadata has the same keys as that of the earlier task.
fn has_metadata(state: &State, template: &PlanTemplate) -> bool {
    let given: BTreeSet<&str> =
        state.submission.iter().flat_map(|s| s.metadata.keys()).map(AsRef::as_ref).collect();
    let then: BTreeSet<&str> = template.metadata.iter().map(String::as_str).collect();
    given == then
}

fn tools_of(plan: &FilledPlan) -> impl Iterator<Item = ToolId> {
    let tool = |step: &Value| step.get("tool").and_then(Value::as_str).map(ToolId::from);
    plan.steps.iter().filter_map(tool)
}

/// Returns the tools that would be selected without the cache: a replan may need more tools than the plan has.
fn beside(state: &State, inputs: &Inputs<'_>, library: &Library) -> BTreeSet<ToolId> {
    if offer::is_small(state, inputs, library) {
        return library.catalog.keys().cloned().collect();
    }
    let found = retrieved::find(state, inputs);
    retrieved::worth(&found, retrieved::ROOM, (library, inputs.tokens))
}

/// Returns true if the cached plan is to be used now: it was selected, and no plan was refused or replaced yet.
pub fn is_due(state: &State, goal_state: &GoalState) -> bool {
    let chosen = used(goal_state).is_some();
    let fresh = state.steps.is_empty() || goal_state.planning.drafting.open.is_some();
    chosen
        && fresh
        && !goal_state.planning.drafting.rest
        && goal_state.planning.drafting.misses == 0
}

/// Returns true if the tools were selected by the plan cache.
pub fn is_used(goal_state: &GoalState) -> bool {
    used(goal_state).is_some()
}

/// Returns the earlier task whose plan is reused.
fn used(goal_state: &GoalState) -> Option<&TaskId> {
    let chosen = goal_state
        .planning
        .selection
        .as_ref()
        .filter(|chosen| chosen.by == SelectionMethod::Case)?;
    chosen.case.as_ref().map(|case| &case.task)
}

/// Returns the events of the reused plan, filled with the values of this goal.
pub(super) fn events(state: &State, inputs: &Inputs<'_>) -> Option<Vec<Event>> {
    let library = inputs.library?;
    let goal_state = state.goal.as_deref()?;
    let task = used(goal_state)?;
    let memory =
        goal_state.planning.memories.iter().flatten().find(|memory| memory.task == *task)?;
    let plan = plan_for(state, memory, (memory.case.plan.as_ref()?, inputs.planner))?;
    let revision = draft::revision(state);
    let said = plan.promise.unwrap_or_else(|| json!({}));
    let closed = |names| Event::PlanClosed {
        revision,
        outcome: PlanOutcome::Complete,
        problems: vec![],
        promise: promise::read(&said, names),
    };
    if goal_state.planning.drafting.open.is_some() {
        // All its steps entered at once, but Praxis stopped before the revision was closed.
        return Some(vec![closed(&goal_state.planning.drafting.names)]);
    }
    let accepted = draft::accept(state, &plan.steps, library).ok()?;
    let closed = closed(&accepted.names);
    Some(vec![draft::planned(state, accepted), closed])
}
