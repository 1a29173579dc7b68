//! Counts tokens where nobody else did.
//!
//! - in: texts, and what an endpoint says it counted
//! - out: a rough number of tokens, and whether an endpoint read less than it was sent
//! - never: pretends that a guess was counted

use super::reply::Usage;
use super::request::{Format, Request};
use serde_json::Value;

/// How many ASCII characters a token has, roughly. Any other character counts as a token.
const ASCII_PER_TOKEN: u64 = 4;
/// What the frame around a message or a tool costs, roughly.
const FRAME: u64 = 4;

/// About how many tokens a text has.
pub fn estimate(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let other = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    ascii.div_ceil(ASCII_PER_TOKEN) + other
}

/// About how many tokens a request has.
pub fn estimate_request(request: &Request) -> u64 {
    let messages = request.messages.iter().map(|message| {
        FRAME + estimate(&message.content) + message.reasoning.as_deref().map_or(0, estimate)
    });
    let tools = request.tools.iter().map(|tool| {
        let parameters = estimate(&tool.parameters.to_string());
        FRAME + estimate(&tool.name) + estimate(&tool.description) + parameters
    });
    let format = match &request.format {
        Format::Text => 0,
        Format::Json { schema, .. } => estimate(&schema.to_string()),
    };
    messages.chain(tools).sum::<u64>() + format
}

/// Whether an endpoint counted so much less than was sent that it must have left out the beginning:
/// more than a fifth below our own estimate.
pub fn head_is_lost(usage: &Usage, own_estimate: u64) -> bool {
    !usage.estimated && usage.prompt.saturating_mul(5) < own_estimate.saturating_mul(4)
}

/// Reads what an endpoint counted. Zeros all over are no count.
pub(super) fn read(usage: &Value) -> Option<Usage> {
    let number = |name: &str| usage.get(name).and_then(Value::as_u64);
    let details = |name: &str| usage.pointer(name).and_then(Value::as_u64);
    let prompt = number("prompt_tokens").or_else(|| number("input_tokens"));
    let completion = number("completion_tokens").or_else(|| number("output_tokens"));
    let cached = details("/prompt_tokens_details/cached_tokens")
        .or_else(|| number("prompt_cache_hit_tokens"))
        .unwrap_or(0);
    let usage = Usage {
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
        let counted = |prompt| Usage { prompt, ..Usage::default() };
        assert!(head_is_lost(&counted(799), 1000));
        assert!(!head_is_lost(&counted(800), 1000));
        assert!(!head_is_lost(&Usage { estimated: true, ..counted(1) }, 1000));
    }
}
