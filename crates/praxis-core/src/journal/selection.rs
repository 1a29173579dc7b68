//! The tools that a goal works with. Frozen once chosen: later needs are added at the end.

use crate::ids::{TaskId, ToolId};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A choice of tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSelection {
    /// Who chose.
    pub by: SelectionMethod,
    /// The tools, sorted.
    pub tools: Vec<ToolId>,
    /// The kind of work.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_type: String,
    /// The standard workflow that fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Metadata by default of that workflow, where nobody says otherwise.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, Value>,
    /// Metadata that the goal says in its own words, under the names of that workflow.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, Value>,
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
    /// What changed against the choice before, when planning anew.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changes_summary: String,
    /// How the choice goes on from what is done, when continuing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub continuity_summary: String,
    /// Tools that were picked again though they were proven useless: they may not be planned with any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub useless: Vec<ToolId>,
    /// Why it was done in this way; none in journals that are older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<SelectionReason>,
    /// What retrieval found for the goal, the best first; none where nothing was looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<ToolCandidate>,
    /// How sure the plan is that was made without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sureness: Option<Sureness>,
    /// How many tools there are in all; none in journals that are older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
    /// The earlier task whose plan is used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<CaseUse>,
    /// The tokens of all tools' schemas, and of the signatures that are sent.
    pub tokens: (u64, u64),
    /// The tokens that the model's choice took, sent and received, if it was asked and answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_tokens: Option<u64>,
}

impl ToolSelection {
    /// The tools that may be planned with.
    pub fn usable(&self) -> impl Iterator<Item = &ToolId> {
        self.tools.iter().filter(|tool| !self.useless.contains(tool))
    }
}

/// An earlier task whose plan is used again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseUse {
    /// Which task.
    pub task: TaskId,
    /// How much of the present goal its goal says too, in thousandths.
    pub likeness: u32,
    /// The hash of what it did.
    pub hash: String,
}

/// A tool that retrieval found for a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCandidate {
    /// Which.
    pub tool: ToolId,
    /// How well it fits, in thousandths.
    pub score: u32,
    /// The words that speak for it, the weightiest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The share of near past cases that used it, in thousandths.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cases: u32,
    /// The tool that needs what it brings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brings_for: Option<ToolId>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(share: &u32) -> bool {
    *share == 0
}

/// Why tools were chosen in the way they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectionReason {
    /// There are fewer tools than it takes for a choice.
    BelowThreshold,
    /// There are as many tools as it takes, or more. Only in journals that are older than retrieval.
    Threshold,
    /// All of them together are few or short enough to be shown.
    Small,
    /// The words of the goal say clearly enough which.
    Sure,
    /// The words of the goal do not say clearly enough which.
    Unsure,
    /// A plan or a choice missed an ability.
    Needed,
    /// The caller wants a choice always.
    Always,
    /// The caller wants no choice.
    Never,
    /// There is no model that could choose.
    NoModel,
    /// The workflow says which.
    Workflow,
    /// The plan of an earlier task says which.
    Case,
    /// The model's choice had no tool that exists.
    FallbackEmpty,
    /// The model gave no choice that could be read.
    FallbackFailed,
}

impl SelectionReason {
    /// Whether something went wrong that a person should know of.
    pub fn warns(self) -> bool {
        matches!(self, Self::FallbackEmpty | Self::FallbackFailed)
    }
}

/// Who chose the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectionMethod {
    /// A model.
    Model,
    /// Nobody: there are few enough.
    All,
    /// Retrieval: the words of the goal, compared with those of the tools.
    Retrieval,
    /// The model's choice could not be used: what retrieval finds, else all that fit.
    Fallback,
    /// The workflow.
    Workflow,
    /// The planner without a model: the tools of the plan that it made.
    Offline,
    /// The plan of an earlier task, which is used again.
    Case,
}

/// How sure a plan is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sureness {
    /// How much of the goal it explains, of 100.
    pub percent: u32,
    /// What it does not explain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexplained: Vec<String>,
}
