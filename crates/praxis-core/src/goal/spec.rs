//! What a task is pinned to whose plan is made by a model or from a workflow.

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

/// Everything that the course of a goal depends on, fixed when it is handed in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalSpec {
    /// The manifests of all tools that may be chosen.
    pub catalog: BlobId,
    /// How many these are.
    pub tools: u32,
    /// The texts of the prompts.
    pub pack: BlobId,
    /// The scene and its guidances.
    pub scene: BlobId,
    /// The standard workflows.
    pub workflows: BlobId,
    /// Synonyms of one's own, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synonyms: Option<BlobId>,
    /// What the caller called the kind of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The workflow that was named or that matched by its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Who is asked, by duty; nobody if there is no model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub advisers: BTreeMap<ModelRole, PinnedModel>,
    /// How it is to be worked out.
    pub manner: GoalOptions,
    /// What it may spend.
    #[serde(default)]
    pub budget: Budget,
    /// What the caller handed in beside the goal.
    #[serde(default, skip_serializing_if = "GoalContext::is_empty")]
    pub material: GoalContext,
    /// The form that the answer must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Earlier work that this request may go on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub past: Option<Box<EarlierWork>>,
    /// What the caller said of plans that could be used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit: Option<PlanReuse>,
}

impl GoalSpec {
    /// Who is asked for an errand.
    pub fn adviser(&self, errand: &Purpose) -> Option<&PinnedModel> {
        self.advisers.get(&errand.duty())
    }
}

/// A model as it is pinned: its name here, and what must be known to reserve for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedModel {
    /// Its name in the settings.
    pub model: String,
    /// The tokens that it can take in and give out together.
    pub context: u64,
    /// The most that it may answer.
    pub max_output: u32,
    /// What it costs, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// How a goal is worked out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GoalOptions {
    /// Who chooses tools before planning.
    pub two_stage: TwoStage,
    /// From how many tools on.
    pub two_stage_tool_threshold: u32,
    /// What a person sees before it runs.
    pub approval: PlanApproval,
    /// What follows a failure.
    pub recovery: RecoveryMode,
    /// When values are filled in by a model.
    pub inference: ValueInference,
    /// Who judges the outcome.
    pub judging: JudgingMode,
    /// Who tells the user how it goes.
    pub messages: ProgressMessages,
    /// How many tokens of an output a model is shown that judges it or answers with it.
    pub output_tokens: u32,
    /// From which score on the goal is reached.
    pub success_threshold: u32,
    /// Whether a finished task is looked back on.
    pub learn: bool,
    /// Whether what earlier tasks taught is looked up. A task of an earlier version did not: where it is not said,
    /// nothing is.
    #[serde(default)]
    pub experience: bool,
    /// Whether plans are used again, and kept to be. A task of an earlier version knew of none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plan_cache: bool,
    /// Repairs of one step; none: as the model decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_single_step_repairs: Option<u32>,
    /// Plans after the first; none: as the model decides within the budget.
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

/// Who chooses tools before planning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TwoStage {
    /// From the threshold on retrieval, and a model where it is not sure.
    #[default]
    Auto,
    /// Always a model.
    Always,
    /// Nobody: every tool is shown.
    Never,
}

/// What a person sees before it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanApproval {
    /// Every plan, before anything of it runs.
    Review,
    /// A plan that changes something, before that is done.
    #[default]
    Writes,
    /// Nothing: the caller allowed all of it.
    Allow,
}

/// What follows a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryMode {
    /// Nothing but the tool's own retries.
    Off,
    /// What the class of the error says, without a model.
    Classes,
    /// All rungs.
    #[default]
    Full,
}

/// When values are filled in by a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueInference {
    /// Never.
    Off,
    /// Where a value is missing.
    #[default]
    Missing,
    /// For every step.
    All,
}

/// Who judges the outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgingMode {
    /// What the plan said must hold, if it said so and everything went well; else a model.
    #[default]
    Auto,
    /// Always a model, as long as there is one.
    Model,
}

/// Who tells the user how it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgressMessages {
    /// Fixed words, at no cost.
    #[default]
    Rules,
    /// A model, beside the work; fixed words where it fails.
    Model,
}

/// What the caller handed in beside the goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GoalContext {
    /// Texts to work with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<GoalDocument>,
    /// What was said before, one utterance each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversation_history: Vec<String>,
    /// What the user prefers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub user_preferences: Vec<String>,
    /// Anything else, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub additional_info: BTreeMap<String, Value>,
}

impl GoalContext {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A text that was handed in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalDocument {
    /// Its name.
    pub name: String,
    /// Its text.
    pub content: Payload,
    /// What kind of text it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc_type: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// What an earlier task did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierWork {
    /// Which task.
    pub task: TaskId,
    /// What it was to do.
    pub goal: String,
    /// The steps that succeeded, in an order that can run.
    pub done: Vec<DoneStep>,
    /// The steps that did not, and why, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<String>,
    /// How the caller wants to go on; none if that is to be found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<StrategyDecision>,
}

/// A step that an earlier task did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DoneStep {
    /// As it was planned.
    pub step: PlannedStep,
    /// The tool that was called, where it is not the plan's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolId>,
    /// What was sent.
    pub arguments: Payload,
    /// What came back.
    pub output: Payload,
}

impl DoneStep {
    /// Its step.
    pub fn id(&self) -> &StepId {
        &self.step.id
    }
}
