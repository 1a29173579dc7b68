//! Estimates the tokens of a reply that broke off, because they are billed anyway.

use super::reasoning::Delta;

/// A count in quarters of a token, as in `usage::estimate`, so that many small chunks cost as much as one large.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenMeter(u64);

impl TokenMeter {
    /// Adds a delta.
    pub fn count(&mut self, delta: &Delta) {
        let (Delta::Text(text) | Delta::Reasoning(text)) = delta else { return };
        let quarters = text.chars().map(|c| if c.is_ascii() { 1 } else { 4 }).sum();
        self.0 = self.0.saturating_add(quarters);
    }

    /// Returns the estimated number of tokens received.
    pub fn tokens(self) -> u64 {
        self.0.div_ceil(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pieces_cost_as_much_as_one_large() {
        let mut heard = TokenMeter::default();
        for piece in ["He", "l", "lo", " 你", "好"] {
            heard.count(&Delta::Text(piece.to_owned()));
        }
        heard.count(&Delta::ReclassifyAsReasoning);
        assert_eq!(heard.tokens(), crate::ask::usage::estimate("Hello 你好"));
    }
}
