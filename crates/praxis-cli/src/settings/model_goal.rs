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
    /// When tools are chosen before planning.
    #[serde(deserialize_with = "forms::word")]
    pub two_stage: TwoStage,
    /// From how many tools on.
    #[serde(deserialize_with = "forms::within::<0, 10_000, _>")]
    pub two_stage_tool_threshold: u32,
    /// What a person sees before it runs.
    #[serde(deserialize_with = "forms::word")]
    pub approval: PlanApproval,
    /// What follows a failure.
    #[serde(deserialize_with = "forms::word")]
    pub recovery: RecoveryMode,
    /// When values are filled in by a model.
    #[serde(deserialize_with = "forms::word")]
    pub inference: ValueInference,
    /// Who judges the outcome.
    #[serde(deserialize_with = "forms::word")]
    pub judging: JudgingMode,
    /// Who tells the user how it goes.
    #[serde(deserialize_with = "forms::word")]
    pub messages: ProgressMessages,
    /// How many tokens of an output a model is shown that judges it or answers with it.
    #[serde(deserialize_with = "forms::within::<100, 10_000_000, _>")]
    pub output_tokens: u32,
    /// From which score on the goal is reached.
    #[serde(deserialize_with = "forms::within::<0, 100, _>")]
    pub success_threshold: u32,
    /// Whether a finished task is looked back on.
    #[serde(deserialize_with = "forms::flag")]
    pub learn: bool,
    /// Whether what earlier tasks taught is looked up.
    #[serde(deserialize_with = "forms::flag")]
    pub experience: bool,
    /// Whether plans of earlier tasks are used again.
    #[serde(deserialize_with = "forms::flag")]
    pub plan_cache: bool,
}

impl GoalSettings {
    /// How a goal is worked out, with the caps that the settings of runs mean.
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
    /// Tokens, sent and received.
    #[serde(deserialize_with = "forms::within::<1, 1_000_000_000, _>")]
    pub tokens: u32,
    /// Money.
    #[serde(deserialize_with = "forms::money")]
    pub money: Option<Money>,
    /// Calls of models and tools together; zero for no limit.
    #[serde(deserialize_with = "forms::within::<0, 1_000_000, _>")]
    pub calls: u32,
    /// Calls of models.
    #[serde(deserialize_with = "forms::within::<1, 1_000_000, _>")]
    pub model_calls: u32,
    /// Calls of tools.
    #[serde(deserialize_with = "forms::within::<1, 1_000_000, _>")]
    pub tool_calls: u32,
    /// Plans after the first.
    #[serde(deserialize_with = "forms::within::<0, 1000, _>")]
    pub replans: u32,
    /// The same call with the same arguments.
    #[serde(deserialize_with = "forms::within::<1, 1000, _>")]
    pub same_calls: u32,
}

impl Spending {
    /// The budget of a task.
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
