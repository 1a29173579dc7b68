//! How much of an answer was heard before it broke off. It was paid for all the same.

use super::reasoning::Delta;

/// In quarters of a token, as `usage::estimate` counts: many small pieces cost as much as one large.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenMeter(u64);

impl TokenMeter {
    /// Counts one more piece.
    pub fn count(&mut self, delta: &Delta) {
        let (Delta::Words(text) | Delta::Thought(text)) = delta else { return };
        let quarters = text.chars().map(|c| if c.is_ascii() { 1 } else { 4 }).sum();
        self.0 = self.0.saturating_add(quarters);
    }

    /// About how many tokens were heard.
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
            heard.count(&Delta::Words(piece.to_owned()));
        }
        heard.count(&Delta::WasThought);
        assert_eq!(heard.tokens(), crate::ask::usage::estimate("Hello 你好"));
    }
}
