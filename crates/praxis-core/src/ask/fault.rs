//! What can be wrong with an answer, or with an endpoint that gives none. A fault is data.

use super::reply::{ModelToolCall, TokenUsage};
use super::retry_after::ms_until;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Why there is no answer. The tag is the stable code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum ModelFault {
    /// Too many requests.
    ModelRateLimited {
        /// How long to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait: Option<RestTime>,
    },
    /// What was paid for is used up.
    ModelQuotaSpent {
        /// The endpoint's words.
        message: String,
    },
    /// The endpoint has too much to do.
    ModelOverloaded {
        /// How long to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait: Option<RestTime>,
    },
    /// The model is being loaded.
    ModelLoading {
        /// How long to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait: Option<RestTime>,
    },
    /// Nothing can be sent to the endpoint.
    ModelUnreachable {
        /// What the system says.
        message: String,
    },
    /// No answer began, or none ended, in time.
    ModelSilent {
        /// How long it was waited for.
        after_ms: u64,
    },
    /// The endpoint broke down.
    ModelBroke {
        /// The HTTP status.
        status: u16,
        /// The endpoint's words.
        message: String,
    },
    /// The key is wrong or has no right to this.
    ModelDenied {
        /// The HTTP status.
        status: u16,
        /// The endpoint's words.
        message: String,
    },
    /// There is no such model or address.
    ModelNotFound {
        /// The endpoint's words.
        message: String,
    },
    /// The endpoint does not take a part of the request.
    ModelParameterRefused {
        /// Which.
        parameter: Parameter,
        /// The endpoint's words.
        message: String,
    },
    /// Earlier thoughts must be sent back, and were not.
    ModelReasoningWanted {
        /// The endpoint's words.
        message: String,
    },
    /// Earlier thoughts must not be sent back, and were.
    ModelReasoningRefused {
        /// The endpoint's words.
        message: String,
    },
    /// The request has more tokens than the model can read.
    ModelContextExceeded {
        /// The endpoint's words.
        message: String,
    },
    /// The endpoint refused the request for another reason.
    ModelRefused {
        /// The HTTP status.
        status: u16,
        /// The endpoint's words.
        message: String,
    },
    /// What answered is no endpoint of a model: a page for people, or something else.
    ModelNotAnEndpoint {
        /// The HTTP status.
        status: u16,
        /// The beginning of what came.
        message: String,
    },
    /// The endpoint reported an error in the middle of an answer.
    ModelErrorInAnswer {
        /// The endpoint's words.
        message: String,
    },
    /// The answer is not written as it should be.
    ModelUnreadable {
        /// What is wrong with it.
        message: String,
    },
    /// The answer stopped before its end.
    ModelCut {
        /// What came.
        so_far: PartialReplyText,
    },
    /// The answer says nothing and wants no calls.
    ModelEmpty {
        /// What came.
        so_far: PartialReplyText,
    },
    /// The model said that it will not answer.
    ModelDeclined {
        /// Its words.
        message: String,
        /// What it cost.
        usage: TokenUsage,
    },
    /// The arguments of a call are no JSON object.
    ModelArgumentsUnreadable {
        /// The tool, as the model wrote it.
        tool: String,
        /// The beginning of what was written.
        written: String,
        /// What it cost.
        usage: TokenUsage,
    },
}

/// What came of an answer that is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartialReplyText {
    /// The words.
    pub text: String,
    /// The thoughts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The calls that are whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ModelToolCall>,
    /// What it cost.
    pub usage: TokenUsage,
}

/// How long an endpoint wants to be left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestTime {
    /// A span in milliseconds.
    Ms(u64),
    /// Until a moment.
    Until(Timestamp),
}

impl RestTime {
    /// The span from `now` in milliseconds.
    pub fn ms(self, now: Timestamp) -> u64 {
        match self {
            Self::Ms(ms) => ms,
            Self::Until(at) => ms_until(at, now),
        }
    }
}

/// A part of a request that an endpoint may not take.
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
    /// The stable code.
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

    /// Whether the same request may be answered later. A refused part is no such case: the request
    /// has to change first.
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

    /// How long the endpoint wants to be left alone.
    pub fn wait(&self) -> Option<RestTime> {
        if let Self::ModelRateLimited { wait }
        | Self::ModelOverloaded { wait }
        | Self::ModelLoading { wait } = self
        {
            return *wait;
        }
        None
    }

    /// What an answer that is none cost, where it came far enough to cost something.
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
