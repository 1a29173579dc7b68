//! Token usage of requests: estimates, and the counts that endpoints report.
//!
//! - in: texts, and the `usage` object of an endpoint
//! - out: a number of tokens, and a check for truncated prompts
//! - never: marks an estimate as counted

use super::reply::TokenUsage;
use super::request::{AnswerFormat, ModelRequest};
use super::tokens::{Estimate, TokenCounter, rough};
use serde_json::Value;

/// Approximate number of tokens of the framing around a message or a tool.
const FRAME: u64 = 4;

/// Returns the approximate number of tokens of a text.
pub fn estimate(text: &str) -> u64 {
    rough(text)
}

/// Returns the approximate number of tokens of a request, for an unknown model.
pub fn estimate_request(request: &ModelRequest) -> u64 {
    count_request(request, &Estimate::default())
}

/// Returns the number of tokens of a request. The framing around its parts is always an estimate.
pub fn count_request(request: &ModelRequest, tokens: &dyn TokenCounter) -> u64 {
    let count = |text: &str| tokens.count(text);
    let messages = request.messages.iter().map(|message| {
        FRAME + count(&message.content) + message.reasoning.as_deref().map_or(0, count)
    });
    let tools = request.tools.iter().map(|tool| {
        let parameters = count(&tool.parameters.to_string());
        FRAME + count(&tool.name) + count(&tool.description) + parameters
    });
    let format = match &request.format {
        AnswerFormat::Text => 0,
        AnswerFormat::Json { schema, .. } => count(&schema.to_string()),
    };
    messages.chain(tools).sum::<u64>() + format
}

/// Returns true if the endpoint truncated the head of the prompt: its count is more than a fifth below our own
/// estimate.
pub fn head_is_lost(usage: &TokenUsage, own_estimate: u64) -> bool {
    !usage.estimated && usage.prompt.saturating_mul(5) < own_estimate.saturating_mul(4)
}

/// Reads the `usage` object of an endpoint. `None` if it counted neither prompt nor completion tokens.
pub(super) fn read(usage: &Value) -> Option<TokenUsage> {
    let number = |name: &str| usage.get(name).and_then(Value::as_u64);
    let details = |name: &str| usage.pointer(name).and_then(Value::as_u64);
    let prompt = number("prompt_tokens").or_else(|| number("input_tokens"));
    let completion = number("completion_tokens").or_else(|| number("output_tokens"));
    let cached = details("/prompt_tokens_details/cached_tokens")
        .or_else(|| number("prompt_cache_hit_tokens"))
        .unwrap_or(0);
    let usage = TokenUsage {
        prompt: prompt.unwrap_or(0),
        completion: completion.unwrap_or(0),
        cached,
        estimated: false,
    };
    (usage.prompt.max(usage.completion) > 0).then_some(usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_four_ascii_characters_or_one_other() {
        assert_eq!(estimate("hello"), 2);
        assert_eq!(estimate("你好"), 2);
        assert_eq!(estimate(""), 0);
    }

    #[test]
    fn a_count_more_than_a_fifth_below_ours_means_a_lost_head() {
        let counted = |prompt| TokenUsage { prompt, ..TokenUsage::default() };
        assert!(head_is_lost(&counted(799), 1000));
        assert!(!head_is_lost(&counted(800), 1000));
        assert!(!head_is_lost(&TokenUsage { estimated: true, ..counted(1) }, 1000));
    }
}
