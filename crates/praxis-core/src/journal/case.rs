//! What a task did, so that a later one can do it again.

use crate::hash::content_hash;
use crate::ids::ToolId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

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
    pub plan: Option<PlanTemplate>,
    /// The hash of an earlier plan that it used and that did not lead to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misled_by: Option<String>,
}

/// A plan whose values are taken out, to be filled anew.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanTemplate {
    /// The steps as a plan file writes them.
    pub steps: Vec<Value>,
    /// What has to be filled, by name: what is known of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub slots: BTreeMap<String, Value>,
    /// The words of the goal, with the places of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wording: Vec<WordingPiece>,
    /// The names of the metadata that came with that goal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<String>,
    /// What it says of its own outcome: the answer and the checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<Value>,
}

impl PlanTemplate {
    /// The hash of its content: the same plan of another task has the same.
    pub fn hash(&self) -> String {
        content_hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// A word, or the place of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordingPiece {
    /// A word in small letters; a single character of Chinese; a sign that tells one thing from another.
    Word(String),
    /// The place of a value, by its name.
    Hole(String),
}

impl Case {
    /// The hash of its content, by which a use can be traced to what was used.
    pub fn hash(&self) -> String {
        content_hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}
