//! Classes of faults. Recovery decides by the class before it asks a model.
//!
//! - in: a fault
//! - out: its class, from the fault itself or else from the tool's error message
//! - never: chooses a remedy; that is the job of [`remedy`](crate::recover::remedy)

use super::class_words::of_words;
use crate::fault::Fault;
use crate::field_error::{FieldError, ViolationKind};
use serde::{Deserialize, Serialize};

/// The class of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultClass {
    /// A required parameter has no value.
    MissingParam,
    /// A value has the wrong type or form.
    Format,
    /// A value is not one of the allowed ones.
    EnumInvalid,
    /// A placeholder refers to nothing.
    UnresolvedRef,
    /// The object of the call does not exist.
    NotFound,
    /// The tool does not exist.
    ToolUnknown,
    /// The tool did not answer in time.
    Timeout,
    /// The tool's rate limit was reached.
    RateLimited,
    /// A temporary failure: the call may work later.
    Transient,
    /// The credentials are missing or not enough.
    Auth,
    /// Too much data was sent or returned.
    TooLarge,
    /// The tool found nothing, and that does not count as an answer.
    EmptyResult,
    /// The output is not what the tool's schema promises.
    SemanticBad,
    /// It is unknown whether the call took effect.
    SideEffectUnknown,
    /// A person or the policy denied the call.
    Denied,
    /// A person, a time limit or a budget ended it.
    Ended,
    /// Any other failure.
    Unknown,
}

impl FaultClass {
    /// Returns the class of a fault.
    pub fn of(fault: &Fault) -> Self {
        match fault {
            Fault::UnresolvedPlaceholder { .. } => Self::UnresolvedRef,
            Fault::ParamsInvalid { errors } => errors.first().map_or(Self::Format, of_field),
            Fault::ToolNotFound { .. } => Self::ToolUnknown,
            Fault::ToolFailed { retryable: true, retry_after_ms: Some(_), .. } => Self::RateLimited,
            Fault::ToolFailed { message, retryable, .. } => {
                let class = of_words(message);
                let may_pass = *retryable && class == Self::Unknown;
                if may_pass { Self::Transient } else { class }
            }
            Fault::CallRefused { .. } => Self::Auth,
            Fault::ToolUnavailable { .. } | Fault::Panicked { .. } => Self::Transient,
            Fault::ToolBroke { .. } => Self::Transient,
            Fault::Timeout { .. } => Self::Timeout,
            Fault::OutputInvalid { .. } => Self::SemanticBad,
            Fault::OutputTooLarge { .. } => Self::TooLarge,
            Fault::OutputEmpty { .. } => Self::EmptyResult,
            Fault::Interrupted { .. } => Self::SideEffectUnknown,
            Fault::CallDenied { .. } => Self::Denied,
            Fault::GivenUp { .. }
            | Fault::TaskTimeout { .. }
            | Fault::Cancelled { .. }
            | Fault::BudgetUsedUp { .. } => Self::Ended,
            Fault::ActionsFailed { .. }
            | Fault::InnerStepFailed { .. }
            | Fault::ChoiceFailed { .. }
            | Fault::StepsFailed { .. }
            | Fault::GoalRejected { .. }
            | Fault::GoalMissed { .. }
            | Fault::PlanRefused { .. }
            | Fault::PlanRepeated
            | Fault::ModelNeeded
            | Fault::AgentOutOfTurns { .. }
            | Fault::AnswerUnfit { .. }
            | Fault::ModelFailed { .. } => Self::Unknown,
        }
    }

    /// Returns true if no recovery can help.
    pub fn is_hopeless(self) -> bool {
        matches!(self, Self::Auth | Self::Ended)
    }

    /// Returns true if the remedy relaxes the call step by step, so that it may help more than once.
    pub fn is_eased_stepwise(self) -> bool {
        matches!(self, Self::EmptyResult | Self::TooLarge)
    }

    /// Returns true if the cause lies outside the task, so that another plan does not help.
    pub fn is_outside(self) -> bool {
        matches!(self, Self::Timeout | Self::RateLimited | Self::Transient | Self::Auth)
    }

    /// Returns the serialized name of the class.
    pub fn word(self) -> &'static str {
        match self {
            Self::MissingParam => "missing_param",
            Self::Format => "format",
            Self::EnumInvalid => "enum_invalid",
            Self::UnresolvedRef => "unresolved_ref",
            Self::NotFound => "not_found",
            Self::ToolUnknown => "tool_unknown",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate_limited",
            Self::Transient => "transient",
            Self::Auth => "auth",
            Self::TooLarge => "too_large",
            Self::EmptyResult => "empty_result",
            Self::SemanticBad => "semantic_bad",
            Self::SideEffectUnknown => "side_effect_unknown",
            Self::Denied => "denied",
            Self::Ended => "ended",
            Self::Unknown => "unknown",
        }
    }
}

/// Returns the class of an invalid argument. Without a kind, the words of the error tell it.
fn of_field(error: &FieldError) -> FaultClass {
    match &error.kind {
        Some(ViolationKind::Missing(_)) => FaultClass::MissingParam,
        Some(ViolationKind::NotAllowed) => FaultClass::EnumInvalid,
        Some(ViolationKind::Form) => FaultClass::Format,
        None => of_detail(&error.detail),
    }
}

fn of_detail(detail: &str) -> FaultClass {
    if detail.contains("required") {
        FaultClass::MissingParam
    } else if detail.contains(" is not one of ") || detail.contains("was expected") {
        FaultClass::EnumInvalid
    } else {
        FaultClass::Format
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(message: &str) -> Fault {
        Fault::ToolFailed {
            tool: "t".into(),
            message: message.to_owned(),
            message_zh: String::new(),
            retryable: false,
            retry_after_ms: None,
        }
    }

    // the class decides before any model is asked.
    #[test]
    fn the_words_of_a_tool_tell_the_class_in_both_languages() {
        let cases = [
            ("HTTP 404: project p_1 does not exist", FaultClass::NotFound),
            ("数据源不存在", FaultClass::NotFound),
            ("401 Unauthorized", FaultClass::Auth),
            ("field `city` is required", FaultClass::MissingParam),
            ("缺少参数 project_id", FaultClass::MissingParam),
            ("mode must be one of append, replace", FaultClass::EnumInvalid),
            ("days must be a number", FaultClass::Format),
            ("day: expected YYYY-MM-DD", FaultClass::Format),
            ("days 应为整数", FaultClass::Format),
            ("invalid choice: 'apend' (choose from 'append', 'replace')", FaultClass::EnumInvalid),
            ("unknown variant `x`, expected one of `a`, `b`", FaultClass::EnumInvalid),
            ("body.city: Field required", FaultClass::MissingParam),
            ("Too Many Requests", FaultClass::RateLimited),
            ("HTTP 413: Payload Too Large", FaultClass::TooLarge),
            ("context_length_exceeded: 9000 tokens", FaultClass::TooLarge),
            ("too many results, narrow the query", FaultClass::TooLarge),
            ("返回结果过多", FaultClass::TooLarge),
            ("upstream timed out", FaultClass::Timeout),
            ("order 40417 was booked by somebody else", FaultClass::Unknown),
            ("the model diverged", FaultClass::Unknown),
        ];
        for (message, class) in cases {
            assert_eq!(FaultClass::of(&failed(message)), class, "{message}");
        }
    }
}
