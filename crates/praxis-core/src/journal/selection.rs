//! The tools that a goal works with. A selection is frozen: later needs are only added to it.

use crate::ids::{TaskId, ToolId};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A selection of tools for a goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSelection {
    /// The method by which the tools were selected.
    pub by: SelectionMethod,
    /// The selected tools, sorted.
    pub tools: Vec<ToolId>,
    /// The kind of work.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_type: String,
    /// The id of the workflow that the plan follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// The workflow's default metadata, for keys that nobody gave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defaults: BTreeMap<String, Value>,
    /// Metadata that the goal states itself, under the workflow's parameter names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, Value>,
    /// The score of the tools for the goal, from 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<u32>,
    /// The reason for these tools.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The reason why the goal was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
    /// Tool names that the model made up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Abilities that the model found missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The changes since the previous selection, after a replan.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changes_summary: String,
    /// The relation to the work that is done, for a task that continues another.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub continuity_summary: String,
    /// Tools that were selected although they kept failing in this task: plans may no longer use them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub useless: Vec<ToolId>,
    /// The reason for the method; `None` in journals older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<SelectionReason>,
    /// The tools that retrieval found, best first; empty if there was no retrieval.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<ToolCandidate>,
    /// The share of the goal that a plan without a model explains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sureness: Option<Sureness>,
    /// The number of tools in the catalog; `None` in journals older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
    /// The earlier task whose plan is reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<CaseUse>,
    /// The tokens of all tools' schemas, and of the signatures that are sent.
    pub tokens: (u64, u64),
    /// The tokens of the model call that selected the tools, prompt and completion; `None` if no model answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_tokens: Option<u64>,
}

impl ToolSelection {
    /// Returns the tools that a plan may use.
    pub fn usable(&self) -> impl Iterator<Item = &ToolId> {
        self.tools.iter().filter(|tool| !self.useless.contains(tool))
    }
}

/// An earlier task whose plan is reused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseUse {
    /// The earlier task.
    pub task: TaskId,
    /// The similarity of its goal, in thousandths.
    #[serde(rename = "likeness")]
    pub similarity: u32,
    /// The hash of its `Case`.
    pub hash: String,
}

/// A tool that retrieval found for a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCandidate {
    /// The tool.
    pub tool: ToolId,
    /// Its score, in thousandths.
    pub score: u32,
    /// The words that it shares with the goal, by descending weight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The share of similar past tasks that used it, in thousandths.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cases: u32,
    /// The tool whose input it produces, if it was found for that reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brings_for: Option<ToolId>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(share: &u32) -> bool {
    *share == 0
}

/// The reason why tools were selected by a certain method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectionReason {
    /// Fewer tools than the threshold.
    BelowThreshold,
    /// At least as many tools as the threshold. Only in journals older than retrieval.
    Threshold,
    /// All tools together are few or short enough for the prompt.
    Small,
    /// The words of the goal identify the tools clearly enough.
    Sure,
    /// The words of the goal do not identify the tools clearly enough.
    Unsure,
    /// A plan or a selection lacked an ability.
    Needed,
    /// The caller wants a selection in any case.
    Always,
    /// The caller wants no selection.
    Never,
    /// No model is available for the selection.
    NoModel,
    /// The workflow determines the tools.
    Workflow,
    /// The plan of an earlier task determines the tools.
    Case,
    /// The model selected no tool that exists.
    FallbackEmpty,
    /// The model gave no readable selection.
    FallbackFailed,
}

impl SelectionReason {
    /// Returns true if a person should be warned.
    pub fn warns(self) -> bool {
        matches!(self, Self::FallbackEmpty | Self::FallbackFailed)
    }
}

/// The method by which tools are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectionMethod {
    /// By a model.
    Model,
    /// No selection: all tools fit.
    All,
    /// By retrieval: the words of the goal are matched with those of the tools.
    Retrieval,
    /// Fallback for an unusable selection of a model: the tools that retrieval finds, else all that fit.
    Fallback,
    /// By the workflow.
    Workflow,
    /// By the planner without a model: the tools of its lexical plan.
    Offline,
    /// By the plan cache: the tools of the reused plan.
    Case,
}

/// The confidence of a plan that was made without a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sureness {
    /// The share of the goal that it explains, from 0 to 100.
    pub percent: u32,
    /// The parts of the goal that it does not explain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexplained: Vec<String>,
}
