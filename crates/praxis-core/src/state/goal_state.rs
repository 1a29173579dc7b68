//! How far a goal has come: what was asked and answered, what ails, what was spent.

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

/// The course of a goal, phase by phase. Part of the state, built by the fold alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalState {
    /// The calls to models, in every phase.
    pub asks: ModelCalls,
    /// What happened, for prompts and for the user.
    pub log: GoalLog,
    /// Tools and plans.
    pub planning: PlanningState,
    /// What failed while steps ran, and what is made of it.
    pub recovery: RecoveryState,
    /// The outcome.
    pub evaluation: EvaluationState,
    /// The task was looked back on, or never will be.
    pub learnt: bool,
}

/// The calls to models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelCalls {
    /// How many were made so far.
    pub made: u32,
    /// Those under way.
    pub under_way: BTreeMap<u32, PendingModelCall>,
    /// Answers that could not be used, by errand; each is asked for once more.
    pub unfit: BTreeMap<String, UnfitAnswer>,
    /// Errands that no model carries out: rules take over.
    pub unanswered: BTreeMap<String, ask::fault::ModelFault>,
    /// How often a call was lost to a crash, by errand.
    pub losses: BTreeMap<String, u32>,
}

/// The log of a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalLog {
    /// What happened, line by line.
    pub lines: Vec<LogLine>,
    /// How many of these the user was told of.
    pub told: usize,
}

/// The way from a request to a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanningState {
    /// How the request stands to earlier work.
    pub strategy: Option<StrategyDecision>,
    /// What earlier tasks taught, once that was looked up.
    pub memories: Option<Vec<RecalledTask>>,
    /// The tools that were chosen.
    pub selection: Option<ToolSelection>,
    /// The plan that is being made.
    pub drafting: PlanDraft,
    /// What the plan says of its own outcome.
    pub promise: Option<Box<PlanPromise>>,
    /// The last revision that a person approved.
    pub approved: u32,
    /// Plans that were given up, by the hash of what they do.
    pub given_up_plans: BTreeSet<String>,
}

/// What failed, and what is made of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecoveryState {
    /// What is wrong with steps that failed.
    pub ailments: BTreeMap<StepIndex, FailingStep>,
    /// Of these, the ones that wait for help.
    pub ailing: BTreeSet<StepIndex>,
    /// How often a tool failed in one way, by tool and normalised error.
    pub repeats: BTreeMap<String, u32>,
    /// How often a call was made with the same arguments, by their hash.
    pub same_calls: BTreeMap<String, u64>,
    /// Why the whole task is to be reflected on.
    pub trigger: Option<ReflectionTrigger>,
    /// What was made of that.
    pub reflection: Option<TaskReflection>,
    /// What the next plan is told of it.
    pub said_last: ReplanAdvice,
    /// A person was asked how to go on, and answered.
    pub helped: bool,
}

/// The outcome of a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvaluationState {
    /// How it was judged.
    pub judgement: Option<Judgement>,
    /// The answer to the goal.
    pub answer: Option<Payload>,
    /// What the answer is called.
    pub title: String,
    /// What was taken out of outputs that are too long to be shown.
    pub extracts: BTreeMap<StepId, Payload>,
    /// Somebody said to finish with what is there.
    pub settle: bool,
    /// When they said so, something was still to be done.
    pub cut_short: bool,
}

/// A call to a model that is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingModelCall {
    /// What for.
    pub errand: Purpose,
    /// Who.
    pub model: String,
    /// What was set aside.
    pub reserved: Reserved,
}

/// An answer that could not be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnfitAnswer {
    /// What was said, cut.
    pub said: String,
    /// What the model thought before it, cut.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Everything that is wrong with it.
    pub problems: Vec<Problem>,
    /// How often that happened in a row.
    pub times: u32,
}

/// What reflection says to the next plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplanAdvice {
    /// How to plan anew.
    pub strategy: String,
    /// Why.
    pub reflection: String,
}

/// The plan that is being made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanDraft {
    /// Steps of this revision have entered, and it is not closed.
    pub open: Option<u32>,
    /// What the model calls the steps of the open revision.
    pub names: BTreeMap<String, StepId>,
    /// Elements of the answer that entered.
    pub entered: u32,
    /// Revisions in a row that were refused or cut.
    pub misses: u32,
    /// Whether a new plan is to be made of the rest.
    pub rest: bool,
    /// Whether tools are chosen once more before that.
    pub reselect: bool,
    /// Whether a person writes the next plan.
    pub by_hand: bool,
    /// Steps that run again after the new ones.
    pub again: Vec<StepId>,
}

impl GoalState {
    /// Whether an errand is under way.
    pub fn is_asking(&self, errand: &Purpose) -> bool {
        self.asks.under_way.values().any(|asking| asking.errand == *errand)
    }

    /// Whether an errand cannot be carried out by a model any more.
    pub fn is_unanswered(&self, errand: &Purpose) -> bool {
        self.asks.unanswered.contains_key(&errand.to_string())
    }

    /// What was wrong with the last answer to an errand.
    pub fn unfit(&self, errand: &Purpose) -> Option<&UnfitAnswer> {
        self.asks.unfit.get(&errand.to_string())
    }

    /// Whether the tool may be used: it was chosen and frozen.
    pub fn has_tool(&self, tool: &ToolId) -> bool {
        let chosen = self.planning.selection.as_ref();
        chosen.is_some_and(|selection| selection.usable().any(|usable| usable == tool))
    }
}
