//! What a model answered, whatever its endpoint made of it.

use super::raw::RawReply;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// A complete answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// The words, without what the model thought.
    pub text: String,
    /// What it thought.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The calls that it wants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ModelToolCall>,
    /// Why it ended.
    pub finish: FinishReason,
    /// What it cost.
    pub usage: TokenUsage,
    /// What had to be mended to read it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub repairs: BTreeSet<JsonRepair>,
    /// What went over the wire for it, for people to look at. Nothing is decided by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawReply>,
}

/// A call that a model wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelToolCall {
    /// The endpoint's name for the call; made up where there is none.
    pub id: String,
    /// The tool, as the model wrote it.
    pub name: String,
    /// The arguments.
    pub arguments: Value,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It was said.
    #[default]
    Stop,
    /// It wants calls. Known by the calls, not by what the endpoint says.
    ToolCalls,
    /// There were no more tokens. Never taken for whole.
    Length,
    /// The endpoint held it back.
    Filtered,
}

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Sent.
    pub prompt: u64,
    /// Received, thoughts included.
    pub completion: u64,
    /// Of those sent, how many the endpoint had seen before.
    pub cached: u64,
    /// Nobody counted: this is a guess.
    pub estimated: bool,
}

impl TokenUsage {
    /// Both together; a guess if one of them is.
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

/// Something that was mended. The order is that of harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonRepair {
    /// Thoughts stood among the words.
    Think,
    /// A fence of back quotes stood around the JSON.
    Fence,
    /// Words stood before or after the JSON.
    Prose,
    /// A comma stood before a closing bracket.
    TrailingComma,
    /// Arguments were a text in a text, an object instead of a text, or nothing for no arguments.
    Coercion,
    /// A call stood among the words or thoughts.
    CallInText,
    /// The name of a tool had a prefix, other dots or another case.
    Name,
    /// Single quotes, bare keys, comments, `True`, `None`, raw line feeds.
    Syntax,
    /// The text was cut off and brackets were closed.
    Truncated,
    /// Quotes inside of a text were guessed.
    InnerQuotes,
}

impl JsonRepair {
    /// Whether nothing was guessed. Only such an answer may drive a call that is no read.
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
