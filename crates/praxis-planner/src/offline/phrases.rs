//! Finds values without quotes or capitals: phrases after a preposition.

use super::text::WordToken;
use super::values::{FoundValue, ValueKind};
use crate::lexicon::en;
use crate::retrieve::words::is_ideograph;
use serde_json::Value;

/// The maximum number of words in a value.
const LONGEST: usize = 5;

/// Returns true if a word is an article or possessive, which is not part of a value.
pub fn is_article(word: &str) -> bool {
    en::ARTICLES.contains(&word)
}

/// Returns true if a value may follow a word.
pub fn is_preposition(word: &str) -> bool {
    en::PREPOSITIONS.contains(&word)
}

/// Returns phrases after prepositions, up to the next value.
pub fn phrases(text: &str, tokens: &[WordToken], said: &[FoundValue]) -> Vec<FoundValue> {
    let taken = |token: &WordToken| {
        said.iter().any(|one| {
            one.kind != ValueKind::Word && one.from < token.place.end && token.place.start < one.to
        })
    };
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        // After `to` mostly comes a verb, not a value.
        if !en::PREPOSITIONS.contains(&token.text.as_str()) || token.text == "to" {
            continue;
        }
        let mut after = tokens.iter().skip(at + 1).peekable();
        while after.next_if(|next| en::ARTICLES.contains(&next.text.as_str())).is_some() {}
        let mut phrase: Vec<&WordToken> = Vec::new();
        for next in after {
            let last = phrase.last().map_or(token.place.end, |last: &&WordToken| last.place.end);
            let joined = text
                .get(last..next.place.start)
                .is_some_and(|gap| gap.chars().all(|c| c.is_whitespace() || c == '-' || c == '\''));
            let first = phrase.is_empty();
            let ends = en::PREPOSITIONS.contains(&next.text.as_str())
                || en::PHRASE_ENDS.contains(&next.text.as_str());
            if (!joined && !first)
                || ends
                || taken(next)
                || phrase.len() >= LONGEST
                || next.text.chars().any(is_ideograph)
            {
                break;
            }
            phrase.push(next);
        }
        found.extend(phrase_of(text, &phrase));
    }
    found
}

fn phrase_of(text: &str, phrase: &[&WordToken]) -> Option<FoundValue> {
    let (from, to) = (phrase.first()?.place.start, phrase.last()?.place.end);
    let value = Value::String(text.get(from..to)?.to_owned());
    Some(FoundValue { from, to, kind: ValueKind::Word, value, key: None, unit: None })
}
