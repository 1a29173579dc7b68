//! The goal, tools and plan of a finished task, kept for reuse by later tasks.

use crate::hash::content_hash;
use crate::ids::ToolId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A goal with the tools and the plan that served it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The goal in the words of the caller.
    pub goal: String,
    /// The tools of the steps that succeeded, in plan order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolId>,
    /// The plan, if it can be reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanTemplate>,
    /// The hash of a reused plan that failed or had to be changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misled_by: Option<String>,
}

/// A plan whose goal-specific values are replaced by slots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanTemplate {
    /// The steps in the format of a plan file.
    pub steps: Vec<Value>,
    /// The slots to fill, by name, each with its known properties.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub slots: BTreeMap<String, Value>,
    /// The words of the goal, with holes for the slots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wording: Vec<WordingPiece>,
    /// The names of the metadata of the original goal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<String>,
    /// The promise of the plan: its answer and checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<Value>,
}

impl PlanTemplate {
    /// Returns the hash of the content; equal plans of different tasks have the same hash.
    pub fn hash(&self) -> String {
        content_hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// A word of the goal, or a hole for a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordingPiece {
    /// A lower-case word, a single Chinese character, or a symbol that distinguishes requests, such as `+` or `%`.
    Word(String),
    /// The hole for a value, by the name of its slot.
    Hole(String),
}

impl Case {
    /// Returns the hash of the content, which identifies the case wherever it is used.
    pub fn hash(&self) -> String {
        content_hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}
