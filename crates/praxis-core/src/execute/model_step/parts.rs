//! Helpers that the requests and outputs of all model calls share.

use crate::ask::reply::ModelReply;
use crate::ask::request::{MessageRole, ModelMessage};
use crate::fault::Fault;
use crate::field_error::FieldError;
use crate::goal::spec::PinnedModel;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The name of the reply's schema.
pub(super) const ANSWER: &str = "answer";

pub(super) fn parsed<T: DeserializeOwned>(arguments: &Value) -> Result<T, Fault> {
    serde_json::from_value(arguments.clone()).map_err(|error| {
        let errors = vec![FieldError::untranslated("", error.to_string())];
        Fault::ParamsInvalid { errors }
    })
}

pub(super) fn message(role: MessageRole, content: String) -> ModelMessage {
    ModelMessage { role, content, reasoning: None }
}

/// Returns the token limit of a reply: the wanted one, but no more than the model's.
pub(super) fn room(wanted: Option<u32>, pinned_model: &PinnedModel) -> u32 {
    wanted.unwrap_or(pinned_model.max_output).min(pinned_model.max_output)
}

/// Returns the output with the model's reasoning added as `reasoning`.
pub(super) fn reasoned(mut output: Map<String, Value>, reply: &ModelReply) -> Value {
    if !reply.reasoning.is_empty() {
        output.insert("reasoning".to_owned(), Value::from(reply.reasoning.as_str()));
    }
    Value::Object(output)
}
