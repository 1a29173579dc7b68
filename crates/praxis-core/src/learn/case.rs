//! What a task did, so that a later one can do it again.

use super::wording::Piece;
use crate::execute::step::{Status, Step};
use crate::ids::ToolId;
use crate::journal::chain::content_hash;
use crate::state::State;
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
}

impl Case {
    /// The case of a task as it stands.
    pub fn of(state: &State) -> Self {
        let goal = state.submission.as_ref().map_or("", |submission| submission.goal.as_str());
        let tools = succeeded(state).map(|step| step.tool().clone()).collect();
        Self { goal: goal.chars().take(GOAL_CHARS).collect(), tools, plan: None }
    }

    /// The hash of its content, by which a use can be traced to what was used.
    pub fn hash(&self) -> String {
        content_hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// The calls of the plan that succeeded.
pub(super) fn succeeded(state: &State) -> impl Iterator<Item = &Step> {
    let counts = |step: &&Step| step.status == Status::Success && !step.plan.gathers();
    state.steps.iter().filter(|step| !step.dropped).filter(counts)
}
