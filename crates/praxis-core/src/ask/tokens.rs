//! How many tokens a text has, counted or guessed, and what a guess learns from counts.
//!
//! - in: texts; what an endpoint counted for a prompt that was guessed before
//! - out: a number of tokens
//! - never: takes a prompt that an endpoint cut at its head for one that has few tokens

use serde::{Deserialize, Serialize};

/// Counts the tokens of a text.
///
/// A part of a text never has more tokens than the text, give or take the few at the cut.
pub trait TokenCounter: Send + Sync {
    /// How many tokens a text has.
    fn count(&self, text: &str) -> u64;
}

/// How many ASCII characters a token has, roughly. Any other character counts as a token.
const ASCII_PER_TOKEN: u64 = 4;
/// A factor of one.
const ONE: u32 = 1000;
/// The factor stays within a quarter and four: what lies outside is a mistake of somebody's.
const BOUNDS: (u32, u32) = (ONE / 4, ONE * 4);
/// A prompt with fewer tokens is mostly frame, and teaches nothing.
const TELLING: u64 = 50;
/// Up to here no endpoint cuts the head of a prompt.
const SURELY_WHOLE: u64 = 2000;
/// How much the newest count weighs: one part in so many.
const MEMORY: u64 = 5;

/// A guess for any model, corrected by what its endpoint counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The correction.
    pub calibration: Calibration,
}

impl Estimate {
    /// A guess that nobody has corrected yet.
    pub const PLAIN: Self = Self { calibration: Calibration { factor: ONE } };
}

impl TokenCounter for Estimate {
    fn count(&self, text: &str) -> u64 {
        self.calibration.apply(rough(text))
    }
}

/// About how many tokens a text has, for a model of which nothing is known.
pub(super) fn rough(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let other = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    ascii.div_ceil(ASCII_PER_TOKEN) + other
}

/// How counts of an endpoint compare with our guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Calibration {
    /// Counted by guessed, in thousandths.
    factor: u32,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { factor: ONE }
    }
}

impl Calibration {
    /// A factor in thousandths, brought within bounds.
    pub fn thousandths(factor: u32) -> Self {
        Self { factor: factor.clamp(BOUNDS.0, BOUNDS.1) }
    }

    /// The factor in thousandths.
    pub fn factor(self) -> u32 {
        self.factor
    }

    /// A guess, corrected. What has any token keeps one.
    pub fn apply(self, guessed: u64) -> u64 {
        guessed.saturating_mul(self.factor.into()).div_ceil(ONE.into())
    }

    /// Learns that a prompt of so many guessed tokens was counted as so many. A long prompt that comes
    /// back a fifth too short has lost its head, and teaches nothing.
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
