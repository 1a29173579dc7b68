//! The limits of a task. They always apply; at each the task asks or fails.

use crate::ask::price::Money;
use serde::{Deserialize, Serialize};

/// What a task may spend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Tokens, sent and received.
    pub tokens: u64,
    /// Money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money: Option<Money>,
    /// Calls of models and tools together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Calls of models.
    pub model_calls: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Plans after the first.
    pub replans: u64,
    /// How often the same call with the same arguments may be made.
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

/// A limit that can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetLimit {
    /// Tokens.
    Tokens,
    /// Money; amounts are millionths.
    Money,
    /// The price of a model is not known, and the task has a budget of money.
    UnknownPrice,
    /// Calls of models and tools.
    Calls,
    /// Calls of models.
    ModelCalls,
    /// Calls of tools.
    ToolCalls,
    /// Plans after the first.
    Replans,
    /// The same call again and again.
    SameCall,
}

impl BudgetLimit {
    /// The word in settings and on the wire.
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

/// A wall that stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitReached {
    /// Which.
    pub wall: BudgetLimit,
    /// What is spent and reserved already, and what the next thing needs.
    pub wanted: u64,
    /// What is allowed.
    pub allowed: u64,
}
