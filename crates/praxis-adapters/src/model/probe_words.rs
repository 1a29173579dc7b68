//! Features and grades of a probe, with their texts.

use praxis_core::problem::Bilingual;
use serde::{Deserialize, Serialize};

/// A capability that an endpoint may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// Answering at all.
    Answers,
    /// The parameter that limits an answer: `max_tokens` or `max_completion_tokens`.
    MaxTokens,
    /// Token usage in a stream.
    UsageInStream,
    /// The parameter `temperature`.
    Temperature,
    /// Following instructions in the `system` role.
    SystemRole,
    /// Returning characters unchanged.
    Unicode,
    /// Enforcing `response_format: json_schema`.
    JsonSchema,
    /// Answering with JSON for `response_format: json_object`.
    JsonObject,
    /// Calling tools.
    Tools,
    /// Tool calls in a stream.
    StreamedCalls,
    /// Several tool calls in one reply.
    ParallelCalls,
    /// Forcing a tool call with `tool_choice`.
    ForcedTool,
    /// Turning a schema into a grammar.
    Grammar,
    /// Reasoning before the answer.
    Thinking,
}

/// Degree of support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Observed in a reply.
    Yes,
    /// Accepted, but without the required effect.
    Partly,
    /// Refused, or not observed.
    No,
    /// Not known, because of another failure.
    Unknown,
}

impl Feature {
    /// Returns the display name of the feature.
    pub fn words(self) -> Bilingual {
        let (en, zh) = match self {
            Self::Answers => ("answers", "能回答"),
            Self::MaxTokens => ("bound on answers", "回答上限的参数"),
            Self::UsageInStream => ("counts tokens in a stream", "流式返回 token 数"),
            Self::Temperature => ("takes a temperature", "接受 temperature"),
            Self::SystemRole => ("heeds the system role", "遵守 system 指令"),
            Self::Unicode => ("leaves characters alone", "字符无损"),
            Self::JsonSchema => ("enforces json_schema", "强制 json_schema"),
            Self::JsonObject => ("gives json_object", "支持 json_object"),
            Self::Tools => ("calls tools", "调用工具"),
            Self::StreamedCalls => ("streams its calls", "流式返回调用"),
            Self::ParallelCalls => ("makes several calls at once", "一次多个调用"),
            Self::ForcedTool => ("can be made to call a tool", "可强制调用工具"),
            Self::Grammar => ("makes a grammar of a schema", "由 schema 生成文法"),
            Self::Thinking => ("thinks before it speaks", "先思考后回答"),
        };
        Bilingual::from((en, zh))
    }

    /// Returns true if the lack of this feature does not matter to users.
    pub fn is_optional(self) -> bool {
        matches!(self, Self::Thinking | Self::Grammar | Self::ParallelCalls)
    }
}
