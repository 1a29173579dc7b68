//! Decides by words whether a request continues earlier work, replans it, or is a task of its own.
//!
//! A cue counts only at the beginning of a clause, after fillers such as `请`. Elsewhere it may be part of a name, as
//! in `创建一个继续教育培训的项目`.

use super::cues::{CUES, CueFollows, DOING, ENDS, FILLERS, INTENTS, NO_REST, REST, RouteCue};
use praxis_core::goal::strategy::{Strategy, StrategyDecision};
use praxis_core::route::intent::{intent, without_intent};
use praxis_core::text::phrase::{folded, is_word, stands_in};

/// Returns the decision that the words of a request imply.
pub fn detect(request: &str) -> Strategy {
    if let Some(stated) = intent(request) {
        let stated = folded(stated);
        if let Some((word, decision)) = INTENTS.iter().find(|(word, _)| *word == stated) {
            return told(*decision, 95, word);
        }
    }
    let text = folded(&without_intent(request));
    let clauses = || text.split(ENDS).map(wanted).filter(|clause| !clause.is_empty());
    if let Some(cue) = clauses().find_map(cue) {
        return told(cue.decision, 90, cue.word);
    }
    match clauses().find_map(rest) {
        Some(word) => told(StrategyDecision::ContinuePlanning, 75, word),
        None => Strategy { decision: StrategyDecision::NormalPlanning, confidence: 70, cue: None },
    }
}

fn told(decision: StrategyDecision, confidence: u8, cue: &str) -> Strategy {
    Strategy { decision, confidence, cue: Some(cue.to_owned()) }
}

/// Removes the fillers at the beginning of a clause.
fn wanted(clause: &str) -> &str {
    let mut rest = clause.trim();
    while let Some(after) = FILLERS.iter().find_map(|filler| after(filler, rest)) {
        rest = after.trim_start_matches([' ', '、']);
    }
    rest
}

/// Returns the text after a word, if the text begins with it as a whole word.
fn after<'a>(word: &str, text: &'a str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    (!(word.ends_with(is_word) && rest.starts_with(is_word))).then_some(rest)
}

fn cue(clause: &str) -> Option<&'static RouteCue> {
    CUES.iter().find(|cue| {
        after(cue.word, clause).map(str::trim_start).is_some_and(|rest| match &cue.follows {
            CueFollows::Anything => true,
            CueFollows::OneOf(words) => {
                rest.is_empty() || words.iter().any(|word| after(word, rest).is_some())
            }
            CueFollows::NoName(names) => !names.iter().any(|name| rest.starts_with(name)),
        })
    })
}

/// Finds a clause that asks for the rest of something: `完成剩余的权限配置`, `把剩下的做完`, `finish the rest`.
fn rest(clause: &str) -> Option<&'static str> {
    let rest = REST.iter().find(|rest| stands_in(rest, clause))?;
    let begins = ["把", "将"].iter().find_map(|word| clause.strip_prefix(word)).unwrap_or(clause);
    let is_first = begins.starts_with(rest);
    let does = |word: &str| {
        after(word, clause).is_some() || (is_first && !word.is_ascii() && clause.contains(word))
    };
    let is_rest = !NO_REST.iter().any(|name| clause.contains(name));
    (is_rest && DOING.iter().any(|word| does(word))).then_some(*rest)
}

#[cfg(test)]
#[path = "strategy_tests.rs"]
mod tests;
