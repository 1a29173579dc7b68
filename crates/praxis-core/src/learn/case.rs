//! Builds the `Case` of a task, from which later tasks learn.

use super::straight;
use crate::journal::case::Case;
use crate::journal::case::PlanTemplate;
use crate::journal::selection::SelectionMethod;
use crate::library::Library;
use crate::planner::Planner;
use crate::state::step::{Step, StepStatus};
use crate::state::{State, TaskStatus};

/// The maximum length of a stored goal. Text beyond it is material rather than part of the goal.
const GOAL_CHARS: usize = 2000;

impl Case {
    /// Builds the case of a task in its current state.
    pub fn of(state: &State, library: Option<&Library>, planner: &dyn Planner) -> Self {
        let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
        let trusted = !is_guesswork(state);
        let tools = succeeded(state).filter(|_| trusted);
        let tools = tools.map(|step| step.tool().clone()).collect();
        let library = library.filter(|_| trusted);
        let whole = goal.chars().count() <= GOAL_CHARS;
        let plan =
            library.filter(|_| whole).and_then(|library| straight::plan(state, (library, planner)));
        let misled_by = misled_by(state).filter(|_| plan.is_none());
        Self { goal: goal.chars().take(GOAL_CHARS).collect(), tools, plan, misled_by }
    }
}

/// The least percentage of a goal that a plan without a model must explain to serve as an example.
const EXEMPLARY: u32 = 80;

/// Returns true if the plan was made without a model and explains too little of the goal: then the success of its
/// steps does not prove that they were the wanted ones.
fn is_guesswork(state: &State) -> bool {
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    let offline = chosen.filter(|chosen| chosen.by == SelectionMethod::Offline);
    let sureness = offline.and_then(|chosen| chosen.sureness.as_ref());
    sureness.is_some_and(|sureness| sureness.percent < EXEMPLARY)
}

/// Returns the hash of the reused plan if the task failed with it or had to change it.
fn misled_by(state: &State) -> Option<String> {
    let goal_state = state.goal.as_deref()?;
    let used = goal_state.planning.selection.as_ref()?.case.as_ref()?;
    let counters = &state.counters;
    let left = counters.single_step_repair_count > 0 || counters.task_replan_count > 0;
    let misled = left || state.status() == TaskStatus::Failed;
    let mut memories = goal_state.planning.memories.iter().flatten().filter(|_| misled);
    let memory = memories.find(|memory| memory.task == used.task)?;
    memory.case.plan.as_ref().map(PlanTemplate::hash)
}

/// Returns the tool calls of the plan that succeeded.
pub(super) fn succeeded(state: &State) -> impl Iterator<Item = &Step> {
    let counts = |step: &&Step| step.status == StepStatus::Success && !step.plan.gathers();
    state.steps.iter().filter(|step| !step.dropped).filter(counts)
}
