//! How long a model takes. The server and simulations in virtual time use the same numbers.
//!
//! - in: counts of tokens and a sample of chance
//! - out: when an answer begins and ends, how much of a prompt was read before, who has to wait
//! - never: reads a clock or sleeps

use praxis_core::ask::usage::estimate;
use serde::Deserialize;
use std::collections::VecDeque;

/// How many earlier prompts are remembered.
const REMEMBERED: usize = 256;
/// How many bytes of them.
const REMEMBERED_BYTES: usize = 32 << 20;
const MS_PER_MINUTE: f64 = 60_000.0;

/// How fast a model is. All zeros and nones: it takes no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LatencyModel {
    /// Until the first token, without reading the prompt: the median in milliseconds.
    pub first_ms: f64,
    /// How far that spreads: the sigma of a lognormal distribution; zero is constant.
    pub first_sigma: f64,
    /// How many tokens of a prompt are read in a second; at once if none.
    pub prefill_per_s: Option<f64>,
    /// How many tokens are said in a second; at once if none.
    pub decode_per_s: Option<f64>,
    /// Which share of the reading a known token spares, from zero to one.
    pub cached_discount: f64,
}

/// When an answer begins and ends, in milliseconds after the model took the request up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The first token.
    pub first_ms: u64,
    /// The last one.
    pub total_ms: u64,
}

impl LatencyModel {
    /// When the answer to such a request begins and ends. `sample` is a standard normal deviate: zero for
    /// the median.
    pub fn timing(&self, prompt: u64, cached: u64, completion: u64, sample: f64) -> Timing {
        let known = cached.min(prompt) as f64 * self.cached_discount.clamp(0.0, 1.0);
        let wait = self.first_ms.max(0.0) * (self.first_sigma * sample).exp();
        let first = wait + span(prompt as f64 - known, self.prefill_per_s);
        let total = first + span(completion as f64, self.decode_per_s);
        Timing { first_ms: whole(first), total_ms: whole(total) }
    }
}

/// How long so many tokens take, in milliseconds.
fn span(tokens: f64, per_s: Option<f64>) -> f64 {
    per_s.filter(|rate| *rate > 0.0).map_or(0.0, |rate| tokens / rate * 1000.0)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
fn whole(ms: f64) -> u64 {
    ms.round() as u64
}

/// The prompts that a model read lately.
#[derive(Clone, Debug, Default)]
pub struct Prompts {
    known: VecDeque<String>,
    bytes: usize,
}

impl Prompts {
    /// How many tokens at the beginning of a prompt were read before; from now on all of them were.
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

/// How many bytes two texts share at their beginning, whole characters only.
fn common(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|at| one.is_char_boundary(*at)).unwrap_or(0)
}

/// Lets so many requests through in a minute, and as many at once when it was quiet before.
#[derive(Clone, Debug)]
pub struct RequestBucket {
    per_minute: f64,
    left: f64,
    at_ms: u64,
}

impl RequestBucket {
    /// A full bucket.
    pub fn new(per_minute: u32) -> Self {
        let per_minute = f64::from(per_minute.max(1));
        Self { per_minute, left: per_minute, at_ms: 0 }
    }

    /// Takes one; else how many seconds to wait for the next one.
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
        // The first bytes of the two characters are the same; the characters are not.
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
