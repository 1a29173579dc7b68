//! The settings of goals as types.

use super::forms;
use super::model::RunSettings;
use praxis_core::ask::price::Money;
use praxis_core::budget::limit::Budget;
use praxis_core::goal::spec::{
    GoalOptions, JudgingMode, PlanApproval, ProgressMessages, RecoveryMode, TwoStage,
    ValueInference,
};
use serde::Deserialize;

/// `[goal]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GoalSettings {
    /// The use of a tool selection before planning.
    #[serde(deserialize_with = "forms::word")]
    pub two_stage: TwoStage,
    /// The number of tools from which `TwoStage::Auto` selects.
    #[serde(deserialize_with = "forms::within::<0, 10_000, _>")]
    pub two_stage_tool_threshold: u32,
    /// The plans that a person approves before they run.
    #[serde(deserialize_with = "forms::word")]
    pub approval: PlanApproval,
    /// The reaction to failures.
    #[serde(deserialize_with = "forms::word")]
    pub recovery: RecoveryMode,
    /// The steps whose values a model infers.
    #[serde(deserialize_with = "forms::word")]
    pub inference: ValueInference,
    /// The judge of the outcome.
    #[serde(deserialize_with = "forms::word")]
    pub judging: JudgingMode,
    /// The author of progress messages to the user.
    #[serde(deserialize_with = "forms::word")]
    pub messages: ProgressMessages,
    /// The number of tokens of an output that is shown to a model that judges it or answers with it.
    #[serde(deserialize_with = "forms::within::<100, 10_000_000, _>")]
    pub output_tokens: u32,
    /// The score from which the goal counts as reached.
    #[serde(deserialize_with = "forms::within::<0, 100, _>")]
    pub success_threshold: u32,
    /// True if a finished task is evaluated to keep an experience of it.
    #[serde(deserialize_with = "forms::flag")]
    pub learn: bool,
    /// True if experience of earlier tasks is recalled.
    #[serde(deserialize_with = "forms::flag")]
    pub experience: bool,
    /// True if plans of earlier tasks are reused.
    #[serde(deserialize_with = "forms::flag")]
    pub plan_cache: bool,
}

impl GoalSettings {
    /// Builds the `GoalOptions`, with the repair and replan limits of `run`.
    pub(crate) fn manner(&self, run: &RunSettings) -> GoalOptions {
        GoalOptions {
            two_stage: self.two_stage,
            two_stage_tool_threshold: self.two_stage_tool_threshold,
            approval: self.approval,
            recovery: self.recovery,
            inference: self.inference,
            judging: self.judging,
            messages: self.messages,
            output_tokens: self.output_tokens,
            success_threshold: self.success_threshold,
            learn: self.learn,
            experience: self.experience,
            plan_cache: self.plan_cache,
            max_single_step_repairs: run.limits.cap(run.max_single_step_repairs, 1),
            max_task_replans: run.limits.cap(run.max_task_replanning_attempts, 1),
        }
    }
}

/// `[budget]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spending {
    /// Maximum number of tokens, sent and received.
    #[serde(deserialize_with = "forms::within::<1, 1_000_000_000, _>")]
    pub tokens: u32,
    /// Maximum amount of money; `None` for no limit.
    #[serde(deserialize_with = "forms::money")]
    pub money: Option<Money>,
    /// Maximum number of model and tool calls together; zero for no limit.
    #[serde(deserialize_with = "forms::within::<0, 1_000_000, _>")]
    pub calls: u32,
    /// Maximum number of model calls.
    #[serde(deserialize_with = "forms::within::<1, 1_000_000, _>")]
    pub model_calls: u32,
    /// Maximum number of tool calls.
    #[serde(deserialize_with = "forms::within::<1, 1_000_000, _>")]
    pub tool_calls: u32,
    /// Maximum number of replans.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub replans: u32,
    /// Maximum number of identical calls (same tool, same arguments).
    #[serde(deserialize_with = "forms::within::<1, 1000, _>")]
    pub same_calls: u32,
}

impl Spending {
    /// Returns the `Budget` of a task.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            tokens: self.tokens.into(),
            money: self.money.clone(),
            calls: Some(self.calls.into()).filter(|calls| *calls > 0),
            model_calls: self.model_calls.into(),
            tool_calls: self.tool_calls.into(),
            replans: self.replans.into(),
            same_calls: self.same_calls.into(),
        }
    }
}
