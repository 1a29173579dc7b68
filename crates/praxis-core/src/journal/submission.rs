//! What a caller handed in, as the first fact of a task keeps it: what is wanted, and everything it was pinned to.

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

/// What a caller wants, and everything it was pinned to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// Its id.
    pub task: TaskId,
    /// Whose.
    #[serde(default)]
    pub tenant: Tenant,
    /// What is wanted, in words.
    pub goal: String,
    /// The writer's name for the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// Initial metadata.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<Arc<str>, Payload>,
    /// The tools of the plan as they were at this moment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<Contract>,
    /// How it is to be run.
    pub options: RunOptions,
    /// The rules that it is decided by.
    pub rules: u32,
    /// The caller's key: the same key is the same task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The task it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ForkParent>,
    /// The plan document as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<BlobId>,
    /// The flow that the plan was made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowPin>,
    /// Whom the steps may ask, if no plan is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minds: Option<Box<StepModels>>,
    /// How the plan is made, if it was not handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<Box<GoalSpec>>,
    /// The caller's words by which the task can be found.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// The version of Praxis that took it in.
    pub version: String,
}

/// Whom the steps of a task may ask, and what that may cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepModels {
    /// Who is asked.
    pub adviser: PinnedModel,
    /// What may be spent.
    #[serde(default)]
    pub budget: Budget,
}

/// The version of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowPin {
    /// Its name.
    pub name: String,
    /// The hash of it and of every flow that it calls; what stands behind it is the document.
    pub version: BlobId,
    /// Where its present version can be looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<FlowSource>,
}

/// Where a fork began, and in what it differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForkParent {
    /// The task.
    pub task: TaskId,
    /// The last event of it that the fork shares.
    pub seq: u64,
    /// What becomes of calls that change something.
    #[serde(default)]
    pub effects: EffectMode,
    /// Parameters that were set, by step and JSON pointer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<StepId, BTreeMap<String, Value>>,
    /// Initial metadata that was set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// What the parent's calls gave, for those that are not made again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub simulated: BTreeMap<StepId, Payload>,
    /// Who forked it.
    #[serde(default)]
    pub by: String,
}

/// What becomes of a fork's calls that change something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectMode {
    /// A person approves each.
    #[default]
    Ask,
    /// None is made; the parent's output stands for it.
    Simulate,
    /// They are made.
    Real,
}

/// Where a flow was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowSource {
    /// The whole path of its file.
    pub file: String,
    /// More folders with flows that are called by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
}
