//! What a task did, so that a later one can do it again.

use super::straight;
use super::wording::Piece;
use crate::execute::step::{Status, Step};
use crate::goal::library::Library;
use crate::hash::content_hash;
use crate::ids::ToolId;
use crate::plan::selection::Selector;
use crate::state::{State, TaskStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// How much of a goal is kept. What comes after so much is material rather than a wish.
const GOAL_CHARS: usize = 2000;

/// A goal, and what served it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// What was wanted, in the words of the caller.
    pub goal: String,
    /// The tools of the steps that succeeded, in the order of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolId>,
    /// The plan, if it can be used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Template>,
    /// The hash of an earlier plan that it used and that did not lead to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misled_by: Option<String>,
}

/// A plan whose values are taken out, to be filled anew.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Template {
    /// The steps as a plan file writes them.
    pub steps: Vec<Value>,
    /// What has to be filled, by name: what is known of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub slots: BTreeMap<String, Value>,
    /// The words of the goal, with the places of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wording: Vec<Piece>,
    /// The names of the metadata that came with that goal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<String>,
    /// What it says of its own outcome: the answer and the checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<Value>,
}

impl Case {
    /// The case of a task as it stands.
    pub fn of(state: &State, library: Option<&Library>) -> Self {
        let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
        let trusted = !is_guesswork(state);
        let tools = succeeded(state).filter(|_| trusted);
        let tools = tools.map(|step| step.tool().clone()).collect();
        let library = library.filter(|_| trusted);
        let whole = goal.chars().count() <= GOAL_CHARS;
        let plan = library.filter(|_| whole).and_then(|library| straight::plan(state, library));
        let misled_by = misled_by(state).filter(|_| plan.is_none());
        Self { goal: goal.chars().take(GOAL_CHARS).collect(), tools, plan, misled_by }
    }

    /// The hash of its content, by which a use can be traced to what was used.
    pub fn hash(&self) -> String {
        content_hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}

impl Template {
    /// The hash of its content: the same plan of another task has the same.
    pub fn hash(&self) -> String {
        content_hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// Below this share of a goal, of 100, a plan without a model is no example for others.
const EXEMPLARY: u32 = 80;

/// Whether the plan was put together without a model from words of which too many said nothing to it: that its steps
/// succeeded does not say that they were what was wanted.
fn is_guesswork(state: &State) -> bool {
    let chosen = state.goal.as_deref().and_then(|course| course.selection.as_ref());
    let offline = chosen.filter(|chosen| chosen.by == Selector::Offline);
    let sureness = offline.and_then(|chosen| chosen.sureness.as_ref());
    sureness.is_some_and(|sureness| sureness.percent < EXEMPLARY)
}

/// The earlier plan that a task used if it failed with it, or had to leave it.
fn misled_by(state: &State) -> Option<String> {
    let course = state.goal.as_deref()?;
    let used = course.selection.as_ref()?.case.as_ref()?;
    let counters = &state.counters;
    let left = counters.single_step_repair_count > 0 || counters.task_replan_count > 0;
    let misled = left || state.status() == TaskStatus::Failed;
    let mut memories = course.memories.iter().flatten().filter(|_| misled);
    let memory = memories.find(|memory| memory.task == used.task)?;
    memory.case.plan.as_ref().map(Template::hash)
}

/// The calls of the plan that succeeded.
pub(super) fn succeeded(state: &State) -> impl Iterator<Item = &Step> {
    let counts = |step: &&Step| step.status == Status::Success && !step.plan.gathers();
    state.steps.iter().filter(|step| !step.dropped).filter(counts)
}
