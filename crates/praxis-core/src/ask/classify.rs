//! Classifies the response of an endpoint that gave no reply.
//!
//! - in: the HTTP status, two headers and the body; or an error in the middle of a reply
//! - out: a [`ModelFault`]
//! - never: trusts the content type, or keeps an error message of unlimited length

use super::fault::{ModelFault, Parameter, RetryDelay};
use super::retry_after;
use serde_json::Value;

/// Maximum number of characters kept of an endpoint's message.
const LONGEST_WORDS: usize = 500;
/// Maximum number of bytes of a body that are examined.
const LONGEST_BODY: usize = 64 << 10;

/// An HTTP response that is not the expected one.
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpRefusal<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The header `Retry-After`.
    pub retry_after: Option<&'a str>,
    /// The header `retry-after-ms`.
    pub retry_after_ms: Option<&'a str>,
    /// The body.
    pub body: &'a str,
}

/// Classifies the refusal of an endpoint.
pub fn classify(refusal: &HttpRefusal<'_>) -> ModelFault {
    let body = beginning(refusal.body);
    let exact = refusal.retry_after_ms.and_then(retry_after::retry_after_ms);
    let wait = exact.or_else(|| refusal.retry_after.and_then(retry_after::retry_after));
    let error = serde_json::from_str::<Value>(body).unwrap_or(Value::Null);
    let found = RefusalClues {
        status: refusal.status,
        wait,
        body: body.to_ascii_lowercase(),
        message: words(&error, body),
    };
    if is_page(body) && !matches!(refusal.status, 401 | 403 | 429 | 529) {
        let message = page_words(body);
        return ModelFault::ModelNotAnEndpoint { status: refusal.status, message };
    }
    found.by_status(parameter_of(&error))
}

/// Classifies an error in the middle of a reply.
pub(super) fn of_error(error: &Value) -> ModelFault {
    let written = error.to_string();
    let number = |at: &str| {
        error.pointer(at).and_then(|code| match code {
            Value::Number(code) => code.as_u64(),
            Value::String(code) => code.parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        })
    };
    let status = ["/error/code", "/error/status", "/error/status_code", "/code"]
        .into_iter()
        .find_map(number)
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code))
        .unwrap_or_else(|| status_of_words(&written.to_ascii_lowercase()));
    if status == 0 {
        return ModelFault::ModelErrorInAnswer { message: words(error, &written) };
    }
    classify(&HttpRefusal { status, body: &written, ..HttpRefusal::default() })
}

/// Returns true if a payload reports an error instead of a part of a reply.
pub(super) fn is_error(payload: &Value) -> bool {
    let says = |name: &str| payload.get(name).is_some_and(Value::is_string);
    let is_answer = payload.get("choices").is_some() || payload.get("usage").is_some();
    match payload.get("error") {
        Some(Value::Null | Value::Bool(false)) | None => {}
        Some(_) => return true,
    }
    let named = |name: &str| payload.get(name).and_then(Value::as_str) == Some("error");
    named("object") || named("type") || (!is_answer && (says("message") || says("detail")))
}

/// Returns true if a body is an HTML or XML page.
pub(super) fn is_page(body: &str) -> bool {
    body.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// Returns the beginning of a page's text, without tags.
pub(super) fn page_words(body: &str) -> String {
    let mut in_tag = false;
    let plain = beginning(body).chars().map(|c| {
        let was_in_tag = in_tag || c == '<';
        in_tag = (in_tag || c == '<') && c != '>';
        if was_in_tag { ' ' } else { c }
    });
    let plain: String = plain.collect();
    short(&plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the beginning of an endpoint's message.
pub(super) fn short(words: &str) -> String {
    words.trim().chars().take(LONGEST_WORDS).collect()
}

fn status_of_words(written: &str) -> u16 {
    let has = |words: &[&str]| words.iter().any(|word| written.contains(word));
    match () {
        () if has(&["rate_limit", "rate limit", "too many requests"]) => 429,
        () if has(&["overloaded"]) => 529,
        () if has(&["authentication", "permission"]) => 401,
        () if has(&["invalid_request", "context_length", "badrequest"]) => 400,
        () => 0,
    }
}

/// The evidence of a refusal; `body` is in lower case.
struct RefusalClues {
    status: u16,
    wait: Option<RetryDelay>,
    body: String,
    message: String,
}

impl RefusalClues {
    fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.body.contains(word))
    }

    fn by_status(self, named: Option<Parameter>) -> ModelFault {
        let (status, wait) = (self.status, self.wait);
        match status {
            429 if self.has(&["insufficient_quota", "billing", "insufficient balance"]) => {
                ModelFault::ModelQuotaSpent { message: self.message }
            }
            402 => ModelFault::ModelQuotaSpent { message: self.message },
            401 | 403 => {
                ModelFault::ModelDenied { status, message: self.message, message_zh: String::new() }
            }
            429 => ModelFault::ModelRateLimited { wait },
            529 => ModelFault::ModelOverloaded { wait },
            _ if self.is_too_long() => ModelFault::ModelContextExceeded { message: self.message },
            503 if self.has(&["loading", "warming", "starting"]) => {
                ModelFault::ModelLoading { wait }
            }
            503 if wait.is_some() || self.has(&["overloaded", "busy", "capacity"]) => {
                ModelFault::ModelOverloaded { wait }
            }
            408 | 500.. => {
                self.by_words(named, |status, message| ModelFault::ModelBroke { status, message })
            }
            404 if !self.has(&["does not support", "endpoints found that support"]) => {
                ModelFault::ModelNotFound { message: self.message }
            }
            0..=299 => ModelFault::ModelNotAnEndpoint { status, message: self.message },
            _ => {
                self.by_words(named, |status, message| ModelFault::ModelRefused { status, message })
            }
        }
    }

    /// Classifies by the text of the body first, because some endpoints answer 5xx where they should refuse.
    fn by_words(
        self,
        named: Option<Parameter>,
        other: impl Fn(u16, String) -> ModelFault,
    ) -> ModelFault {
        if self.has(&["reasoning_content"]) {
            let wanted = ["must be passed back", "must be provided", "is required", "missing"];
            let refused =
                ["not", "exclude", "remove", "unexpected", "extra", "unknown", "unsupported"];
            if self.has(&wanted) {
                return ModelFault::ModelReasoningWanted { message: self.message };
            }
            if self.has(&refused) {
                return ModelFault::ModelReasoningRefused { message: self.message };
            }
        }
        match self.parameter(named) {
            Some(parameter) => {
                ModelFault::ModelParameterRefused { parameter, message: self.message }
            }
            None => other(self.status, self.message),
        }
    }

    fn is_too_long(&self) -> bool {
        self.status == 413
            || self.has(&[
                "context_length_exceeded",
                "maximum context length",
                "context window",
                "available context size",
                "exceed_context_size",
                "prompt is too long",
                "too many tokens",
            ])
    }

    fn parameter(&self, named: Option<Parameter>) -> Option<Parameter> {
        if self.has(&["grammar", "unsupported regex", "\"pattern\"", "'pattern'", "`pattern`"]) {
            return Some(Parameter::Grammar);
        }
        let refused = [
            "unknown",
            "unsupported",
            "unrecognized",
            "unexpected",
            "not support",
            "not permitted",
            "not allowed",
            "extra",
            "invalid",
            "deprecated",
            "removed",
            "no endpoints",
        ];
        // A body that mentions a response format refuses it, whatever words it uses.
        let is_form = self.has(&["response_format", "json_schema", "json_object"]);
        // The first parameter mentioned is the refused one; a later one is its suggested replacement.
        let places = PARAMETERS.iter().filter_map(|(name, it)| Some((self.body.find(name)?, *it)));
        let first = || places.min_by_key(|(at, _)| *at).map(|(_, it)| it);
        named.or_else(|| (is_form || self.has(&refused)).then(first)?)
    }
}

const PARAMETERS: [(&str, Parameter); 12] = [
    ("stream_options", Parameter::StreamOptions),
    ("parallel_tool_calls", Parameter::ParallelToolCalls),
    ("max_tokens", Parameter::MaxTokens),
    ("max_completion_tokens", Parameter::MaxCompletionTokens),
    ("temperature", Parameter::Temperature),
    ("response_format", Parameter::ResponseFormat),
    ("json_schema", Parameter::ResponseFormat),
    ("json_object", Parameter::ResponseFormat),
    ("guided_json", Parameter::GuidedJson),
    ("tool_choice", Parameter::ToolChoice),
    ("support tool", Parameter::Tools),
    ("\"tools\"", Parameter::Tools),
];

fn parameter_of(error: &Value) -> Option<Parameter> {
    let name = error.pointer("/error/param").or_else(|| error.get("param"))?.as_str()?;
    let name = name.split(['.', '[']).next().unwrap_or(name);
    let known = PARAMETERS.iter().find(|(known, _)| known.trim_matches('"') == name);
    known.map(|(_, parameter)| *parameter)
}

/// Returns the message of an error, from any of the places where endpoints put it.
fn words(error: &Value, body: &str) -> String {
    let places = [
        "/error/message",
        "/error/error/message",
        "/error",
        "/message",
        "/detail",
        "/detail/0/msg",
    ];
    let mut said = places.into_iter().filter_map(|at| error.pointer(at)?.as_str());
    short(said.find(|said| !said.trim().is_empty()).unwrap_or(body))
}

fn beginning(body: &str) -> &str {
    let end = (0..=LONGEST_BODY.min(body.len())).rev().find(|at| body.is_char_boundary(*at));
    body.get(..end.unwrap_or(0)).unwrap_or_default()
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
