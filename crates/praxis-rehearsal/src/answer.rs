//! What an endpoint is to say: words, or calls, and what they cost.

use praxis_core::ask::usage::estimate;
use serde::Deserialize;
use serde_json::Value;

/// One answer in good order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedAnswer {
    /// The words.
    pub text: String,
    /// What the model thinks before; sent as `reasoning_content`.
    pub reasoning: String,
    /// The calls that it wants.
    pub tool_calls: Vec<AnswerCall>,
    /// Why it ends; by itself `stop`, or `tool_calls` where there are calls.
    pub finish: Option<String>,
    /// What it costs; estimated where nobody says.
    pub usage: Option<TokenCounts>,
}

/// A call that the model wants.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerCall {
    /// The tool.
    pub name: String,
    /// The arguments: an object, or a text that is sent as it stands.
    #[serde(default)]
    pub arguments: Value,
    /// The id of the call; made up if none.
    #[serde(default)]
    pub id: Option<String>,
}

/// A count of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TokenCounts {
    /// Sent.
    pub prompt: u64,
    /// Received, thoughts included.
    pub completion: u64,
    /// Of those sent, how many were known already.
    pub cached: u64,
}

impl AnswerCall {
    /// The arguments as they are sent: a text of JSON.
    pub fn written(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            Value::Null => "{}".to_owned(),
            other => other.to_string(),
        }
    }
}

impl ScriptedAnswer {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A value, written as JSON.
    pub fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }

    /// Why it ends.
    pub fn finish(&self) -> &str {
        let own = if self.tool_calls.is_empty() { "stop" } else { "tool_calls" };
        self.finish.as_deref().unwrap_or(own)
    }

    /// About how many tokens it has.
    pub fn completion_tokens(&self) -> u64 {
        let call = |call: &AnswerCall| estimate(&call.name) + estimate(&call.written());
        let calls: u64 = self.tool_calls.iter().map(call).sum();
        estimate(&self.text) + estimate(&self.reasoning) + calls
    }

    /// What it costs, said or estimated, after a prompt of which so much was known.
    pub fn cost(&self, prompt: u64, cached: u64) -> TokenCounts {
        self.usage.unwrap_or_else(|| TokenCounts {
            prompt,
            completion: self.completion_tokens(),
            cached,
        })
    }
}
