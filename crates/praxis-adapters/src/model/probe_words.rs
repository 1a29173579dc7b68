//! What a probe looks at, in words.

use praxis_core::problem::Bilingual;
use serde::{Deserialize, Serialize};

/// Something that an endpoint may be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// It answers.
    Answers,
    /// The name of the bound on an answer.
    MaxTokens,
    /// It counts tokens in a stream.
    UsageInStream,
    /// It takes a temperature.
    Temperature,
    /// It heeds the instructions.
    SystemRole,
    /// It leaves characters alone.
    Unicode,
    /// It enforces a schema.
    JsonSchema,
    /// It answers with JSON.
    JsonObject,
    /// It calls tools.
    Tools,
    /// Its calls come in a stream.
    StreamedCalls,
    /// It makes several calls at once.
    ParallelCalls,
    /// It can be made to call a tool.
    ForcedTool,
    /// It makes a grammar of a schema.
    Grammar,
    /// It thinks before it speaks.
    Thinking,
}

/// Whether it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// It was seen.
    Yes,
    /// It is accepted, and does not do what it should.
    Partly,
    /// It is refused, or was not seen.
    No,
    /// Something else went wrong.
    Unknown,
}

impl Feature {
    /// What it is, for people.
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

    /// Whether people need not care if it is not there.
    pub fn is_optional(self) -> bool {
        matches!(self, Self::Thinking | Self::Grammar | Self::ParallelCalls)
    }
}
