//! Words by which a request asks to continue earlier work or to replan it.

use crate::lexicon::WordGroup;
use crate::lexicon::any::{
    CONTINUE_CUES, CONTINUE_INTENTS, FOLLOWED_BY, NOT_FOLLOWED_BY, REPLAN_CUES, REPLAN_INTENTS,
};
use praxis_core::goal::strategy::StrategyDecision;
use praxis_core::goal::strategy::StrategyDecision::{ContinuePlanning, Replanning};
use std::sync::LazyLock;

pub(super) use crate::lexicon::any::{DOING, FILLERS, NO_REST, REST};

/// A word that implies a decision, and the text that may follow it.
pub(super) struct RouteCue {
    pub(super) word: &'static str,
    pub(super) decision: StrategyDecision,
    pub(super) follows: CueFollows,
}

pub(super) enum CueFollows {
    /// Anything.
    Anything,
    /// One of these words, or nothing.
    OneOf(&'static [&'static str]),
    /// Anything but these words, with which the cue would be part of a name.
    NoName(&'static [&'static str]),
}

/// All cues, in the order in which they are tried.
pub(super) static CUES: LazyLock<Vec<RouteCue>> = LazyLock::new(|| {
    let cues = |words: &'static [&'static str], decision| {
        words.iter().map(move |word| RouteCue { word, decision, follows: follows(word) })
    };
    cues(&CONTINUE_CUES, ContinuePlanning).chain(cues(&REPLAN_CUES, Replanning)).collect()
});

/// Returns the text that may follow a cue.
fn follows(cue: &str) -> CueFollows {
    let of = |groups: &'static [WordGroup]| {
        groups.iter().find(|group| group.words.contains(&cue)).map(|group| group.means.as_slice())
    };
    let named = of(&NOT_FOLLOWED_BY).map_or(CueFollows::Anything, CueFollows::NoName);
    of(&FOLLOWED_BY).map_or(named, CueFollows::OneOf)
}

/// Separators between clauses. Quotes and colons are not among them, because the text that they mark is data.
pub(super) const ENDS: &[char] =
    &[',', '，', '.', '。', '!', '！', '?', '？', ';', '；', '\n', '…'];

/// Stated intents that imply a decision.
pub(super) static INTENTS: LazyLock<Vec<(&str, StrategyDecision)>> = LazyLock::new(|| {
    let intents =
        |words: &'static [&'static str], decision| words.iter().map(move |word| (*word, decision));
    let going_on = intents(&CONTINUE_INTENTS, ContinuePlanning);
    going_on.chain(intents(&REPLAN_INTENTS, Replanning)).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_follow_is_said_of_cues_that_there_are() {
        let known: Vec<&str> = CUES.iter().map(|cue| cue.word).collect();
        for group in FOLLOWED_BY.iter().chain(NOT_FOLLOWED_BY.iter()) {
            assert!(group.words.iter().all(|word| known.contains(word)), "{:?}", group.words);
        }
    }
}
