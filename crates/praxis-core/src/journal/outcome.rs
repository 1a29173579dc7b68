//! How things ended: a revision of the plan, a call to a model or a tool, a check, a task.

use crate::ask;
use crate::ask::reply::TokenUsage;
use crate::fault::Fault;
use crate::payload::Payload;
use serde::{Deserialize, Serialize};

/// How a revision of the plan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanOutcome {
    /// All of it is here and checked.
    Complete,
    /// It broke off.
    Cut,
    /// It was not accepted.
    Refused,
}

/// How a call to a model ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ended", rename_all = "snake_case")]
pub enum AskOutcome {
    /// With an answer.
    Answered {
        /// The reply, word for word.
        reply: Payload,
        /// What all tries cost.
        usage: TokenUsage,
    },
    /// Without one.
    Failed {
        /// Why.
        fault: ask::fault::ModelFault,
        /// What all tries cost.
        usage: TokenUsage,
    },
    /// Praxis stopped before it answered. What was set aside counts as spent.
    Lost,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// With an output.
    Succeeded(Payload),
    /// Without effect, or in a way that may be repeated.
    Failed {
        /// Why.
        fault: Fault,
        /// What it said nevertheless: an answer that is no success, the lines of gathered actions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Payload>,
    },
    /// Nobody knows whether it took effect, and it must not simply run again.
    InDoubt(Fault),
    /// Praxis stopped while it ran. What follows depends on the tool.
    Lost,
}

impl CallOutcome {
    /// The same, of a call that said something before it failed.
    #[must_use]
    pub fn having_said(self, said: Option<Payload>) -> Self {
        match self {
            Self::Failed { fault, output } => Self::Failed { fault, output: output.or(said) },
            other @ (Self::Succeeded(_) | Self::InDoubt(_) | Self::Lost) => other,
        }
    }
}

/// What a tool's `check_with` says of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum CheckVerdict {
    /// It took effect, with this output.
    Done {
        /// As if the call had returned.
        output: Payload,
    },
    /// It did not: the same generation may run.
    NotDone,
    /// It cannot tell.
    Unknown {
        /// Why not, if the check itself failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
    /// Praxis stopped before it answered.
    Lost,
}

impl CheckVerdict {
    /// The word on the wire.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Done { .. } => "done",
            Self::NotDone => "not_done",
            Self::Unknown { .. } => "unknown",
            Self::Lost => "lost",
        }
    }
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum TaskEnding {
    /// Every step succeeded or was skipped by a person.
    Completed,
    /// It did not reach its end.
    Failed {
        /// Why.
        fault: Fault,
    },
    /// Somebody stopped it.
    Cancelled {
        /// Their words.
        reason: String,
    },
}
