//! The submission of a caller, the first event of a task: the goal, and everything that the task is pinned to.

use super::options::RunOptions;
use crate::budget::limit::Budget;
use crate::call::tool::Contract;

use crate::goal::spec::{GoalSpec, PinnedModel};
use crate::ids::{BlobId, StepId, TaskId, Tenant};
use crate::payload::Payload;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The goal of a caller, and everything that the task is pinned to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// The id of the task.
    pub task: TaskId,
    /// The tenant that owns the task.
    #[serde(default)]
    pub tenant: Tenant,
    /// The goal in words.
    pub goal: String,
    /// The caller's name for the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// The initial metadata.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<Arc<str>, Payload>,
    /// The contracts of the plan's tools at the time of submission.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<Contract>,
    /// The options of the run.
    pub options: RunOptions,
    /// The version of the decision rules, `RULES`.
    pub rules: u32,
    /// The caller's idempotency key: a second submission with the same key returns the same task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The fork point, if the task is a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ForkParent>,
    /// The plan document as the caller wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<BlobId>,
    /// The flow that the plan was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowPin>,
    /// The model that steps may call, for a task without a `GoalSpec`.
    #[serde(rename = "minds", default, skip_serializing_if = "Option::is_none")]
    pub step_model: Option<Box<StepModel>>,
    /// The `GoalSpec` of a task whose plan is not handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<Box<GoalSpec>>,
    /// The caller's tags, for finding the task.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// The version of Praxis that accepted the task.
    pub version: String,
}

/// The model that the steps of a task may call, and its budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepModel {
    /// The model.
    pub adviser: PinnedModel,
    /// The budget.
    #[serde(default)]
    pub budget: Budget,
}

/// A pinned version of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowPin {
    /// The name of the flow.
    pub name: String,
    /// The hash of the flow and of every flow that it calls.
    pub version: BlobId,
    /// The file from which its current version can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<FlowSource>,
}

/// The fork point of a task, and its differences from the parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForkParent {
    /// The parent task.
    pub task: TaskId,
    /// The last event of the parent that the fork shares.
    pub seq: u64,
    /// The treatment of calls that change something.
    #[serde(default)]
    pub effects: EffectMode,
    /// Overridden parameters, by step and JSON pointer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<StepId, BTreeMap<String, Value>>,
    /// The keys of the initial metadata that were set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// The outputs of the parent's calls, for calls that the fork simulates.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub simulated: BTreeMap<StepId, Payload>,
    /// The author of the fork.
    #[serde(default)]
    pub by: String,
}

/// The treatment of a fork's calls that change something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectMode {
    /// Ask a person to approve each call.
    #[default]
    Ask,
    /// Make no such call; use the parent's output.
    Simulate,
    /// Make the calls.
    Real,
}

/// The file that a flow was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowSource {
    /// The full path of the file.
    pub file: String,
    /// Additional folders with flows that are called by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
}
