//! Faults of replies and of endpoints that give none. A fault is data.

use super::reply::{ModelToolCall, TokenUsage};
use super::retry_after::ms_until;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The reason why there is no reply. The tag is the stable code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ModelFault {
    /// Rate limit reached.
    ModelRateLimited {
        /// The delay that the endpoint asks for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait: Option<RetryDelay>,
    },
    /// The paid quota is used up.
    ModelQuotaSpent {
        /// The endpoint's message.
        message: String,
    },
    /// The endpoint is overloaded.
    ModelOverloaded {
        /// The delay that the endpoint asks for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait: Option<RetryDelay>,
    },
    /// The model is being loaded.
    ModelLoading {
        /// The delay that the endpoint asks for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait: Option<RetryDelay>,
    },
    /// The request cannot be sent to the endpoint.
    ModelUnreachable {
        /// The error message of the system.
        message: String,
    },
    /// Timeout: no reply began or ended in time.
    ModelSilent {
        /// The time waited.
        after_ms: u64,
    },
    /// Internal failure of the endpoint.
    ModelBroke {
        /// The HTTP status.
        status: u16,
        /// The endpoint's message.
        message: String,
    },
    /// The API key is wrong or lacks permission.
    ModelDenied {
        /// The HTTP status; 0 if the key cannot be sent, so that the endpoint was not asked.
        status: u16,
        /// The endpoint's message, or the problem of the key.
        message: String,
        /// The problem of the key in Chinese; empty for a message of the endpoint.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message_zh: String,
    },
    /// The model or the address does not exist.
    ModelNotFound {
        /// The endpoint's message.
        message: String,
    },
    /// The endpoint does not accept a part of the request.
    ModelParameterRefused {
        /// The refused part.
        parameter: Parameter,
        /// The endpoint's message.
        message: String,
    },
    /// Earlier reasoning must be sent back and was not.
    ModelReasoningWanted {
        /// The endpoint's message.
        message: String,
    },
    /// Earlier reasoning must not be sent back and was.
    ModelReasoningRefused {
        /// The endpoint's message.
        message: String,
    },
    /// The request has more tokens than the context of the model.
    ModelContextExceeded {
        /// The endpoint's message.
        message: String,
    },
    /// The endpoint refused the request for another reason.
    ModelRefused {
        /// The HTTP status.
        status: u16,
        /// The endpoint's message.
        message: String,
    },
    /// The response does not come from a model endpoint: an HTML page, or something else.
    ModelNotAnEndpoint {
        /// The HTTP status.
        status: u16,
        /// The beginning of the response.
        message: String,
    },
    /// The endpoint reported an error in the middle of a reply.
    ModelErrorInAnswer {
        /// The endpoint's message.
        message: String,
    },
    /// The reply is malformed.
    ModelUnreadable {
        /// The error.
        message: String,
    },
    /// The reply ended before it was complete.
    ModelCut {
        /// The part that was received.
        so_far: PartialReplyText,
    },
    /// The reply has no text and no calls.
    ModelEmpty {
        /// The part that was received.
        so_far: PartialReplyText,
    },
    /// The model refused to answer.
    ModelDeclined {
        /// The model's message.
        message: String,
        /// The tokens used.
        usage: TokenUsage,
    },
    /// The arguments of a call are not a JSON object.
    ModelArgumentsUnreadable {
        /// The name of the tool.
        tool: String,
        /// The beginning of the arguments as written.
        written: String,
        /// The tokens used.
        usage: TokenUsage,
    },
}

/// The received part of a reply that is cut or empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartialReplyText {
    /// The text.
    pub text: String,
    /// The reasoning.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The complete calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ModelToolCall>,
    /// The tokens used.
    pub usage: TokenUsage,
}

/// The delay that an endpoint asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryDelay {
    /// A duration in milliseconds.
    Ms(u64),
    /// A point in time.
    Until(Timestamp),
}

impl RetryDelay {
    /// Returns the delay from `now` in milliseconds.
    pub fn ms(self, now: Timestamp) -> u64 {
        match self {
            Self::Ms(ms) => ms,
            Self::Until(at) => ms_until(at, now),
        }
    }
}

/// A part of a request that an endpoint may refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    /// `stream_options`.
    StreamOptions,
    /// `parallel_tool_calls`.
    ParallelToolCalls,
    /// `max_tokens`; some want `max_completion_tokens`.
    MaxTokens,
    /// `max_completion_tokens`; some want `max_tokens`.
    MaxCompletionTokens,
    /// `temperature`.
    Temperature,
    /// `response_format`.
    ResponseFormat,
    /// `pattern`, `format` or `maxLength` in a schema that becomes a grammar.
    Grammar,
    /// `guided_json`.
    GuidedJson,
    /// `tool_choice`.
    ToolChoice,
    /// `tools`.
    Tools,
}

impl ModelFault {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ModelRateLimited { .. } => "model_rate_limited",
            Self::ModelQuotaSpent { .. } => "model_quota_spent",
            Self::ModelOverloaded { .. } => "model_overloaded",
            Self::ModelLoading { .. } => "model_loading",
            Self::ModelUnreachable { .. } => "model_unreachable",
            Self::ModelSilent { .. } => "model_silent",
            Self::ModelBroke { .. } => "model_broke",
            Self::ModelDenied { .. } => "model_denied",
            Self::ModelNotFound { .. } => "model_not_found",
            Self::ModelParameterRefused { .. } => "model_parameter_refused",
            Self::ModelReasoningWanted { .. } => "model_reasoning_wanted",
            Self::ModelReasoningRefused { .. } => "model_reasoning_refused",
            Self::ModelContextExceeded { .. } => "model_context_exceeded",
            Self::ModelRefused { .. } => "model_refused",
            Self::ModelNotAnEndpoint { .. } => "model_not_an_endpoint",
            Self::ModelErrorInAnswer { .. } => "model_error_in_answer",
            Self::ModelUnreadable { .. } => "model_unreadable",
            Self::ModelCut { .. } => "model_cut",
            Self::ModelEmpty { .. } => "model_empty",
            Self::ModelDeclined { .. } => "model_declined",
            Self::ModelArgumentsUnreadable { .. } => "model_arguments_unreadable",
        }
    }

    /// Returns true if the same request may succeed later. A refused parameter does not qualify: the request has to
    /// change first.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::ModelRateLimited { .. }
            | Self::ModelOverloaded { .. }
            | Self::ModelLoading { .. }
            | Self::ModelUnreachable { .. }
            | Self::ModelSilent { .. }
            | Self::ModelBroke { .. }
            | Self::ModelErrorInAnswer { .. }
            | Self::ModelUnreadable { .. }
            | Self::ModelCut { .. }
            | Self::ModelEmpty { .. }
            | Self::ModelArgumentsUnreadable { .. } => true,
            Self::ModelNotAnEndpoint { status, .. } => *status >= 500,
            Self::ModelQuotaSpent { .. }
            | Self::ModelDenied { .. }
            | Self::ModelNotFound { .. }
            | Self::ModelParameterRefused { .. }
            | Self::ModelReasoningWanted { .. }
            | Self::ModelReasoningRefused { .. }
            | Self::ModelContextExceeded { .. }
            | Self::ModelRefused { .. }
            | Self::ModelDeclined { .. } => false,
        }
    }

    /// Returns the delay that the endpoint asks for.
    pub fn wait(&self) -> Option<RetryDelay> {
        if let Self::ModelRateLimited { wait }
        | Self::ModelOverloaded { wait }
        | Self::ModelLoading { wait } = self
        {
            return *wait;
        }
        None
    }

    /// Returns the tokens used by a failed reply, if it got far enough to use any.
    pub fn usage(&self) -> Option<TokenUsage> {
        if let Self::ModelCut { so_far } | Self::ModelEmpty { so_far } = self {
            return Some(so_far.usage);
        }
        if let Self::ModelDeclined { usage, .. } | Self::ModelArgumentsUnreadable { usage, .. } =
            self
        {
            return Some(*usage);
        }
        None
    }
}
