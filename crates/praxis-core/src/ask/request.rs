//! One question to a model, in the words of Praxis; an adapter puts it into those of an endpoint.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One chat request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// What is said, in order.
    pub messages: Vec<ModelMessage>,
    /// Tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolOffer>,
    /// What the answer has to look like.
    #[serde(default, skip_serializing_if = "AnswerFormat::is_text")]
    pub format: AnswerFormat,
    /// The most tokens that the answer may take. Always sent.
    pub max_tokens: u32,
    /// How freely the model chooses; the endpoint's default if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelMessage {
    /// By whom.
    pub role: MessageRole,
    /// The words.
    pub content: String,
    /// What the model thought before it said this. Some endpoints want it back, some refuse it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// The instructions.
    System,
    /// The caller.
    User,
    /// The model.
    Assistant,
}

/// A tool as it is offered to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolOffer {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Value,
}

/// What an answer has to look like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFormat {
    /// Words.
    #[default]
    Text,
    /// JSON that a schema describes. It is checked here, whatever the endpoint promises.
    Json {
        /// The name of the schema, for endpoints that want one.
        name: String,
        /// The schema.
        schema: Value,
    },
}

impl AnswerFormat {
    /// Whether words are wanted.
    pub fn is_text(&self) -> bool {
        *self == Self::Text
    }
}
