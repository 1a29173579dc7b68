//! The pinned specification of a task whose plan is made by Praxis, from a model or a workflow.

use crate::ask::price::Price;
use crate::ask::purpose::{ModelRole, Purpose};
use crate::budget::limit::Budget;
use crate::goal::plan_reuse::PlanReuse;
use crate::goal::strategy::StrategyDecision;
use crate::ids::{BlobId, StepId, TaskId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::payload::Payload;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Everything that a goal depends on, fixed at submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalSpec {
    /// The manifests of all tools that may be chosen.
    pub catalog: BlobId,
    /// The number of tools in the catalog.
    pub tools: u32,
    /// The prompt pack.
    pub pack: BlobId,
    /// The scene with its guidance.
    pub scene: BlobId,
    /// The standard workflows.
    pub workflows: BlobId,
    /// The operator's own synonyms, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synonyms: Option<BlobId>,
    /// The intent that the caller states in the goal (`Intent: …`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The workflow that the caller named, or that matches the stated intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// The pinned models by role; empty if there is no model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub advisers: BTreeMap<ModelRole, PinnedModel>,
    /// The options of the goal.
    pub manner: GoalOptions,
    /// The budget of the task.
    #[serde(default)]
    pub budget: Budget,
    /// The context that the caller handed in with the goal.
    #[serde(default, skip_serializing_if = "GoalContext::is_empty")]
    pub material: GoalContext,
    /// The JSON schema of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Earlier work that this request may continue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub past: Option<Box<EarlierWork>>,
    /// The caller's choices about plan reuse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit: Option<PlanReuse>,
}

impl GoalSpec {
    /// Returns the model that serves a `Purpose`.
    pub fn model_for(&self, purpose: &Purpose) -> Option<&PinnedModel> {
        self.advisers.get(&purpose.role())
    }
}

/// A pinned model: its name in the settings, and the limits and price that a reservation needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedModel {
    /// The name of the model in the settings.
    pub model: String,
    /// The context window: tokens of prompt and answer together.
    pub context: u64,
    /// The maximum number of tokens of an answer.
    pub max_output: u32,
    /// The price, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// Options for planning, running and judging a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GoalOptions {
    /// The method that selects tools before planning.
    pub two_stage: TwoStage,
    /// The number of tools from which `TwoStage::Auto` selects.
    pub two_stage_tool_threshold: u32,
    /// The plans that a person approves before they run.
    pub approval: PlanApproval,
    /// The reaction to failures.
    pub recovery: RecoveryMode,
    /// The steps whose values a model infers.
    pub inference: ValueInference,
    /// The judge of the outcome.
    pub judging: JudgingMode,
    /// The author of progress messages to the user.
    pub messages: ProgressMessages,
    /// The number of tokens of an output that is shown to a model that judges it or answers with it.
    pub output_tokens: u32,
    /// The overall score from which the goal counts as reached.
    pub success_threshold: u32,
    /// True if a finished task is evaluated to keep an experience of it.
    pub learn: bool,
    /// True if experience of earlier tasks is recalled. False for journals of earlier versions, which lack the field.
    #[serde(default)]
    pub experience: bool,
    /// True if plans are reused and kept for reuse. False for journals of earlier versions, which lack the field.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plan_cache: bool,
    /// The maximum number of repairs of one step; `None` leaves it to the model, within a built-in limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_single_step_repairs: Option<u32>,
    /// The maximum number of replans; `None` leaves it to the model, within the budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_task_replans: Option<u32>,
}

impl Default for GoalOptions {
    fn default() -> Self {
        Self {
            two_stage: TwoStage::Auto,
            two_stage_tool_threshold: 10,
            approval: PlanApproval::Writes,
            recovery: RecoveryMode::Full,
            inference: ValueInference::Missing,
            judging: JudgingMode::Auto,
            messages: ProgressMessages::Rules,
            output_tokens: 64_000,
            success_threshold: 80,
            learn: true,
            experience: true,
            plan_cache: true,
            max_single_step_repairs: None,
            max_task_replans: None,
        }
    }
}

/// The method that selects tools before planning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TwoStage {
    /// Retrieval, and a model if retrieval is not sure; only from `two_stage_tool_threshold` tools on.
    #[default]
    Auto,
    /// Always a model.
    Always,
    /// No selection: the planner sees every tool.
    Never,
}

/// The plans that a person approves before they run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanApproval {
    /// Every plan, before any of its steps runs.
    Review,
    /// A plan that changes something, before the first change.
    #[default]
    Writes,
    /// No plan: the caller allowed everything.
    Allow,
}

/// The reaction to failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryMode {
    /// Only the retries of the tool itself.
    Off,
    /// Remedies by the class of the error, without a model.
    Classes,
    /// All rungs.
    #[default]
    Full,
}

/// The steps whose values a model infers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueInference {
    /// No step.
    Off,
    /// Steps with a missing value.
    #[default]
    Missing,
    /// Every step.
    All,
}

/// The judge of the outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgingMode {
    /// The promise of the plan, if it made one and nothing went wrong; otherwise a model.
    #[default]
    Auto,
    /// Always a model, if there is one.
    Model,
}

/// The author of progress messages to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgressMessages {
    /// Fixed texts, without a model call.
    #[default]
    Rules,
    /// A model, in parallel to the work; fixed texts if it fails.
    Model,
}

/// The context that a caller hands in with a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GoalContext {
    /// Documents to work with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<GoalDocument>,
    /// The conversation so far, one utterance per item.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversation_history: Vec<String>,
    /// The preferences of the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub user_preferences: Vec<String>,
    /// Any other values, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub additional_info: BTreeMap<String, Value>,
}

impl GoalContext {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A document that was handed in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalDocument {
    /// The name of the document.
    pub name: String,
    /// The content of the document.
    pub content: Payload,
    /// The kind of document.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc_type: String,
    /// A description of the document.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// The work of an earlier task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierWork {
    /// The earlier task.
    pub task: TaskId,
    /// The goal of that task.
    pub goal: String,
    /// The steps that succeeded, in executable order.
    pub done: Vec<DoneStep>,
    /// The steps that did not succeed, each with the reason in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<String>,
    /// The strategy that the caller chose; `None` if it is to be determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<StrategyDecision>,
}

/// A step that an earlier task completed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DoneStep {
    /// The step as planned.
    pub step: PlannedStep,
    /// The tool that was called, if it differs from the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolId>,
    /// The arguments that were sent.
    pub arguments: Payload,
    /// The output of the call.
    pub output: Payload,
}

impl DoneStep {
    /// Returns the id of the step.
    pub fn id(&self) -> &StepId {
        &self.step.id
    }
}
