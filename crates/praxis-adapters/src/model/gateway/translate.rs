//! Converts requests to the messages of the gateway, and its answers back. Pure.

use super::super::wire::schema_text;
use super::v1;
use praxis_core::ask::fault::{ModelFault, RetryDelay};
use praxis_core::ask::json;
use praxis_core::ask::reply::{FinishReason, ModelReply, ModelToolCall, TokenUsage};
use praxis_core::ask::request::{AnswerFormat, MessageRole, ModelMessage, ModelRequest, ToolOffer};
use praxis_core::ask::usage::estimate;
use serde_json::Value;
use std::collections::BTreeSet;
use tonic::{Code, Status};

/// Converts a request to a gateway message.
pub(super) fn request(request: &ModelRequest, model: &str) -> v1::AskRequest {
    let format = match &request.format {
        AnswerFormat::Text => None,
        AnswerFormat::Json { name, .. } => {
            let schema_json = schema_text(request).unwrap_or_default();
            Some(v1::JsonFormat { name: name.clone(), schema_json })
        }
    };
    v1::AskRequest {
        model: model.to_owned(),
        messages: request.messages.iter().map(message).collect(),
        tools: request.tools.iter().map(tool).collect(),
        format,
        max_tokens: request.max_tokens,
        temperature: request.temperature,
    }
}

fn message(message: &ModelMessage) -> v1::Message {
    let role = match message.role {
        MessageRole::System => v1::Role::System,
        MessageRole::User => v1::Role::User,
        MessageRole::Assistant => v1::Role::Assistant,
    };
    v1::Message {
        role: role.into(),
        content: message.content.clone(),
        reasoning: message.reasoning.clone(),
    }
}

fn tool(tool: &ToolOffer) -> v1::ToolOffer {
    v1::ToolOffer {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters_json: tool.parameters.to_string(),
    }
}

/// Converts a reply of the gateway. `prompt` is the estimated number of prompt tokens.
pub(super) fn reply(reply: v1::Reply, prompt: u64) -> Result<ModelReply, ModelFault> {
    let finish = reply.finish();
    let usage = usage(&reply, prompt);
    let mut repairs = BTreeSet::new();
    let mut tool_calls = Vec::new();
    for call in reply.tool_calls {
        let written = Value::String(call.arguments_json);
        let unreadable = |_| ModelFault::ModelArgumentsUnreadable {
            tool: call.name.clone(),
            written: written.as_str().unwrap_or_default().chars().take(200).collect(),
            usage,
        };
        let found = json::arguments(&written).map_err(unreadable)?;
        repairs.extend(found.repairs);
        tool_calls.push(ModelToolCall { id: call.id, name: call.name, arguments: found.value });
    }
    let finish = match finish {
        v1::Finish::Length => FinishReason::Length,
        v1::Finish::Filtered => FinishReason::Filtered,
        v1::Finish::Unspecified | v1::Finish::Stop | v1::Finish::ToolCalls
            if !tool_calls.is_empty() =>
        {
            FinishReason::ToolCalls
        }
        v1::Finish::Unspecified | v1::Finish::Stop | v1::Finish::ToolCalls => FinishReason::Stop,
    };
    let (text, reasoning) = (reply.text, reply.reasoning);
    if finish == FinishReason::Stop && text.trim().is_empty() {
        let so_far =
            praxis_core::ask::fault::PartialReplyText { text, reasoning, tool_calls, usage };
        return Err(ModelFault::ModelEmpty { so_far });
    }
    Ok(ModelReply { text, reasoning, tool_calls, finish, usage, repairs, raw: None })
}

fn usage(reply: &v1::Reply, prompt: u64) -> TokenUsage {
    let counted = reply.usage.filter(|usage| usage.prompt.max(usage.completion) > 0);
    let guessed = || TokenUsage {
        prompt,
        completion: estimate(&reply.text) + estimate(&reply.reasoning),
        cached: 0,
        estimated: true,
    };
    counted.map_or_else(guessed, |usage| TokenUsage {
        prompt: usage.prompt,
        completion: usage.completion,
        cached: usage.cached,
        estimated: false,
    })
}

/// Converts a fault of the gateway. An unknown code counts as a failure of the gateway.
pub(super) fn fault(fault: v1::Fault) -> ModelFault {
    let (message, wait) = (fault.message, fault.wait_ms.map(RetryDelay::Ms));
    match fault.code.as_str() {
        "model_rate_limited" => ModelFault::ModelRateLimited { wait },
        "model_overloaded" => ModelFault::ModelOverloaded { wait },
        "model_loading" => ModelFault::ModelLoading { wait },
        "model_quota_spent" => ModelFault::ModelQuotaSpent { message },
        "model_unreachable" => ModelFault::ModelUnreachable { message },
        "model_denied" => denied(403, message),
        "model_not_found" => ModelFault::ModelNotFound { message },
        "model_context_exceeded" => ModelFault::ModelContextExceeded { message },
        "model_refused" | "model_parameter_refused" => {
            ModelFault::ModelRefused { status: 400, message }
        }
        "model_declined" => ModelFault::ModelDeclined { message, usage: TokenUsage::default() },
        "model_error_in_answer" => ModelFault::ModelErrorInAnswer { message },
        "model_unreadable" => ModelFault::ModelUnreadable { message },
        _ => ModelFault::ModelBroke { status: 500, message },
    }
}

fn denied(status: u16, message: String) -> ModelFault {
    ModelFault::ModelDenied { status, message, message_zh: String::new() }
}

/// Converts the gRPC status of a call to a fault. `waited_ms` is the timeout that the call had.
pub(super) fn status(status: &Status, message: String, waited_ms: u64) -> ModelFault {
    let wait = wait(status);
    let is_ours = std::error::Error::source(status).is_some();
    match status.code() {
        // A status with a local cause did not come from the gateway.
        Code::Unavailable if is_ours => ModelFault::ModelUnreachable { message },
        Code::Unavailable => ModelFault::ModelOverloaded { wait },
        Code::ResourceExhausted => ModelFault::ModelRateLimited { wait },
        Code::DeadlineExceeded => ModelFault::ModelSilent { after_ms: waited_ms },
        Code::Unauthenticated => denied(401, message),
        Code::PermissionDenied => denied(403, message),
        Code::NotFound => ModelFault::ModelNotFound { message },
        Code::Unimplemented => ModelFault::ModelNotAnEndpoint { status: 404, message },
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => {
            ModelFault::ModelRefused { status: 400, message }
        }
        Code::Ok
        | Code::Cancelled
        | Code::Unknown
        | Code::AlreadyExists
        | Code::Aborted
        | Code::Internal
        | Code::DataLoss => ModelFault::ModelBroke { status: 500, message },
    }
}

/// Returns the time that the gateway asks to wait, in `retry-after-ms` or `retry-after`.
fn wait(status: &Status) -> Option<RetryDelay> {
    let header = |name: &str| status.metadata().get(name)?.to_str().ok()?.parse::<u64>().ok();
    let seconds = || header("retry-after").map(|seconds| seconds.saturating_mul(1000));
    header("retry-after-ms").or_else(seconds).map(RetryDelay::Ms)
}
