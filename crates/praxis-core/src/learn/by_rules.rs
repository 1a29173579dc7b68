//! Derives the experience of a finished task by rules, without a model.

use super::case::succeeded;
use crate::ids::ToolId;
use crate::inputs::Inputs;
use crate::journal::case::Case;
use crate::journal::experience::{Experience, ExperienceCategory};
use crate::lang::Lang;
use crate::state::step::StepStatus;
use crate::state::{State, TaskStatus};

/// The maximum length of an experience's title.
const TITLE_CHARS: usize = 200;
/// The maximum length of a quoted fault.
const FAULT_CHARS: usize = 500;
/// The points that efficiency loses for each retry and each failed step.
const DETOUR: u32 = 10;
/// The points that efficiency loses for each step repair and each replan.
const NEW_PLAN: u32 = 20;

/// Derives the `Experience` of a task by rules.
pub(super) fn by_rules(state: &State, inputs: &Inputs<'_>) -> Experience {
    let (case, lang) = (Case::of(state, inputs.library, inputs.planner), inputs.lang());
    let chain = case.tools.iter().map(ToolId::as_str).collect::<Vec<_>>().join(" -> ");
    let done = state.status() == TaskStatus::Completed;
    let category = if done {
        ExperienceCategory::SolvingIdeas
    } else {
        ExperienceCategory::ReflectionSuggestions
    };
    let fault = state.fault().map(|fault| fault.message(lang)).unwrap_or_default();
    let fault: String = fault.chars().take(FAULT_CHARS).collect();
    let told = LessonWords { chain: &chain, fault: &fault, lang };
    let (experience, quick_summary) = if done { told.way() } else { told.failure() };
    Experience {
        task_completion: completion(state, done),
        execution_efficiency: efficiency(state),
        tool_usage: tool_usage(state, done),
        category,
        intention: intention(state),
        task: case.goal.chars().take(TITLE_CHARS).collect(),
        experience,
        quick_summary,
        defaulted: false,
        case: Some(case),
    }
}

/// The parts of an experience's text.
struct LessonWords<'a> {
    chain: &'a str,
    fault: &'a str,
    lang: Lang,
}

impl LessonWords<'_> {
    /// Returns the text and the summary of a success.
    fn way(&self) -> (String, String) {
        let Self { chain, lang, .. } = self;
        if chain.is_empty() {
            let words = match lang {
                Lang::En => "no tool call was needed",
                Lang::Zh => "无需调用工具",
            };
            return (words.to_owned(), words.to_owned());
        }
        let at_length = match lang {
            Lang::En => format!("completed with these tools, in this order: {chain}"),
            Lang::Zh => format!("依次使用这些工具完成：{chain}"),
        };
        (at_length, (*chain).to_owned())
    }

    /// Returns the text and the summary of a failure.
    fn failure(&self) -> (String, String) {
        let Self { chain, fault, lang } = self;
        let at_length = match (lang, chain.is_empty()) {
            (_, true) => (*fault).to_owned(),
            (Lang::En, false) => format!("failed after {chain}: {fault}"),
            (Lang::Zh, false) => format!("在 {chain} 之后失败：{fault}"),
        };
        let summary = match lang {
            Lang::En => format!("failed: {fault}"),
            Lang::Zh => format!("失败：{fault}"),
        };
        (at_length, summary)
    }
}

/// Returns the kind of work: the caller's intent, else the task type of the `ToolSelection`.
fn intention(state: &State) -> String {
    let said = state.goal_spec().and_then(|spec| spec.intent.clone());
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    said.or_else(|| chosen.map(|chosen| chosen.task_type.clone())).unwrap_or_default()
}

/// Returns the score of the judgement, else the percentage of succeeded steps.
fn completion(state: &State, done: bool) -> u32 {
    let judgement =
        state.goal.as_deref().and_then(|goal_state| goal_state.evaluation.judgement.as_ref());
    if let Some(judgement) = judgement {
        return judgement.scores.overall().min(100);
    }
    let (succeeded, all) = state.progress();
    share((succeeded, all), done)
}

/// Returns 100 minus the points for retries, failed steps, repairs and replans.
fn efficiency(state: &State) -> u32 {
    let counters = &state.counters;
    let failed = state.steps.iter().filter(|step| step.status == StepStatus::Error).count();
    let failed = u32::try_from(failed).unwrap_or(u32::MAX);
    let detours = counters.step_retry_count.saturating_add(failed).saturating_mul(DETOUR);
    let plans = counters.single_step_repair_count.saturating_add(counters.task_replan_count);
    100_u32.saturating_sub(detours).saturating_sub(plans.saturating_mul(NEW_PLAN))
}

/// Returns the percentage of tool calls that succeeded.
fn tool_usage(state: &State, done: bool) -> u32 {
    let calls = usize::try_from(state.ledger.tool_calls).unwrap_or(usize::MAX);
    share((succeeded(state).count(), calls), done)
}

/// Returns a percentage. An empty total counts as 100 if the task completed, else as 0.
fn share((part, all): (usize, usize), done: bool) -> u32 {
    if all == 0 {
        return if done { 100 } else { 0 };
    }
    u32::try_from(part.min(all) * 100 / all).unwrap_or(100)
}
