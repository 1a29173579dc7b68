//! The figures of a task shown to models: statistics, soft limits and tool outcomes.

use crate::ask::price::Money;
use crate::budget::limit::BudgetLimit;
use crate::ids::ToolId;
use crate::library::Library;
use crate::state::State;
use crate::state::step::{Step, StepStatus};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Counts the steps with a status, including dropped ones.
fn count(state: &State, wanted: StepStatus) -> String {
    state.steps.iter().filter(|step| step.status == wanted).count().to_string()
}

/// Renders the statistics of the task so far.
pub fn statistics(state: &State, library: &Library) -> String {
    let counters = &state.counters;
    library.pack.render(
        "statistics",
        &[
            ("round", &state.revision.max(1).to_string()),
            ("step_retries", &counters.step_retry_count.to_string()),
            ("single_step_repairs", &counters.single_step_repair_count.to_string()),
            ("task_replans", &counters.task_replan_count.to_string()),
            ("consecutive_failures", &counters.consecutive_failures.to_string()),
            ("successes", &count(state, StepStatus::Success)),
            ("failures", &failures(state)),
            ("budget_left", &budget_left(state)),
        ],
    )
}

fn failures(state: &State) -> String {
    let failed = |step: &&Step| step.fault.is_some() && step.status != StepStatus::Success;
    state.steps.iter().filter(failed).count().to_string()
}

/// Renders the soft limits on rounds, with the current round.
pub fn rounds_guide(state: &State, library: &Library) -> String {
    library.pack.render("guide.rounds", &[("round", &state.revision.max(1).to_string())])
}

/// Renders the soft limits on retries, with the current count.
pub fn retries_guide(state: &State, library: &Library) -> String {
    let retries = state.counters.step_retry_count.to_string();
    library.pack.render("guide.retries", &[("step_retries", &retries)])
}

/// Renders the remainder of each budget limit.
fn budget_left(state: &State) -> String {
    let Some(spec) = state.goal_spec() else { return String::new() };
    let (ledger, budget) = (&state.ledger, &spec.budget);
    let left = |limit, used: u64| Some(ledger.allowed(budget, limit)?.saturating_sub(used));
    let tokens = ledger.usage.prompt + ledger.usage.completion + ledger.reserved;
    let mut words = Vec::new();
    for (limit, used) in [
        (BudgetLimit::Tokens, tokens),
        (BudgetLimit::ModelCalls, ledger.model_calls),
        (BudgetLimit::ToolCalls, ledger.tool_calls),
        (BudgetLimit::Replans, ledger.replans),
    ] {
        words.extend(left(limit, used).map(|left| format!("{} {left}", limit.word())));
    }
    if let Some(money) = &budget.money {
        let spent = ledger.money.get(&money.currency).copied().unwrap_or_default();
        let micros = left(BudgetLimit::Money, spent).unwrap_or_default();
        words.push(Money { currency: money.currency.clone(), micros }.to_string());
    }
    words.join(", ")
}

/// Renders the successes and failures of each tool used so far.
pub fn outcomes(state: &State) -> String {
    let mut by_tool: BTreeMap<&ToolId, (u32, u32)> = BTreeMap::new();
    for step in state.steps.iter().filter(|step| step.attempt > 0 || step.fault.is_some()) {
        let entry = by_tool.entry(step.tool()).or_default();
        match step.status {
            StepStatus::Success => entry.0 += 1,
            StepStatus::Error | StepStatus::Waiting | StepStatus::Skipped => entry.1 += 1,
            StepStatus::Init
            | StepStatus::Running
            | StepStatus::Param
            | StepStatus::Cancelled
            | StepStatus::InDoubt => {}
        }
    }
    let mut out = String::new();
    for (tool, (succeeded, failed)) in by_tool {
        let _ = writeln!(out, "{tool}: ✅ {succeeded} ❌ {failed}");
    }
    out.trim_end().to_owned()
}
