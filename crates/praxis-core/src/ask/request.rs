//! A model request, independent of the endpoint; an adapter translates it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A chat request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The messages, in order.
    pub messages: Vec<ModelMessage>,
    /// The tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolOffer>,
    /// The required format of the answer.
    #[serde(default, skip_serializing_if = "AnswerFormat::is_text")]
    pub format: AnswerFormat,
    /// The maximum number of tokens of the answer. Always sent.
    pub max_tokens: u32,
    /// The sampling temperature; the endpoint's default if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
}

/// A message of a chat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelMessage {
    /// The author.
    pub role: MessageRole,
    /// The text.
    pub content: String,
    /// The model's reasoning before this message. Some endpoints require it, some refuse it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

/// The author of a message.
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

/// A tool offered to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolOffer {
    /// The name of the tool.
    pub name: String,
    /// The description of the tool.
    pub description: String,
    /// The JSON schema of the arguments.
    pub parameters: Value,
}

/// The required format of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFormat {
    /// Free text.
    #[default]
    Text,
    /// JSON that matches a schema. Praxis validates it, whatever the endpoint promises.
    Json {
        /// The name of the schema, for endpoints that require one.
        name: String,
        /// The JSON schema.
        schema: Value,
    },
}

impl AnswerFormat {
    /// Returns true if free text is wanted.
    pub fn is_text(&self) -> bool {
        *self == Self::Text
    }
}
