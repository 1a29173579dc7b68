//! Hides secrets in a streamed reply.
//!
//! - in: deltas of a model's reply, cut anywhere
//! - out: the deltas without any revealed secret, as early as that is certain
//! - never: shows text that may still be the beginning of a secret

use crate::secrets::Vault;
use praxis_core::ask::reasoning::Delta;

/// Filter between a model and its listener. Answer and reasoning are kept apart: each may break off in the middle of
/// a secret and continue after the other.
pub(crate) struct SecretMask<'a> {
    vault: &'a Vault,
    words: String,
    thought: String,
}

impl<'a> SecretMask<'a> {
    /// Creates a mask for the secrets of a vault.
    pub(crate) fn new(vault: &'a Vault) -> Self {
        Self { vault, words: String::new(), thought: String::new() }
    }

    /// Feeds one delta and returns the deltas that are now safe to show.
    pub(crate) fn push(&mut self, delta: Delta) -> Vec<Delta> {
        match delta {
            Delta::Text(more) => {
                self.words.push_str(&more);
                words(self.vault.take_safe_prefix(&mut self.words, false)).into_iter().collect()
            }
            Delta::Reasoning(more) => {
                self.thought.push_str(&more);
                thought(self.vault.take_safe_prefix(&mut self.thought, false)).into_iter().collect()
            }
            Delta::ReclassifyAsReasoning => {
                let mut shown = self.end();
                shown.push(Delta::ReclassifyAsReasoning);
                shown
            }
            Delta::Restart => {
                self.words.clear();
                self.thought.clear();
                vec![Delta::Restart]
            }
            waiting @ Delta::Waiting(_) => vec![waiting],
        }
    }

    /// Returns the text that was held back, at the end of the reply.
    pub(crate) fn end(&mut self) -> Vec<Delta> {
        let held = thought(self.vault.take_safe_prefix(&mut self.thought, true));
        held.into_iter().chain(words(self.vault.take_safe_prefix(&mut self.words, true))).collect()
    }
}

fn words(text: String) -> Option<Delta> {
    Some(text).filter(|text| !text.is_empty()).map(Delta::Text)
}

fn thought(text: String) -> Option<Delta> {
    Some(text).filter(|text| !text.is_empty()).map(Delta::Reasoning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Secrets;
    use std::sync::Arc;

    const KEY: &str = "Bearer 钥匙-s3cret:KEY/+";

    struct One;

    impl Secrets for One {
        fn value(&self, _: &str) -> Option<String> {
            Some(KEY.to_owned())
        }
    }

    fn vault() -> Vault {
        let vault = Vault::new(Arc::new(One));
        vault.reveal("secret:KEY").unwrap();
        vault
    }

    /// Returns everything that is shown of some deltas: the answer, then the reasoning.
    fn shown(pieces: impl IntoIterator<Item = Delta>) -> (String, String) {
        let vault = vault();
        let mut mask = SecretMask::new(&vault);
        let mut all: Vec<Delta> = pieces.into_iter().flat_map(|piece| mask.push(piece)).collect();
        all.extend(mask.end());
        let (mut words, mut thoughts) = (String::new(), String::new());
        for delta in all {
            match delta {
                Delta::Text(text) => words.push_str(&text),
                Delta::Reasoning(text) => thoughts.push_str(&text),
                Delta::ReclassifyAsReasoning | Delta::Restart | Delta::Waiting(_) => {}
            }
        }
        (words, thoughts)
    }

    fn said(text: &str) -> Delta {
        Delta::Text(text.to_owned())
    }

    #[test]
    fn a_secret_is_hidden_wherever_it_is_cut() {
        let forms = [KEY, "钥匙-s3cret:KEY/+", "6ZKl5YyZLXMzY3JldDpLRVkvKw"];
        for form in forms {
            let text = format!("it is {form}, Bearer of 钥");
            let hidden = "it is [secret:KEY], Bearer of 钥";
            let cuts = || text.char_indices().map(|(at, _)| at);
            for first in cuts() {
                for second in cuts().filter(|second| *second >= first) {
                    let pieces = [&text[..first], &text[first..second], &text[second..]].map(said);
                    assert_eq!(shown(pieces).0, hidden, "{form} cut at {first} and {second}");
                }
            }
            let one_by_one = text.chars().map(|c| said(&c.to_string()));
            assert_eq!(shown(one_by_one).0, hidden);
        }
    }

    #[test]
    fn a_secret_that_goes_on_after_a_thought_is_hidden_in_both() {
        let cuts = KEY.char_indices().map(|(at, _)| at);
        for at in cuts {
            let (head, tail) = KEY.split_at(at);
            let thought = |text: &str| Delta::Reasoning(text.to_owned());
            let pieces = [said(head), thought(head), said(tail), thought(tail)];
            let hidden = "[secret:KEY]".to_owned();
            assert_eq!(shown(pieces), (hidden.clone(), hidden), "cut at {at}");
        }
    }

    #[test]
    fn words_that_begin_no_secret_are_shown_at_once() {
        let vault = vault();
        let mut mask = SecretMask::new(&vault);
        assert_eq!(mask.push(said("plain words")), [said("plain words")]);
        assert_eq!(mask.push(said("a Bear")), [said("a ")], "it may become a secret");
        assert_eq!(mask.push(said("d")), [said("Beard")]);
        assert_eq!(mask.push(said("Bearer")), []);
        assert_eq!(
            mask.push(Delta::Restart),
            [Delta::Restart],
            "a restarted reply discards the held text"
        );
        assert_eq!(mask.push(said("B")), []);
        assert_eq!(
            mask.push(Delta::ReclassifyAsReasoning),
            [said("B"), Delta::ReclassifyAsReasoning]
        );
        assert_eq!(mask.end(), []);
    }
}
