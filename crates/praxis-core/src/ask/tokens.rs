//! Token counts of texts, exact or estimated, and the calibration of estimates.
//!
//! - in: texts; the endpoint's count of a prompt that was estimated before
//! - out: a number of tokens
//! - never: learns from a prompt that an endpoint truncated at its head

use serde::{Deserialize, Serialize};

/// Counter of the tokens of a text.
///
/// A part of a text never has more tokens than the text, except for a few at the cut.
pub trait TokenCounter: Send + Sync {
    /// Returns the number of tokens of a text.
    fn count(&self, text: &str) -> u64;
}

/// Approximate number of ASCII characters per token. Any other character counts as one token.
const ASCII_PER_TOKEN: u64 = 4;
/// A factor of one, in thousandths.
const ONE: u32 = 1000;
/// Bounds of the factor, a quarter and four. A count outside of them is considered wrong.
const BOUNDS: (u32, u32) = (ONE / 4, ONE * 4);
/// Minimum estimate of a prompt to learn from: smaller ones consist mostly of framing.
const TELLING: u64 = 50;
/// Up to this estimate, no endpoint truncates the head of a prompt.
const SURELY_WHOLE: u64 = 2000;
/// Weight of the newest count: one part in `MEMORY`.
const MEMORY: u64 = 5;

/// An estimate for any model, calibrated by the counts of its endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The correction factor.
    pub calibration: Calibration,
}

impl Estimate {
    /// An estimate without calibration.
    pub const PLAIN: Self = Self { calibration: Calibration { factor: ONE } };
}

impl TokenCounter for Estimate {
    fn count(&self, text: &str) -> u64 {
        self.calibration.apply(rough(text))
    }
}

/// Returns the approximate number of tokens of a text, for an unknown model.
pub(super) fn rough(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let other = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    ascii.div_ceil(ASCII_PER_TOKEN) + other
}

/// The ratio between an endpoint's counts and our estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Calibration {
    /// Counted divided by estimated tokens, in thousandths.
    factor: u32,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { factor: ONE }
    }
}

impl Calibration {
    /// Creates a calibration from a factor in thousandths, clamped to the bounds.
    pub fn thousandths(factor: u32) -> Self {
        Self { factor: factor.clamp(BOUNDS.0, BOUNDS.1) }
    }

    /// Returns the factor in thousandths.
    pub fn factor(self) -> u32 {
        self.factor
    }

    /// Corrects an estimate. Rounds up, so that a non-zero estimate stays at least one.
    pub fn apply(self, guessed: u64) -> u64 {
        guessed.saturating_mul(self.factor.into()).div_ceil(ONE.into())
    }

    /// Learns from the count of a prompt that was estimated before. Ignores a long prompt whose count is more than a
    /// fifth too low: the endpoint truncated its head.
    pub fn reconcile(&mut self, guessed: u64, counted: u64) {
        let lost = counted.saturating_mul(5) < self.apply(guessed).saturating_mul(4);
        if guessed < TELLING || counted == 0 || (guessed > SURELY_WHOLE && lost) {
            return;
        }
        let seen = counted.saturating_mul(ONE.into()) / guessed;
        let seen = u64::from(Self::thousandths(u32::try_from(seen).unwrap_or(u32::MAX)).factor);
        let blend = (u64::from(self.factor) * (MEMORY - 1) + seen).div_ceil(MEMORY);
        self.factor = Self::thousandths(u32::try_from(blend).unwrap_or(u32::MAX)).factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_comes_to_agree_with_what_an_endpoint_counts() {
        let mut estimate = Estimate::default();
        let text = "负荷预测".repeat(50);
        assert_eq!(estimate.count(&text), 200);
        for _ in 0..30 {
            estimate.calibration.reconcile(200, 120);
        }
        assert!((118..=124).contains(&estimate.count(&text)), "{estimate:?}");
        assert_eq!(estimate.count(""), 0);
        assert_eq!(estimate.count("a"), 1);
    }

    #[test]
    fn one_odd_count_moves_the_factor_by_a_fifth_and_never_out_of_bounds() {
        let mut calibration = Calibration::default();
        calibration.reconcile(100, 200);
        assert_eq!(calibration.factor(), 1200);
        for _ in 0..100 {
            calibration.reconcile(100, u64::MAX);
        }
        assert_eq!(calibration.factor(), 4000);
    }

    #[test]
    fn short_prompts_and_prompts_without_their_head_teach_nothing() {
        let mut calibration = Calibration::default();
        calibration.reconcile(10, 100);
        calibration.reconcile(8000, 2048);
        calibration.reconcile(100, 0);
        assert_eq!(calibration, Calibration::default());
        calibration.reconcile(1000, 500);
        assert_eq!(calibration.factor(), 900, "a short one cannot have lost its head");
    }
}
