//! The constants of the simulation: speed of models and tools, and sizes of their answers.

use super::chance::seed;
use praxis_rehearsal::chance::SeededChance;
use praxis_rehearsal::latency::{LatencyModel, Timing};

/// Latency of the model: 0.35 s to the first token, 4,000 prompt tokens and 60 completion tokens per second, no
/// prompt cache.
pub const MODEL: LatencyModel = LatencyModel {
    first_ms: 350.0,
    first_sigma: 0.0,
    prefill_per_s: Some(4000.0),
    decode_per_s: Some(60.0),
    cached_discount: 0.0,
};
/// Time of one chunk of an answer in milliseconds: 24 characters are 6 tokens, at 60 tokens per second.
pub const PIECE_MS: u64 = 100;
/// Median time of a tool call in milliseconds.
pub const TOOL_MS: f64 = 1000.0;
/// Sigma of the lognormal distribution of tool call times.
pub const TOOL_SIGMA: f64 = 0.8;
/// Number of calls that run concurrently.
pub const WORKERS: u32 = 8;
/// Number of tools offered to both sides, the right ones and others of the same catalog: as many as the airline
/// domain of tau offers, the smaller of its two.
pub const OFFERED: usize = 14;
/// Least number of tokens in a tool result: the mean of the recorded results of tau.
pub const RESULT_TOKENS: usize = 249;
/// Tokens that the loop generates per call, thought and call together: the mean of the recorded actions of
/// `WorkBench`, which come from a `ReAct` loop with five models.
pub const SAID_TOKENS: usize = 94;
/// Tokens of the answer to the user, on both sides: the mean of the answers in `WorkBench`.
pub const ANSWER_TOKENS: usize = 54;

/// Returns the time that the model takes for a prompt and an answer of the given numbers of tokens.
pub fn timing(prompt: u64, completion: u64) -> Timing {
    MODEL.timing(prompt, 0, completion, 0.0)
}

/// Returns the duration of each call of a case in milliseconds; seeded by the case, so both sides get the same ones.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "no call takes so long"
)]
pub fn delays(case: &str, calls: usize) -> Vec<u64> {
    let mut chance = SeededChance::of(seed(case, 3));
    (0..calls).map(|_| (TOOL_MS * (TOOL_SIGMA * chance.normal()).exp()).round() as u64).collect()
}
