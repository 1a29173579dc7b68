//! Counts tokens where nobody else did.
//!
//! - in: texts, and what an endpoint says it counted
//! - out: a rough number of tokens, and whether an endpoint read less than it was sent
//! - never: pretends that a guess was counted

use super::reply::TokenUsage;
use super::request::{AnswerFormat, ModelRequest};
use super::tokens::{Estimate, TokenCounter, rough};
use serde_json::Value;

/// What the frame around a message or a tool costs, roughly.
const FRAME: u64 = 4;

/// About how many tokens a text has.
pub fn estimate(text: &str) -> u64 {
    rough(text)
}

/// About how many tokens a request has, for a model of which nothing is known.
pub fn estimate_request(request: &ModelRequest) -> u64 {
    count_request(request, &Estimate::default())
}

/// How many tokens a request has. The frames around its parts are a guess in any case.
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

/// Whether an endpoint counted so much less than was sent that it must have left out the beginning:
/// more than a fifth below our own estimate.
pub fn head_is_lost(usage: &TokenUsage, own_estimate: u64) -> bool {
    !usage.estimated && usage.prompt.saturating_mul(5) < own_estimate.saturating_mul(4)
}

/// Reads what an endpoint counted. Zeros all over are no count.
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
