//! The tools that a goal works with. Frozen once chosen: later needs are added at the end.

use crate::ids::ToolId;
use serde::{Deserialize, Serialize};

/// A choice of tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// Who chose.
    pub by: Selector,
    /// The tools, sorted.
    pub tools: Vec<ToolId>,
    /// The kind of work.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_type: String,
    /// The standard workflow that fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// How well the tools fit the goal, of 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<u32>,
    /// Why these.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Why the goal was turned away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
    /// Names that the model made up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Abilities that the model missed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The tokens of all tools' schemas, and of the signatures that are sent.
    pub tokens: (u64, u64),
}

/// Who chose the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selector {
    /// A model.
    Model,
    /// Nobody: there are few enough.
    All,
    /// The model's choice could not be used: all that fit.
    Fallback,
    /// The workflow.
    Workflow,
}
