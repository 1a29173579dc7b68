//! Experience in `praxis show`: recalled tasks, the reused plan, and the experience gained from the task.

use super::experience::{category, scores};
use crate::context::CliContext;
use crate::view::goal_lines::share;
use crate::view::text::{Paint, comma, cut, enclosed, headed};
use praxis_core::journal::event::{Entry, Event};
use praxis_core::journal::experience::Experience;
use praxis_core::journal::memory::RecalledTask;
use praxis_core::journal::selection::CaseUse;
use praxis_core::learn::memory;
use praxis_core::state::State;
use serde_json::{Value, json};

/// Maximum width of a summary, in columns.
const SUMMARY: usize = 120;

/// Returns the last recorded experience of the task.
pub(super) fn taught(entries: &[Entry]) -> Option<&Experience> {
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::TaskLearnt(experience) => Some(&**experience),
        _ => None,
    })
}

/// Returns the recalled tasks as JSON, with `offered` set for those shown to the planner.
pub(super) fn recalled(state: &State) -> Option<Vec<Value>> {
    let memories = state.goal.as_deref()?.planning.memories.as_ref()?;
    let offered: Vec<&RecalledTask> = memory::offered(memories).collect();
    let told = |it: &RecalledTask| json!({"task": it.task, "likeness": it.similarity, "offered": offered.contains(&it)});
    Some(memories.iter().map(told).collect())
}

/// Returns the earlier task whose plan was reused.
pub(super) fn plan_of(state: &State) -> Option<&CaseUse> {
    state.goal.as_deref()?.planning.selection.as_ref()?.case.as_ref()
}

pub(super) fn print(context: &CliContext, state: &State, entries: &[Entry]) {
    let paint = Paint(context.colors);
    let memories =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.memories.as_deref());
    let offered: Vec<String> = memory::offered(memories.unwrap_or_default())
        .map(|it| format!("{}{}", it.task, enclosed(&share(it.similarity), context.lang)))
        .collect();
    if !offered.is_empty() {
        let label = ("used experience from:", "参考了这些任务的经验：");
        let line = headed(context.lang, label, &offered.join(comma(context.lang)));
        out!("  {}", paint.faint(&line));
    }
    if let Some(taught) = taught(entries) {
        let (kind, summary) =
            (category(taught.category, context.lang), cut(&taught.quick_summary, SUMMARY));
        let line = format!("{kind} {}  {summary}", scores(taught));
        out!("  {}", paint.faint(&headed(context.lang, ("learned:", "经验："), &line)));
    }
}
