//! Why something did not succeed. A fault is data: recovery reads it, people read its words.

mod words;

pub mod class;

mod class_words;

pub mod repeat;

pub mod argument_hints;

use crate::ask;
use crate::budget::limit::LimitReached;
use crate::call::approval::PolicySource;
use crate::choice::fault::ChoiceFault;
use crate::dataflow::resolve::{MissReason, MissingValue};
use crate::field_error::FieldError;
use crate::ids::{StepId, ToolId};
use crate::lang::Lang;
use crate::problem::{Bilingual, Problem};
use serde::{Deserialize, Serialize};

/// Why a step or a task did not succeed. The tag is the stable code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Fault {
    /// Placeholders that nothing has a value for.
    UnresolvedPlaceholder {
        /// Every one of them.
        misses: Vec<MissingValue>,
    },
    /// The arguments do not fit the tool's schema.
    ParamsInvalid {
        /// Place by place.
        errors: Vec<FieldError>,
    },
    /// The tool of the step is not there any more.
    ToolNotFound {
        /// Which.
        tool: ToolId,
    },
    /// The tool answered that it failed.
    ToolFailed {
        /// Which.
        tool: ToolId,
        /// Its words.
        message: String,
        /// Whether the same call may succeed later.
        retryable: bool,
        /// How long it asked to be left alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
    /// The call was not made, and never can be as it is: a secret, a right or a part is missing.
    CallRefused {
        /// Which.
        tool: ToolId,
        /// Why, in English.
        message: String,
        /// Why, in Chinese; what was recorded before there were such words has none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message_zh: String,
        /// The right that is missing, if it is one that a setting grants.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lacks: Option<MissingRight>,
    },
    /// The call surely did not reach the tool.
    ToolUnavailable {
        /// Which.
        tool: ToolId,
        /// What happened.
        message: String,
    },
    /// The connection broke or the tool broke down, and it may have acted.
    ToolBroke {
        /// Which.
        tool: ToolId,
        /// What happened.
        message: String,
        /// How long it asked to be left alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
    /// The tool did not answer in time, and it may have acted.
    Timeout {
        /// Which.
        tool: ToolId,
        /// How long it had.
        after_ms: u64,
    },
    /// The tool's code panicked.
    Panicked {
        /// Which.
        tool: ToolId,
        /// The panic's words.
        message: String,
    },
    /// The output does not fit the tool's schema, or is none.
    OutputInvalid {
        /// Which.
        tool: ToolId,
        /// Place by place.
        errors: Vec<FieldError>,
    },
    /// The output is longer than the tool may give.
    OutputTooLarge {
        /// Which.
        tool: ToolId,
        /// The limit in bytes.
        limit: u64,
    },
    /// The tool found nothing, and its manifest says that this is no answer.
    OutputEmpty {
        /// Which.
        tool: ToolId,
        /// The field that is empty; none if all of it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        field: Option<String>,
    },
    /// Praxis stopped while the call was running.
    Interrupted {
        /// Which.
        tool: ToolId,
    },
    /// Actions of the step failed.
    ActionsFailed {
        /// Which.
        actions: Vec<StepId>,
    },
    /// A step inside the step failed, and nothing dealt with it.
    InnerStepFailed {
        /// Which.
        step: StepId,
        /// Why.
        fault: Box<Fault>,
    },
    /// No branch can be taken, or nobody can tell whether a loop is to end.
    ChoiceFailed {
        /// Why.
        fault: Box<ChoiceFault>,
    },
    /// A person said that the step is to fail.
    GivenUp {
        /// Their words.
        reason: String,
    },
    /// The call was not made: a person or the policy said no.
    CallDenied {
        /// Which.
        tool: ToolId,
        /// The person's words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        /// Who said so, if it was no person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PolicySource>,
    },
    /// Steps of the task failed.
    StepsFailed {
        /// Which.
        steps: Vec<StepId>,
    },
    /// The task used up its time.
    TaskTimeout {
        /// Its active time.
        after_ms: u64,
    },
    /// Somebody cancelled it.
    Cancelled {
        /// Their words.
        reason: String,
    },
    /// A limit was reached.
    BudgetUsedUp {
        /// Which, and by how much.
        #[serde(flatten)]
        hit: LimitReached,
    },
    /// The goal is too vague, or nothing here can do it.
    GoalRejected {
        /// Why.
        reason: String,
    },
    /// Everything ran, and the goal is not reached.
    GoalMissed {
        /// The score, of 100.
        score: u32,
        /// What is missing.
        failures: Vec<String>,
    },
    /// No plan for the goal could be accepted.
    PlanRefused {
        /// What is wrong with the last one.
        problems: Vec<Problem>,
    },
    /// The new plan is one that failed before.
    PlanRepeated,
    /// Nothing but a model could plan this, and there is none.
    ModelNeeded,
    /// An agent was asked as often as it may be, and has no answer.
    AgentOutOfTurns {
        /// How often.
        turns: u32,
    },
    /// The answer does not have the form that was asked for.
    AnswerUnfit {
        /// What is wrong with it.
        problems: Vec<Problem>,
    },
    /// The model gave no answer.
    ModelFailed {
        /// Why.
        fault: Box<ask::fault::ModelFault>,
    },
}

/// What a setting must grant before a tool may do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingRight {
    /// To reach a host.
    Host,
}

impl Fault {
    /// A call that is not made, for a reason that no setting alone mends.
    pub fn refused(tool: ToolId, why: impl Into<Bilingual>) -> Self {
        Self::refused_without(tool, why, None)
    }

    /// A call that is not made for want of a right.
    pub fn not_granted(tool: ToolId, why: impl Into<Bilingual>, right: MissingRight) -> Self {
        Self::refused_without(tool, why, Some(right))
    }

    fn refused_without(
        tool: ToolId,
        why: impl Into<Bilingual>,
        lacks: Option<MissingRight>,
    ) -> Self {
        let Bilingual { en, zh } = why.into();
        Self::CallRefused { tool, message: en, message_zh: zh, lacks }
    }
}

/// What is known about the effect of a call that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// Nothing happened.
    NotDone,
    /// Something may have happened.
    Unknown,
}

impl Fault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnresolvedPlaceholder { .. } => "unresolved_placeholder",
            Self::ParamsInvalid { .. } => "params_invalid",
            Self::ToolNotFound { .. } => "tool_not_found",
            Self::ToolFailed { .. } => "tool_failed",
            Self::CallRefused { lacks: Some(MissingRight::Host), .. } => "host_not_granted",
            Self::CallRefused { lacks: None, .. } => "call_refused",
            Self::ToolUnavailable { .. } => "tool_unavailable",
            Self::ToolBroke { .. } => "tool_broke",
            Self::Timeout { .. } => "timeout",
            Self::Panicked { .. } => "panicked",
            Self::OutputInvalid { .. } => "output_invalid",
            Self::OutputTooLarge { .. } => "output_too_large",
            Self::OutputEmpty { .. } => "output_empty",
            Self::Interrupted { .. } => "interrupted",
            Self::ActionsFailed { .. } => "actions_failed",
            Self::InnerStepFailed { .. } => "inner_step_failed",
            Self::ChoiceFailed { .. } => "choice_failed",
            Self::GivenUp { .. } => "given_up",
            Self::CallDenied { .. } => "call_denied",
            Self::StepsFailed { .. } => "steps_failed",
            Self::TaskTimeout { .. } => "task_timeout",
            Self::Cancelled { .. } => "cancelled",
            Self::BudgetUsedUp { .. } => "budget_used_up",
            Self::GoalRejected { .. } => "goal_rejected",
            Self::GoalMissed { .. } => "goal_missed",
            Self::PlanRefused { .. } => "plan_refused",
            Self::PlanRepeated => "plan_repeated",
            Self::ModelNeeded => "model_needed",
            Self::AgentOutOfTurns { .. } => "agent_out_of_turns",
            Self::AnswerUnfit { .. } => "answer_unfit",
            Self::ModelFailed { fault } => fault.code(),
        }
    }

    /// Whether the call may have taken effect. A tool that answers knows; one that is silent does not.
    pub fn certainty(&self) -> Certainty {
        match self {
            Self::ToolBroke { .. }
            | Self::Timeout { .. }
            | Self::Panicked { .. }
            | Self::Interrupted { .. }
            | Self::OutputInvalid { .. }
            | Self::OutputTooLarge { .. }
            | Self::Cancelled { .. } => Certainty::Unknown,
            Self::OutputEmpty { .. }
            | Self::UnresolvedPlaceholder { .. }
            | Self::ParamsInvalid { .. }
            | Self::ToolNotFound { .. }
            | Self::ToolFailed { .. }
            | Self::CallRefused { .. }
            | Self::ToolUnavailable { .. }
            | Self::ActionsFailed { .. }
            | Self::InnerStepFailed { .. }
            | Self::ChoiceFailed { .. }
            | Self::GivenUp { .. }
            | Self::CallDenied { .. }
            | Self::StepsFailed { .. }
            | Self::TaskTimeout { .. }
            | Self::BudgetUsedUp { .. }
            | Self::GoalRejected { .. }
            | Self::GoalMissed { .. }
            | Self::PlanRefused { .. }
            | Self::PlanRepeated
            | Self::ModelNeeded
            | Self::AgentOutOfTurns { .. }
            | Self::AnswerUnfit { .. }
            | Self::ModelFailed { .. } => Certainty::NotDone,
        }
    }

    /// Whether the same call with the same arguments may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::ToolFailed { retryable, .. } => *retryable,
            Self::ToolUnavailable { .. }
            | Self::ToolBroke { .. }
            | Self::Timeout { .. }
            | Self::Panicked { .. }
            | Self::Interrupted { .. } => true,
            Self::UnresolvedPlaceholder { .. }
            | Self::ParamsInvalid { .. }
            | Self::ToolNotFound { .. }
            | Self::CallRefused { .. }
            | Self::OutputInvalid { .. }
            | Self::OutputTooLarge { .. }
            | Self::OutputEmpty { .. }
            | Self::ActionsFailed { .. }
            | Self::InnerStepFailed { .. }
            | Self::ChoiceFailed { .. }
            | Self::GivenUp { .. }
            | Self::CallDenied { .. }
            | Self::StepsFailed { .. }
            | Self::TaskTimeout { .. }
            | Self::BudgetUsedUp { .. }
            | Self::GoalRejected { .. }
            | Self::GoalMissed { .. }
            | Self::PlanRefused { .. }
            | Self::PlanRepeated
            | Self::ModelNeeded
            | Self::AgentOutOfTurns { .. }
            | Self::AnswerUnfit { .. }
            | Self::ModelFailed { .. }
            | Self::Cancelled { .. } => false,
        }
    }

    /// How long the tool asked to be left alone before it is called again.
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::ToolFailed { retry_after_ms, .. } | Self::ToolBroke { retry_after_ms, .. } => {
                *retry_after_ms
            }
            Self::UnresolvedPlaceholder { .. }
            | Self::ParamsInvalid { .. }
            | Self::ToolNotFound { .. }
            | Self::CallRefused { .. }
            | Self::ToolUnavailable { .. }
            | Self::Timeout { .. }
            | Self::Panicked { .. }
            | Self::OutputInvalid { .. }
            | Self::OutputTooLarge { .. }
            | Self::OutputEmpty { .. }
            | Self::Interrupted { .. }
            | Self::ActionsFailed { .. }
            | Self::InnerStepFailed { .. }
            | Self::ChoiceFailed { .. }
            | Self::GivenUp { .. }
            | Self::CallDenied { .. }
            | Self::StepsFailed { .. }
            | Self::TaskTimeout { .. }
            | Self::BudgetUsedUp { .. }
            | Self::GoalRejected { .. }
            | Self::GoalMissed { .. }
            | Self::PlanRefused { .. }
            | Self::PlanRepeated
            | Self::ModelNeeded
            | Self::AgentOutOfTurns { .. }
            | Self::AnswerUnfit { .. }
            | Self::ModelFailed { .. }
            | Self::Cancelled { .. } => None,
        }
    }
}

/// What is the matter with a placeholder, in words.
pub fn miss_words(miss: &MissingValue, lang: Lang) -> String {
    let (what, here) = (&miss.placeholder, miss.searched.join(", "));
    let listed = miss.candidates.join(", ");
    let (why_en, why_zh) = match miss.why {
        MissReason::UnknownStep => ("no step has this id", "没有这个步骤"),
        MissReason::NotRunYet => ("that step has not run yet", "该步骤尚未执行"),
        MissReason::StepFailed => ("that step did not succeed", "该步骤未成功"),
        MissReason::NoSuchPart => ("the value has no such part", "该值没有此部分"),
        MissReason::NoSuchName => ("nothing has this name", "没有任何数据使用此名称"),
        MissReason::Ambiguous => ("several steps have this field", "多个步骤都有此字段"),
        MissReason::Malformed => ("the braces are no placeholder", "花括号不是占位符"),
    };
    let (mut text, there) = match lang {
        Lang::En => (format!("`{what}` has no value: {why_en}; looked in {here}"), "; there is"),
        Lang::Zh => (format!("`{what}` 没有值：{why_zh}；查找位置：{here}"), "；现有"),
    };
    if !listed.is_empty() {
        text.push_str(&format!("{there} {listed}"));
    }
    text
}
