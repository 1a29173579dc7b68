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
            Self::MaxTokens => ("limits answer length with", "限制回答长度的参数"),
            Self::UsageInStream => ("reports tokens in a stream", "流式返回 token 用量"),
            Self::Temperature => ("accepts temperature", "接受 temperature"),
            Self::SystemRole => ("follows the system role", "遵循 system 指令"),
            Self::Unicode => ("preserves Unicode", "Unicode 字符无损"),
            Self::JsonSchema => ("enforces json_schema", "支持 json_schema 约束输出"),
            Self::JsonObject => ("supports json_object", "支持 json_object"),
            Self::Tools => ("calls tools", "调用工具"),
            Self::StreamedCalls => ("streams tool calls", "流式返回工具调用"),
            Self::ParallelCalls => ("calls tools in parallel", "并行调用工具"),
            Self::ForcedTool => ("supports forced tool calls", "支持强制调用工具"),
            Self::Grammar => ("enforces a schema by grammar", "支持用语法（grammar）约束输出"),
            Self::Thinking => ("reasons before answering", "先推理后回答"),
        };
        Bilingual::from((en, zh))
    }

    /// Returns true if the lack of this feature does not matter to users.
    pub fn is_optional(self) -> bool {
        matches!(self, Self::Thinking | Self::Grammar | Self::ParallelCalls)
    }
}
