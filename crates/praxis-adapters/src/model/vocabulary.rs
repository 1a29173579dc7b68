//! Tokenizer vocabularies inside the binary, and the counters that use them.
//!
//! - in: texts
//! - out: token counts, computed offline
//! - never: holds more than one copy of a vocabulary in memory, or loads one that is not used

use praxis_core::ask::tokens::{Calibration, Estimate, TokenCounter};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};
use tiktoken_rs::CoreBPE;

/// Bytes that are counted at once: the splitter gives up on a run of a million blanks.
const PIECE: usize = 64 * 1024;

/// Tokenizer vocabulary of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vocabulary {
    /// `o200k_base`.
    O200k,
    /// `cl100k_base`.
    Cl100k,
    /// Any other vocabulary: tokens are estimated, and the estimate learns from the counts of the endpoint.
    #[default]
    None,
}

impl Vocabulary {
    /// All vocabularies with their names in a configuration.
    pub const WORDS: [(&str, Self); 3] =
        [("o200k", Self::O200k), ("cl100k", Self::Cl100k), ("none", Self::None)];

    /// Returns the counter of this vocabulary, or an estimate with `calibration`.
    pub fn tokens(self, calibration: Calibration) -> Arc<dyn TokenCounter> {
        match self {
            Self::None => Arc::new(Estimate { calibration }),
            Self::O200k | Self::Cl100k => Arc::new(Counter(self)),
        }
    }

    /// Loads the vocabulary on first use.
    fn pairs(self) -> Option<&'static CoreBPE> {
        static O200K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        static CL100K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        match self {
            Self::O200k => O200K.get_or_init(|| tiktoken_rs::o200k_base().ok()).as_ref(),
            Self::Cl100k => CL100K.get_or_init(|| tiktoken_rs::cl100k_base().ok()).as_ref(),
            Self::None => None,
        }
    }
}

/// Counts tokens with a vocabulary.
struct Counter(Vocabulary);

impl TokenCounter for Counter {
    fn count(&self, text: &str) -> u64 {
        let Some(pairs) = self.0.pairs() else { return Estimate::default().count(text) };
        pieces(text).map(|piece| pairs.count_ordinary(piece) as u64).sum()
    }
}

/// Splits a text into pieces of at most `PIECE` bytes.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = (0..=PIECE.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at))?;
        let (piece, after) = rest.split_at_checked(end).filter(|(piece, _)| !piece.is_empty())?;
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_counted_as_the_published_vocabularies_do() {
        let count = |vocabulary: Vocabulary, text: &str| {
            vocabulary.tokens(Calibration::default()).count(text)
        };
        // Values from the publisher's own examples and tools.
        assert_eq!(count(Vocabulary::Cl100k, "tiktoken is great!"), 6);
        assert_eq!(count(Vocabulary::Cl100k, "antidisestablishmentarianism"), 6);
        assert_eq!(count(Vocabulary::Cl100k, "お誕生日おめでとう"), 9);
        assert_eq!(count(Vocabulary::O200k, "お誕生日おめでとう"), 8);
        assert_eq!(count(Vocabulary::None, "お誕生日おめでとう"), 9);
        assert_eq!(count(Vocabulary::O200k, ""), 0);
    }

    #[test]
    fn a_text_of_blanks_alone_is_counted_however_long_it_is() {
        let tokens = Vocabulary::O200k.tokens(Calibration::default());
        let count = tokens.count(&format!("{}x", " ".repeat(1_500_000)));
        assert!((1000..100_000).contains(&count), "{count}");
    }

    #[test]
    fn pieces_are_the_text_and_end_between_characters() {
        let text = "预测 load ".repeat(30_000);
        assert!(pieces(&text).count() > 3);
        assert_eq!(pieces(&text).collect::<String>(), text);
    }
}
