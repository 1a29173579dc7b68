//! Latency of a model. The server and simulations in virtual time use the same numbers.
//!
//! - in: token counts and a random sample
//! - out: the start and end of an answer, the cached part of a prompt, the delay by a rate limit
//! - never: reads a clock or sleeps

use praxis_core::ask::usage::estimate;
use serde::Deserialize;
use std::collections::VecDeque;

/// The maximum number of remembered prompts.
const REMEMBERED: usize = 256;
/// The maximum total size of the remembered prompts.
const REMEMBERED_BYTES: usize = 32 << 20;
const MS_PER_MINUTE: f64 = 60_000.0;

/// The speed of a model. The default takes no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LatencyModel {
    /// The median time to the first token without reading the prompt, in milliseconds.
    pub first_ms: f64,
    /// The sigma of the lognormal distribution of that time; zero is constant.
    pub first_sigma: f64,
    /// The prompt tokens read per second; reading takes no time if `None`.
    pub prefill_per_s: Option<f64>,
    /// The tokens generated per second; generation takes no time if `None`.
    pub decode_per_s: Option<f64>,
    /// The share of the reading time saved by a cached token, from zero to one.
    pub cached_discount: f64,
}

/// The start and end of an answer, in milliseconds after the model started on the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The time of the first token.
    pub first_ms: u64,
    /// The time of the last token.
    pub total_ms: u64,
}

impl LatencyModel {
    /// Returns the timing of an answer. `sample` is a standard normal deviate; zero gives the median.
    pub fn timing(&self, prompt: u64, cached: u64, completion: u64, sample: f64) -> Timing {
        let known = cached.min(prompt) as f64 * self.cached_discount.clamp(0.0, 1.0);
        let wait = self.first_ms.max(0.0) * (self.first_sigma * sample).exp();
        let first = wait + span(prompt as f64 - known, self.prefill_per_s);
        let total = first + span(completion as f64, self.decode_per_s);
        Timing { first_ms: whole(first), total_ms: whole(total) }
    }
}

/// Returns the time that the tokens take, in milliseconds; zero without a rate.
fn span(tokens: f64, per_s: Option<f64>) -> f64 {
    per_s.filter(|rate| *rate > 0.0).map_or(0.0, |rate| tokens / rate * 1000.0)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
fn whole(ms: f64) -> u64 {
    ms.round() as u64
}

/// The prompts that a model read lately: a prefix cache.
#[derive(Clone, Debug, Default)]
pub struct Prompts {
    known: VecDeque<String>,
    bytes: usize,
}

impl Prompts {
    /// Remembers the prompt, and returns how many of its leading tokens were read before.
    pub fn read(&mut self, prompt: String) -> u64 {
        let shared = self.known.iter().map(|known| common(known, &prompt)).max().unwrap_or(0);
        let cached = estimate(prompt.get(..shared).unwrap_or_default());
        self.bytes += prompt.len();
        self.known.push_back(prompt);
        while self.known.len() > REMEMBERED || self.bytes > REMEMBERED_BYTES {
            let Some(oldest) = self.known.pop_front() else { break };
            self.bytes -= oldest.len();
        }
        cached
    }
}

/// Returns the length of the common prefix in bytes, whole characters only.
fn common(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|at| one.is_char_boundary(*at)).unwrap_or(0)
}

/// A token bucket: allows `per_minute` requests per minute, and as many at once after a quiet minute.
#[derive(Clone, Debug)]
pub struct RequestBucket {
    per_minute: f64,
    left: f64,
    at_ms: u64,
}

impl RequestBucket {
    /// Creates a full bucket.
    pub fn new(per_minute: u32) -> Self {
        let per_minute = f64::from(per_minute.max(1));
        Self { per_minute, left: per_minute, at_ms: 0 }
    }

    /// Takes one request out of the bucket; the error is the number of seconds until the next one is allowed.
    pub fn take(&mut self, now_ms: u64) -> Result<(), u64> {
        let passed = now_ms.saturating_sub(self.at_ms) as f64;
        self.at_ms = self.at_ms.max(now_ms);
        self.left = (self.left + passed * self.per_minute / MS_PER_MINUTE).min(self.per_minute);
        if self.left >= 1.0 {
            self.left -= 1.0;
            return Ok(());
        }
        let missing_ms = (1.0 - self.left) * MS_PER_MINUTE / self.per_minute;
        Err(whole((missing_ms / 1000.0).ceil()).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: LatencyModel = LatencyModel {
        first_ms: 350.0,
        first_sigma: 0.5,
        prefill_per_s: Some(4000.0),
        decode_per_s: Some(60.0),
        cached_discount: 0.9,
    };

    #[test]
    fn a_prompt_that_was_read_before_is_read_faster() {
        let fresh = SLOW.timing(4000, 0, 60, 0.0);
        assert_eq!(fresh, Timing { first_ms: 1350, total_ms: 2350 });
        assert_eq!(SLOW.timing(4000, 4000, 60, 0.0), Timing { first_ms: 450, total_ms: 1450 });
        assert_eq!(SLOW.timing(0, 9, 0, 2.0).first_ms, 951, "350 e^(0.5 * 2)");
        assert_eq!(LatencyModel::default().timing(9000, 0, 9000, 3.0), Timing::default());
    }

    #[test]
    fn what_was_read_before_is_the_longest_common_beginning() {
        let mut prompts = Prompts::default();
        assert_eq!(prompts.read("system: be brief. user: one".to_owned()), 0);
        assert_eq!(prompts.read("another".to_owned()), 0);
        assert_eq!(prompts.read("system: be brief. user: two".to_owned()), 6);
        assert_eq!(prompts.read("system: be brief. user: two".to_owned()), 7);
        // The two characters share their first bytes.
        assert_eq!(prompts.read("好".to_owned()) + prompts.read("她".to_owned()), 0);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut prompts = Prompts::default();
        for number in 0..1000 {
            prompts.read(format!("{number}:{}", "x".repeat(1 << 20)));
        }
        assert!(prompts.bytes <= REMEMBERED_BYTES && prompts.known.len() < 40);
    }

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let mut bucket = RequestBucket::new(2);
        assert_eq!([bucket.take(0), bucket.take(10), bucket.take(20)], [Ok(()), Ok(()), Err(30)]);
        assert_eq!([bucket.take(29_500), bucket.take(30_020)], [Err(1), Ok(())]);
        assert_eq!(bucket.take(30_021), Err(30));
    }
}
