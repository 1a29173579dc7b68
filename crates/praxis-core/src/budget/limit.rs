//! The limits of a task. They always apply; when one is reached, the task asks or fails.

use crate::ask::price::Money;
use serde::{Deserialize, Serialize};

/// The amounts that a task may spend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Prompt and completion tokens together.
    pub tokens: u64,
    /// Money; unlimited if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<Money>,
    /// Model and tool calls together; unlimited if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Model calls.
    pub model_calls: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Plans after the first.
    pub replans: u64,
    /// Calls of one tool with the same arguments.
    pub same_calls: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            tokens: 1_000_000,
            money: None,
            calls: None,
            model_calls: 200,
            tool_calls: 1000,
            replans: 10,
            same_calls: 3,
        }
    }
}

/// A limit that a task can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetLimit {
    /// Prompt and completion tokens.
    Tokens,
    /// Money, in millionths.
    Money,
    /// The price of a model is unknown although the task has a limit for money.
    UnknownPrice,
    /// Model and tool calls together.
    Calls,
    /// Model calls.
    ModelCalls,
    /// Tool calls.
    ToolCalls,
    /// Plans after the first.
    Replans,
    /// Calls of one tool with the same arguments.
    SameCall,
}

impl BudgetLimit {
    /// Returns the name in settings and on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Money => "money",
            Self::UnknownPrice => "unknown_price",
            Self::Calls => "calls",
            Self::ModelCalls => "model_calls",
            Self::ToolCalls => "tool_calls",
            Self::Replans => "replans",
            Self::SameCall => "same_call",
        }
    }
}

/// A limit that would be exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitReached {
    /// The limit.
    pub wall: BudgetLimit,
    /// The amount spent and reserved so far, plus the amount that the next call or plan needs.
    pub wanted: u64,
    /// The amount allowed.
    pub allowed: u64,
}
