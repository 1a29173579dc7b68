//! The outcomes of plan revisions, model calls, tool calls, checks and tasks.

use crate::ask;
use crate::ask::reply::TokenUsage;
use crate::fault::Fault;
use crate::payload::Payload;
use serde::{Deserialize, Serialize};

/// The outcome of a revision of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanOutcome {
    /// The plan is complete and checked.
    Complete,
    /// The answer broke off.
    Cut,
    /// The plan was refused.
    Refused,
}

/// The outcome of a model call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ended", rename_all = "snake_case")]
pub enum AskOutcome {
    /// The model answered.
    Answered {
        /// The reply, verbatim.
        reply: Payload,
        /// The token usage of all attempts.
        usage: TokenUsage,
    },
    /// The call failed.
    Failed {
        /// The reason.
        fault: ask::fault::ModelFault,
        /// The token usage of all attempts.
        usage: TokenUsage,
    },
    /// Praxis stopped before the model answered. The whole reservation counts as used.
    Lost,
}

/// The outcome of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// The call succeeded with this output.
    Succeeded(Payload),
    /// The call failed without effect, or in a way that may be repeated.
    Failed {
        /// The reason.
        fault: Fault,
        /// The output despite the failure: an answer that is not a success, or the results of gathered actions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Payload>,
    },
    /// The effect of the call is unknown, and it must not simply run again.
    InDoubt(Fault),
    /// Praxis stopped during the call. The contract of the tool decides what follows.
    Lost,
}

impl CallOutcome {
    /// Adds the output of the call to a failure that has none.
    #[must_use]
    pub fn having_said(self, said: Option<Payload>) -> Self {
        match self {
            Self::Failed { fault, output } => Self::Failed { fault, output: output.or(said) },
            other @ (Self::Succeeded(_) | Self::InDoubt(_) | Self::Lost) => other,
        }
    }
}

/// The verdict of a tool's `check_with` on a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum CheckVerdict {
    /// The call took effect.
    Done {
        /// The output, as if the call had returned it.
        output: Payload,
    },
    /// The call did not take effect; the same generation may run.
    NotDone,
    /// The check could not tell.
    Unknown {
        /// The reason, if the check itself failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
    /// Praxis stopped before the check answered.
    Lost,
}

impl CheckVerdict {
    /// Returns the name of the verdict on the wire.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Done { .. } => "done",
            Self::NotDone => "not_done",
            Self::Unknown { .. } => "unknown",
            Self::Lost => "lost",
        }
    }
}

/// The ending of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum TaskEnding {
    /// The task completed: its goal is reached, or its plan ran without an unhandled failure.
    Completed,
    /// The task failed.
    Failed {
        /// The reason.
        fault: Fault,
    },
    /// Somebody cancelled the task.
    Cancelled {
        /// The reason, in words.
        reason: String,
    },
}
