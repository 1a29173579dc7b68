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
    pub(crate) fn over(vault: &'a Vault) -> Self {
        Self { vault, words: String::new(), thought: String::new() }
    }

    /// Returns the deltas that may be shown after this one.
    pub(crate) fn hear(&mut self, delta: Delta) -> Vec<Delta> {
        match delta {
            Delta::Words(more) => {
                self.words.push_str(&more);
                words(self.vault.settle(&mut self.words, false)).into_iter().collect()
            }
            Delta::Thought(more) => {
                self.thought.push_str(&more);
                thought(self.vault.settle(&mut self.thought, false)).into_iter().collect()
            }
            Delta::WasThought => {
                let mut shown = self.end();
                shown.push(Delta::WasThought);
                shown
            }
            Delta::Again => {
                self.words.clear();
                self.thought.clear();
                vec![Delta::Again]
            }
            waits @ Delta::Waits(_) => vec![waits],
        }
    }

    /// Returns the text that was held back, at the end of the reply.
    pub(crate) fn end(&mut self) -> Vec<Delta> {
        let held = thought(self.vault.settle(&mut self.thought, true));
        held.into_iter().chain(words(self.vault.settle(&mut self.words, true))).collect()
    }
}

fn words(text: String) -> Option<Delta> {
    Some(text).filter(|text| !text.is_empty()).map(Delta::Words)
}

fn thought(text: String) -> Option<Delta> {
    Some(text).filter(|text| !text.is_empty()).map(Delta::Thought)
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
        let mut veil = SecretMask::over(&vault);
        let mut all: Vec<Delta> = pieces.into_iter().flat_map(|piece| veil.hear(piece)).collect();
        all.extend(veil.end());
        let (mut words, mut thoughts) = (String::new(), String::new());
        for delta in all {
            match delta {
                Delta::Words(text) => words.push_str(&text),
                Delta::Thought(text) => thoughts.push_str(&text),
                Delta::WasThought | Delta::Again | Delta::Waits(_) => {}
            }
        }
        (words, thoughts)
    }

    fn said(text: &str) -> Delta {
        Delta::Words(text.to_owned())
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
            let thought = |text: &str| Delta::Thought(text.to_owned());
            let pieces = [said(head), thought(head), said(tail), thought(tail)];
            let hidden = "[secret:KEY]".to_owned();
            assert_eq!(shown(pieces), (hidden.clone(), hidden), "cut at {at}");
        }
    }

    #[test]
    fn words_that_begin_no_secret_are_shown_at_once() {
        let vault = vault();
        let mut veil = SecretMask::over(&vault);
        assert_eq!(veil.hear(said("plain words")), [said("plain words")]);
        assert_eq!(veil.hear(said("a Bear")), [said("a ")], "it may become a secret");
        assert_eq!(veil.hear(said("d")), [said("Beard")]);
        assert_eq!(veil.hear(said("Bearer")), []);
        assert_eq!(veil.hear(Delta::Again), [Delta::Again], "what broke off counts no more");
        assert_eq!(veil.hear(said("B")), []);
        assert_eq!(veil.hear(Delta::WasThought), [said("B"), Delta::WasThought]);
        assert_eq!(veil.end(), []);
    }
}
