//! Reply of a model, independent of its endpoint.

use super::raw::RawReply;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// A complete reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// The answer, without reasoning.
    pub text: String,
    /// The reasoning.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The tool calls that the model requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ModelToolCall>,
    /// The reason why the reply ended.
    pub finish: FinishReason,
    /// The tokens used.
    pub usage: TokenUsage,
    /// The repairs that were needed to read it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub repairs: BTreeSet<ReplyRepair>,
    /// The raw request and response, for people to inspect. No decision depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawReply>,
}

/// A tool call that a model requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelToolCall {
    /// The endpoint's id of the call; generated if it has none.
    pub id: String,
    /// The tool, as the model wrote it.
    pub name: String,
    /// The arguments.
    pub arguments: Value,
}

/// The reason why a reply ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The answer is complete.
    #[default]
    Stop,
    /// The model requests tool calls. Derived from the calls, not from the endpoint's `finish_reason`.
    ToolCalls,
    /// The token limit was reached. Such a reply is never taken as complete.
    Length,
    /// The endpoint withheld content.
    Filtered,
}

/// Token counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Prompt tokens.
    pub prompt: u64,
    /// Completion tokens, including reasoning.
    pub completion: u64,
    /// Prompt tokens that hit the endpoint's cache.
    pub cached: u64,
    /// True if the counts are estimates, because the endpoint reported none.
    pub estimated: bool,
}

impl TokenUsage {
    /// Returns the sum; estimated if one of them is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            prompt: self.prompt.saturating_add(other.prompt),
            completion: self.completion.saturating_add(other.completion),
            cached: self.cached.saturating_add(other.cached),
            estimated: self.estimated || other.estimated,
        }
    }
}

/// A repair of a reply, in order of increasing harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyRepair {
    /// Reasoning was removed from the content.
    Think,
    /// A code fence around the JSON was removed.
    Fence,
    /// Prose before or after the JSON was removed.
    Prose,
    /// A comma before a closing bracket was removed.
    TrailingComma,
    /// Arguments came as a string in a string, as an object instead of a string, or empty.
    Coercion,
    /// A call was found in the text or the reasoning.
    CallInText,
    /// The name of a tool had a prefix, other punctuation or another case.
    Name,
    /// Single quotes, bare keys, comments, `True`, `None` or raw line feeds were accepted.
    Syntax,
    /// The text was cut off, and open brackets were closed.
    Truncated,
    /// Unescaped quotes inside a string were guessed.
    InnerQuotes,
}

impl ReplyRepair {
    /// Returns true if nothing was guessed. Only an answer with lossless repairs may lead to a call that writes.
    pub fn is_lossless(self) -> bool {
        match self {
            Self::Think | Self::Fence | Self::TrailingComma | Self::Coercion => true,
            Self::Prose
            | Self::CallInText
            | Self::Name
            | Self::Syntax
            | Self::Truncated
            | Self::InnerQuotes => false,
        }
    }
}
