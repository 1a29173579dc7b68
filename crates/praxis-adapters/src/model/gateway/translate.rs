//! Requests into the words of the gateway, and its answers back. Pure.

use super::super::wire::schema_text;
use super::v1;
use praxis_core::ask::fault::{Fault, Wait};
use praxis_core::ask::json;
use praxis_core::ask::reply::{Finish, Reply, ToolCall, Usage};
use praxis_core::ask::request::{Format, Message, Request, Role, ToolOffer};
use praxis_core::ask::usage::estimate;
use serde_json::Value;
use std::collections::BTreeSet;
use tonic::{Code, Status};

/// A request in the words of the gateway.
pub(super) fn request(request: &Request, model: &str) -> v1::AskRequest {
    let format = match &request.format {
        Format::Text => None,
        Format::Json { name, .. } => {
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

fn message(message: &Message) -> v1::Message {
    let role = match message.role {
        Role::System => v1::Role::System,
        Role::User => v1::Role::User,
        Role::Assistant => v1::Role::Assistant,
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

/// The reply of the gateway in ours. `prompt` is about how many tokens were sent.
pub(super) fn reply(reply: v1::Reply, prompt: u64) -> Result<Reply, Fault> {
    let finish = reply.finish();
    let usage = usage(&reply, prompt);
    let mut repairs = BTreeSet::new();
    let mut tool_calls = Vec::new();
    for call in reply.tool_calls {
        let written = Value::String(call.arguments_json);
        let unreadable = |_| Fault::ModelArgumentsUnreadable {
            tool: call.name.clone(),
            written: written.as_str().unwrap_or_default().chars().take(200).collect(),
            usage,
        };
        let found = json::arguments(&written).map_err(unreadable)?;
        repairs.extend(found.repairs);
        tool_calls.push(ToolCall { id: call.id, name: call.name, arguments: found.value });
    }
    let finish = match finish {
        v1::Finish::Length => Finish::Length,
        v1::Finish::Filtered => Finish::Filtered,
        v1::Finish::Unspecified | v1::Finish::Stop | v1::Finish::ToolCalls
            if !tool_calls.is_empty() =>
        {
            Finish::ToolCalls
        }
        v1::Finish::Unspecified | v1::Finish::Stop | v1::Finish::ToolCalls => Finish::Stop,
    };
    let (text, reasoning) = (reply.text, reply.reasoning);
    if finish == Finish::Stop && text.trim().is_empty() {
        let so_far = praxis_core::ask::fault::Partial { text, reasoning, tool_calls, usage };
        return Err(Fault::ModelEmpty { so_far });
    }
    Ok(Reply { text, reasoning, tool_calls, finish, usage, repairs, raw: None })
}

fn usage(reply: &v1::Reply, prompt: u64) -> Usage {
    let counted = reply.usage.filter(|usage| usage.prompt.max(usage.completion) > 0);
    let guessed = || Usage {
        prompt,
        completion: estimate(&reply.text) + estimate(&reply.reasoning),
        cached: 0,
        estimated: true,
    };
    counted.map_or_else(guessed, |usage| Usage {
        prompt: usage.prompt,
        completion: usage.completion,
        cached: usage.cached,
        estimated: false,
    })
}

/// A fault that the gateway told. One whose code means nothing here is a breakdown of the gateway's.
pub(super) fn fault(fault: v1::Fault) -> Fault {
    let (message, wait) = (fault.message, fault.wait_ms.map(Wait::Ms));
    match fault.code.as_str() {
        "model_rate_limited" => Fault::ModelRateLimited { wait },
        "model_overloaded" => Fault::ModelOverloaded { wait },
        "model_loading" => Fault::ModelLoading { wait },
        "model_quota_spent" => Fault::ModelQuotaSpent { message },
        "model_unreachable" => Fault::ModelUnreachable { message },
        "model_denied" => Fault::ModelDenied { status: 403, message },
        "model_not_found" => Fault::ModelNotFound { message },
        "model_context_exceeded" => Fault::ModelContextExceeded { message },
        "model_refused" | "model_parameter_refused" => Fault::ModelRefused { status: 400, message },
        "model_declined" => Fault::ModelDeclined { message, usage: Usage::default() },
        "model_error_in_answer" => Fault::ModelErrorInAnswer { message },
        "model_unreadable" => Fault::ModelUnreadable { message },
        _ => Fault::ModelBroke { status: 500, message },
    }
}

/// What the status of a call means. `waited_ms` is how long it had.
pub(super) fn status(status: &Status, message: String, waited_ms: u64) -> Fault {
    let wait = wait(status);
    let is_ours = std::error::Error::source(status).is_some();
    match status.code() {
        // What has a cause on this side never came from the gateway.
        Code::Unavailable if is_ours => Fault::ModelUnreachable { message },
        Code::Unavailable => Fault::ModelOverloaded { wait },
        Code::ResourceExhausted => Fault::ModelRateLimited { wait },
        Code::DeadlineExceeded => Fault::ModelSilent { after_ms: waited_ms },
        Code::Unauthenticated => Fault::ModelDenied { status: 401, message },
        Code::PermissionDenied => Fault::ModelDenied { status: 403, message },
        Code::NotFound => Fault::ModelNotFound { message },
        Code::Unimplemented => Fault::ModelNotAnEndpoint { status: 404, message },
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => {
            Fault::ModelRefused { status: 400, message }
        }
        Code::Ok
        | Code::Cancelled
        | Code::Unknown
        | Code::AlreadyExists
        | Code::Aborted
        | Code::Internal
        | Code::DataLoss => Fault::ModelBroke { status: 500, message },
    }
}

/// How long the gateway wants to be left alone.
fn wait(status: &Status) -> Option<Wait> {
    let header = |name: &str| status.metadata().get(name)?.to_str().ok()?.parse::<u64>().ok();
    let seconds = || header("retry-after").map(|seconds| seconds.saturating_mul(1000));
    header("retry-after-ms").or_else(seconds).map(Wait::Ms)
}
