//! The constants of the simulation, all in one place: how fast models and tools are, and how large their answers.

use super::chance::seed;
use praxis_rehearsal::chance::SeededChance;
use praxis_rehearsal::latency::{LatencyModel, Timing};

/// A model: 0.35 s to the first token, 4,000 tokens read and 60 said in a second; nothing is cached.
pub const MODEL: LatencyModel = LatencyModel {
    first_ms: 350.0,
    first_sigma: 0.0,
    prefill_per_s: Some(4000.0),
    decode_per_s: Some(60.0),
    cached_discount: 0.0,
};
/// A piece of an answer, 24 characters or 6 tokens, takes so long at 60 tokens a second.
pub const PIECE_MS: u64 = 100;
/// The median time of a call of a tool.
pub const TOOL_MS: f64 = 1000.0;
/// How far that spreads: the sigma of a lognormal distribution.
pub const TOOL_SIGMA: f64 = 0.8;
/// How many calls run at the same time.
pub const WORKERS: u32 = 8;
/// How many tools are offered to both sides, the right ones and others of the same catalog: as many as the airline of
/// tau offers, the smaller of its two domains.
pub const OFFERED: usize = 14;
/// How many tokens a result has at least: the mean of the recorded results of tau.
pub const RESULT_TOKENS: usize = 249;
/// How many tokens the loop says for a call, thought and call together: the mean of the recorded actions of
/// `WorkBench`, which are those of a `ReAct` loop with five models.
pub const SAID_TOKENS: usize = 94;
/// How many tokens the answer to the user has, on both sides: the mean of the answers there.
pub const ANSWER_TOKENS: usize = 54;

/// How long a model takes for a prompt and an answer of so many tokens.
pub fn timing(prompt: u64, completion: u64) -> Timing {
    MODEL.timing(prompt, 0, completion, 0.0)
}

/// How long the calls of a case take, in milliseconds. The same on both sides.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "no call takes so long"
)]
pub fn delays(case: &str, calls: usize) -> Vec<u64> {
    let mut chance = SeededChance::of(seed(case, 3));
    (0..calls).map(|_| (TOOL_MS * (TOOL_SIGMA * chance.normal()).exp()).round() as u64).collect()
}
