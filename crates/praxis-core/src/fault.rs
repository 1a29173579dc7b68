//! Faults: the reasons why a step or task did not succeed. A fault is data: recovery reads its fields, people read
//! its message.

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

/// The reason why a step or a task did not succeed. The serde tag `code` is the stable code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Fault {
    /// Placeholders without a value.
    UnresolvedPlaceholder {
        /// All of these placeholders.
        misses: Vec<MissingValue>,
    },
    /// The arguments do not fit the tool's schema.
    ParamsInvalid {
        /// The errors by field.
        errors: Vec<FieldError>,
    },
    /// The tool of the step no longer exists.
    ToolNotFound {
        /// The tool that is missing.
        tool: ToolId,
    },
    /// The tool answered that it failed.
    ToolFailed {
        /// The tool that was called.
        tool: ToolId,
        /// The tool's error message.
        message: String,
        /// The message in Chinese; empty where the tool gave only one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message_zh: String,
        /// True if the same call may succeed later.
        retryable: bool,
        /// The delay that the tool asked for before the next call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
    /// The call was not made and cannot succeed as it is: a secret, a permission or a component is missing.
    CallRefused {
        /// The tool that was not called.
        tool: ToolId,
        /// The reason in English.
        message: String,
        /// The reason in Chinese; empty in journals from before this field existed.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message_zh: String,
        /// The missing permission, if a setting can grant it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lacks: Option<MissingRight>,
    },
    /// The call certainly did not reach the tool.
    ToolUnavailable {
        /// The tool that was called.
        tool: ToolId,
        /// The description of the failure.
        message: String,
    },
    /// The connection broke or the tool crashed; the call may have taken effect.
    ToolBroke {
        /// The tool that was called.
        tool: ToolId,
        /// The description of the failure.
        message: String,
        /// The delay that the tool asked for before the next call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_ms: Option<u64>,
    },
    /// The tool did not answer in time; the call may have taken effect.
    Timeout {
        /// The tool that was called.
        tool: ToolId,
        /// The timeout.
        after_ms: u64,
    },
    /// The tool's code panicked.
    Panicked {
        /// The tool that was called.
        tool: ToolId,
        /// The panic message.
        message: String,
    },
    /// The output does not fit the tool's schema, or is not a valid value.
    OutputInvalid {
        /// The tool that was called.
        tool: ToolId,
        /// The errors by field.
        errors: Vec<FieldError>,
    },
    /// The output is longer than the tool's limit.
    OutputTooLarge {
        /// The tool that was called.
        tool: ToolId,
        /// The limit in bytes.
        limit: u64,
    },
    /// The tool found nothing, and its manifest requires a result (`not_empty`).
    OutputEmpty {
        /// The tool that was called.
        tool: ToolId,
        /// The field that is empty; `None` if the whole output is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        field: Option<String>,
    },
    /// The process stopped while the call was running, or the call's data could not be read back.
    Interrupted {
        /// The tool that was called.
        tool: ToolId,
    },
    /// Actions of the step failed.
    ActionsFailed {
        /// The actions that failed.
        actions: Vec<StepId>,
    },
    /// A step inside the step failed, and no other step handled the failure.
    InnerStepFailed {
        /// The inner step that failed.
        step: StepId,
        /// Its fault.
        fault: Box<Fault>,
    },
    /// No branch of a choice can be taken, or the condition of a loop cannot be evaluated.
    ChoiceFailed {
        /// The reason.
        fault: Box<ChoiceFault>,
    },
    /// A person or an agent gave up the step or the task.
    GivenUp {
        /// The reason that was given.
        reason: String,
    },
    /// The call was not made because a person or the policy denied it.
    CallDenied {
        /// The tool that was not called.
        tool: ToolId,
        /// The person's reason.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        /// The policy that denied the call; `None` if a person did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PolicySource>,
    },
    /// Steps of the task failed.
    StepsFailed {
        /// The steps that failed.
        steps: Vec<StepId>,
    },
    /// The task used up its time.
    TaskTimeout {
        /// The active time of the task.
        after_ms: u64,
    },
    /// The task was cancelled.
    Cancelled {
        /// The reason that was given.
        reason: String,
    },
    /// A budget limit was reached.
    BudgetUsedUp {
        /// The limit, with the wanted and the allowed amount.
        #[serde(flatten)]
        hit: LimitReached,
    },
    /// The goal is too vague, or no tool can serve it.
    GoalRejected {
        /// The reason.
        reason: String,
    },
    /// All steps ran, and the goal is not reached.
    GoalMissed {
        /// The score out of 100.
        score: u32,
        /// The parts of the goal that are not reached.
        failures: Vec<String>,
    },
    /// No plan for the goal was accepted.
    PlanRefused {
        /// The problems of the last plan.
        problems: Vec<Problem>,
    },
    /// The new plan equals one that failed before.
    PlanRepeated,
    /// Only a model could do this, and none is configured.
    ModelNeeded,
    /// An agent used all its turns and has no answer.
    AgentOutOfTurns {
        /// The number of turns.
        turns: u32,
    },
    /// The answer does not have the required form.
    AnswerUnfit {
        /// The problems of the answer.
        problems: Vec<Problem>,
    },
    /// The model gave no answer.
    ModelFailed {
        /// The fault of the model call.
        fault: Box<ask::fault::ModelFault>,
    },
}

/// A permission that a setting must grant before a tool may use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingRight {
    /// The permission to reach a host.
    Host,
}

impl Fault {
    /// Builds a `ToolFailed`. A message from outside is [`Bilingual::untranslated`].
    pub fn tool_failed(tool: ToolId, why: impl Into<Bilingual>, retryable: bool) -> Self {
        let Bilingual { en, zh } = why.into();
        let message_zh = if zh == en { String::new() } else { zh };
        Self::ToolFailed { tool, message: en, message_zh, retryable, retry_after_ms: None }
    }

    /// Builds a `CallRefused` for a reason that no single setting fixes.
    pub fn refused(tool: ToolId, why: impl Into<Bilingual>) -> Self {
        Self::refused_without(tool, why, None)
    }

    /// Builds a `CallRefused` for a missing permission.
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

/// The knowledge about the effect of a call that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// The call had no effect.
    NotDone,
    /// The call may have had an effect.
    Unknown,
}

impl Fault {
    /// Returns the stable code.
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

    /// Returns `Certainty::Unknown` if the call may have taken effect. A tool that reports a failure itself is
    /// trusted to have done nothing.
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

    /// Returns true if the same call with the same arguments may succeed later.
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

    /// Returns the delay that the tool asked for before the next call.
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

/// Describes the problem of a placeholder.
pub fn miss_words(miss: &MissingValue, lang: Lang) -> String {
    let (what, here) = (&miss.placeholder, miss.searched.join(", "));
    let listed = miss.candidates.join(", ");
    let (why_en, why_zh) = match miss.why {
        MissReason::UnknownStep => ("no step has this id", "没有使用此 id 的步骤"),
        MissReason::NotRunYet => ("that step has not run yet", "该步骤尚未执行"),
        MissReason::StepFailed => ("that step did not succeed", "该步骤未成功"),
        MissReason::NoSuchPart => {
            ("the value has no such field or element", "该值没有此字段或元素")
        }
        MissReason::NoSuchName => ("no value has this name", "没有此名称的值"),
        MissReason::Ambiguous => ("several steps have this field", "多个步骤都有此字段"),
        MissReason::Malformed => ("not a valid placeholder", "不是有效的占位符"),
    };
    let (mut text, there) = match lang {
        Lang::En => (format!("`{what}` has no value: {why_en}; looked in {here}"), "; found: "),
        Lang::Zh => (format!("找不到 `{what}` 的值：{}", places_zh(miss, why_zh)), "；现有："),
    };
    if !listed.is_empty() {
        text.push_str(there);
        text.push_str(&listed);
    }
    text
}

/// Returns the places that were searched, and the reason why they have no value, in Chinese.
fn places_zh(miss: &MissingValue, why: &str) -> String {
    let places: Vec<String> = miss.searched.iter().map(|place| place_zh(place)).collect();
    match places.as_slice() {
        [] => why.to_owned(),
        _ if miss.why == MissReason::NoSuchName => {
            format!("{}中没有这个名称", places.join("、"))
        }
        _ => format!("{why}（查找位置：{}）", places.join("、")),
    }
}

/// Translates a place as `dataflow::missing` names it; any other text is returned unchanged.
fn place_zh(place: &str) -> String {
    let fixed = [
        ("runtime metadata", "运行时元数据"),
        ("initial metadata", "初始元数据"),
        ("step results", "步骤结果"),
        ("the steps of the plan", "计划的步骤"),
    ];
    if let Some((_, zh)) = fixed.iter().find(|(en, _)| *en == place) {
        return (*zh).to_owned();
    }
    if let Some(rest) = place.strip_prefix("the result of step ") {
        return format!("步骤 {rest} 的结果");
    }
    if let Some(rest) = place.strip_prefix("runtime metadata of step ") {
        return format!("运行时元数据（由步骤 {rest} 写入）");
    }
    if let Some(rest) = place.strip_prefix("initial metadata, ") {
        return format!("初始元数据 {rest}");
    }
    if let Some(rest) = place.strip_prefix("the variable ") {
        return format!("变量 {}", rest.replace(" of ", "，属于 "));
    }
    place.to_owned()
}
