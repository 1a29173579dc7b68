//! Scripted answers of an endpoint: text, tool calls and token usage.

use praxis_core::ask::usage::estimate;
use serde::Deserialize;
use serde_json::Value;

/// A well-formed answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedAnswer {
    /// The text of the answer.
    pub text: String,
    /// The reasoning before the answer; sent as `reasoning_content`.
    pub reasoning: String,
    /// The tool calls.
    pub tool_calls: Vec<AnswerCall>,
    /// The finish reason; by default `stop`, or `tool_calls` if there are calls.
    pub finish: Option<String>,
    /// The token usage; estimated if `None`.
    pub usage: Option<TokenCounts>,
}

/// A tool call of the model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments: an object, or a string that is sent verbatim.
    #[serde(default)]
    pub arguments: Value,
    /// The id of the call; generated if `None`.
    #[serde(default)]
    pub id: Option<String>,
}

/// Token counts of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenCounts {
    /// The prompt tokens.
    pub prompt: u64,
    /// The completion tokens, reasoning included.
    pub completion: u64,
    /// The prompt tokens that came from the cache.
    pub cached: u64,
}

impl AnswerCall {
    /// Returns the arguments as they are sent: JSON text.
    pub fn written(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            Value::Null => "{}".to_owned(),
            other => other.to_string(),
        }
    }
}

impl ScriptedAnswer {
    /// Creates an answer with this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Creates an answer with a value as JSON text.
    pub fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }

    /// Returns the finish reason.
    pub fn finish(&self) -> &str {
        let own = if self.tool_calls.is_empty() { "stop" } else { "tool_calls" };
        self.finish.as_deref().unwrap_or(own)
    }

    /// Returns the estimated number of completion tokens.
    pub fn completion_tokens(&self) -> u64 {
        let call = |call: &AnswerCall| estimate(&call.name) + estimate(&call.written());
        let calls: u64 = self.tool_calls.iter().map(call).sum();
        estimate(&self.text) + estimate(&self.reasoning) + calls
    }

    /// Returns the scripted usage, or an estimate for a prompt of `prompt` tokens of which `cached` were cached.
    pub fn cost(&self, prompt: u64, cached: u64) -> TokenCounts {
        self.usage.unwrap_or_else(|| TokenCounts {
            prompt,
            completion: self.completion_tokens(),
            cached,
        })
    }
}
