//! A plan as a small graph: one line per step, indented by its level, with its dependencies.

use super::text::{Paint, cut, pad, width};
use praxis_core::ids::StepId;
use praxis_core::state::State;
use praxis_core::state::step::Step;
use std::collections::BTreeMap;

/// Maximum number of steps drawn.
const MOST_STEPS: usize = 24;
/// Maximum indentation level.
const MOST_INDENT: usize = 8;

/// Returns the level of every step in the plan: one more than the highest level of its dependencies.
pub(crate) fn levels(state: &State) -> BTreeMap<&StepId, usize> {
    let mut level: BTreeMap<&StepId, usize> = BTreeMap::new();
    for step in state.steps.iter().filter(|step| !step.dropped) {
        let needs = needs(step).into_iter().chain(&step.plan.actions);
        let before = needs.filter_map(|id| level.get(id)).max().copied().unwrap_or(0);
        level.insert(&step.plan.id, before + 1);
    }
    level
}

/// Returns the dependencies of a step: the `depends_on` of a plan and the incoming edges of a flow node.
fn needs(step: &Step) -> Vec<&StepId> {
    let ways = step.plan.ways().iter().map(|way| &way.from);
    step.plan.depends_on.iter().chain(ways).collect()
}

/// Formats one line for each step in the plan.
pub(crate) fn lines(state: &State, paint: Paint) -> Vec<String> {
    let levels = levels(state);
    let drawn: Vec<&Step> = state.steps.iter().filter(|step| !step.dropped).collect();
    let widest = drawn.iter().map(|step| width(step.plan.id.as_str())).max().unwrap_or(0).min(32);
    let line = |step: &&Step| {
        let level = levels.get(&step.plan.id).copied().unwrap_or(1);
        let indent = "  ".repeat(level.saturating_sub(1).min(MOST_INDENT));
        let arm = if level > 1 { "└ " } else { "• " };
        let (id, name) = (pad(step.plan.id.as_str(), widest), cut(&step.plan.name, 32));
        let tool = paint.faint(step.tool().as_str());
        let needs: Vec<&str> = needs(step).into_iter().map(StepId::as_str).collect();
        let needs =
            if needs.is_empty() { String::new() } else { format!("  ← {}", needs.join(", ")) };
        format!("  {indent}{arm}{id}  {name}  {tool}{}", paint.faint(&needs))
    };
    let mut lines: Vec<String> = drawn.iter().take(MOST_STEPS).map(line).collect();
    if let Some(more) = drawn.len().checked_sub(MOST_STEPS).filter(|more| *more > 0) {
        lines.push(format!("  … +{more}"));
    }
    lines
}
