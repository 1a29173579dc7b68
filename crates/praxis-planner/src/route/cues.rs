//! The words by which a request tells that it goes on with what was before, or wants it planned anew.

use crate::lexicon::WordGroup;
use crate::lexicon::any::{
    CONTINUE_CUES, CONTINUE_INTENTS, FOLLOWED_BY, NOT_FOLLOWED_BY, REPLAN_CUES, REPLAN_INTENTS,
};
use praxis_core::goal::strategy::StrategyDecision;
use praxis_core::goal::strategy::StrategyDecision::{ContinuePlanning, Replanning};
use std::sync::LazyLock;

pub(super) use crate::lexicon::any::{DOING, FILLERS, NO_REST, REST};

/// A word that tells a decision, and what may follow it.
pub(super) struct RouteCue {
    pub(super) word: &'static str,
    pub(super) decision: StrategyDecision,
    pub(super) follows: CueFollows,
}

pub(super) enum CueFollows {
    /// Anything.
    Anything,
    /// One of these, or nothing.
    OneOf(&'static [&'static str]),
    /// Anything but the name of a thing that begins with the word.
    NoName(&'static [&'static str]),
}

/// All cues, in the order in which they are tried.
pub(super) static CUES: LazyLock<Vec<RouteCue>> = LazyLock::new(|| {
    let cues = |words: &'static [&'static str], decision| {
        words.iter().map(move |word| RouteCue { word, decision, follows: follows(word) })
    };
    cues(&CONTINUE_CUES, ContinuePlanning).chain(cues(&REPLAN_CUES, Replanning)).collect()
});

/// What may follow a cue.
fn follows(cue: &str) -> CueFollows {
    let of = |groups: &'static [WordGroup]| {
        groups.iter().find(|group| group.words.contains(&cue)).map(|group| group.means.as_slice())
    };
    let named = of(&NOT_FOLLOWED_BY).map_or(CueFollows::Anything, CueFollows::NoName);
    of(&FOLLOWED_BY).map_or(named, CueFollows::OneOf)
}

/// What separates one thing that is said from the next. Not quotes or colons: what they hold is data.
pub(super) const ENDS: &[char] =
    &[',', '，', '.', '。', '!', '！', '?', '？', ';', '；', '\n', '…'];

/// Intents that are a decision.
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
