//! Progress of a goal: model calls, log, planning, recovery, evaluation.

use super::goal_log::LogLine;
use crate::ask;
use crate::ask::purpose::Purpose;
use crate::budget::ledger::Reserved;
use crate::dataflow::context::StepIndex;
use crate::goal::strategy::StrategyDecision;
use crate::ids::{StepId, ToolId};
use crate::journal::judgement::Judgement;
use crate::journal::memory::RecalledTask;
use crate::journal::promise::PlanPromise;
use crate::journal::selection::ToolSelection;
use crate::journal::task_reflection::{ReflectionTrigger, TaskReflection};
use crate::payload::Payload;
use crate::problem::Problem;
use crate::state::failing::FailingStep;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The state of a goal, by phase. Part of `State`, built only by the fold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalState {
    /// Model calls of all phases.
    pub asks: ModelCalls,
    /// The log for prompts and for messages to the user.
    pub log: GoalLog,
    /// Tool selection and planning.
    pub planning: PlanningState,
    /// Failing steps and reflection on the task.
    pub recovery: RecoveryState,
    /// Judgement and answer.
    pub evaluation: EvaluationState,
    /// True once the experience of the finished task is recorded (`TaskLearnt`).
    pub learnt: bool,
}

/// Model calls of a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelCalls {
    /// Number of calls made so far.
    pub made: u32,
    /// The calls under way, by number.
    pub under_way: BTreeMap<u32, PendingModelCall>,
    /// Unusable answers, by `Purpose`; the model is asked again a few times.
    pub unfit: BTreeMap<String, UnfitAnswer>,
    /// Purposes for which no model is asked any more, with the reason; rules take over.
    pub unanswered: BTreeMap<String, ask::fault::ModelFault>,
    /// Number of calls lost to a crash, by `Purpose`.
    pub losses: BTreeMap<String, u32>,
}

/// The log of a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalLog {
    /// The log lines, oldest first.
    pub lines: Vec<LogLine>,
    /// Number of lines that the user was already told about.
    pub told: usize,
}

/// Planning of a goal: from the request to a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanningState {
    /// The relation of the request to earlier work.
    pub strategy: Option<StrategyDecision>,
    /// Similar earlier tasks; `None` before the lookup.
    pub memories: Option<Vec<RecalledTask>>,
    /// The selected tools.
    pub selection: Option<ToolSelection>,
    /// The plan in progress.
    pub drafting: PlanDraft,
    /// The plan's promise: its own statement of its outcome.
    pub promise: Option<Box<PlanPromise>>,
    /// The last revision that a person approved.
    pub approved: u32,
    /// Plans that were given up, by the hash of their steps.
    pub given_up_plans: BTreeSet<String>,
}

/// Failures and the reflection on them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecoveryState {
    /// Recovery records of the steps that failed.
    pub ailments: BTreeMap<StepIndex, FailingStep>,
    /// The failing steps that wait for recovery.
    pub ailing: BTreeSet<StepIndex>,
    /// Number of failures by tool and normalised error.
    pub repeats: BTreeMap<String, u32>,
    /// Number of calls by fingerprint of tool and arguments; retries do not count.
    pub same_calls: BTreeMap<String, u64>,
    /// The reason to reflect on the whole task.
    pub trigger: Option<ReflectionTrigger>,
    /// The last reflection on the whole task.
    pub reflection: Option<TaskReflection>,
    /// Advice of that reflection, or of a person, for the next plan.
    pub said_last: ReplanAdvice,
    /// True if a person was asked for help and answered.
    pub helped: bool,
}

/// Evaluation of a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvaluationState {
    /// The judgement of the outcome.
    pub judgement: Option<Judgement>,
    /// The answer to the goal.
    pub answer: Option<Payload>,
    /// The title of the answer.
    pub title: String,
    /// Extracts of outputs that are too long for a prompt.
    pub extracts: BTreeMap<StepId, Payload>,
    /// True if a person asked to finish with the results so far.
    pub settle: bool,
    /// True if work was still open when they asked.
    pub cut_short: bool,
}

/// A model call under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingModelCall {
    /// The purpose of the call.
    #[serde(rename = "errand")]
    pub purpose: Purpose,
    /// The name of the model.
    pub model: String,
    /// The budget reserved for the call.
    pub reserved: Reserved,
}

/// An answer that could not be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnfitAnswer {
    /// The answer, truncated.
    pub said: String,
    /// The model's reasoning before it, truncated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// All problems of the answer.
    pub problems: Vec<Problem>,
    /// Number of unusable answers in a row.
    pub times: u32,
}

/// Advice of a reflection or of a person for the next plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplanAdvice {
    /// The replan strategy, as JSON or by name.
    pub strategy: String,
    /// The findings of the reflection, or the person's words.
    pub reflection: String,
}

/// The plan in progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanDraft {
    /// The open revision, if some of its steps have entered.
    pub open: Option<u32>,
    /// Step ids by the names that the model uses in the open revision.
    pub names: BTreeMap<String, StepId>,
    /// Number of elements of the model's answer that have entered.
    pub entered: u32,
    /// Number of consecutive revisions that were refused or cut off.
    pub misses: u32,
    /// True if a new plan is to be made for the rest of the goal.
    pub rest: bool,
    /// True if tools are selected again before that.
    pub reselect: bool,
    /// True if a person writes the next plan.
    pub by_hand: bool,
    /// Steps that run again after the new ones.
    pub again: Vec<StepId>,
}

impl GoalState {
    /// Returns true if a model call for this purpose is under way.
    pub fn is_asking(&self, purpose: &Purpose) -> bool {
        self.asks.under_way.values().any(|asking| asking.purpose == *purpose)
    }

    /// Returns true if no model is asked for this purpose any more.
    pub fn is_unanswered(&self, purpose: &Purpose) -> bool {
        self.asks.unanswered.contains_key(&purpose.to_string())
    }

    /// Returns the last unusable answer for this purpose.
    pub fn unfit(&self, purpose: &Purpose) -> Option<&UnfitAnswer> {
        self.asks.unfit.get(&purpose.to_string())
    }

    /// Returns true if the tool was selected and may be used in plans.
    pub fn has_tool(&self, tool: &ToolId) -> bool {
        let chosen = self.planning.selection.as_ref();
        chosen.is_some_and(|selection| selection.usable().any(|usable| usable == tool))
    }
}
