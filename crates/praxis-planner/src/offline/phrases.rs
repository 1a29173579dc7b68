//! Words without quotes or capitals that may be values: what stands behind a preposition.

use super::text::Token;
use super::values::{Kind, Said};
use crate::retrieve::words::is_ideograph;
use serde_json::Value;

/// What a value may stand behind.
const PREPOSITIONS: [&str; 26] = [
    "of",
    "in",
    "for",
    "from",
    "to",
    "by",
    "with",
    "on",
    "at",
    "about",
    "using",
    "into",
    "as",
    "named",
    "called",
    "titled",
    "between",
    "is",
    "are",
    "be",
    "within",
    "during",
    "regarding",
    "under",
    "through",
    "over",
];
/// What belongs to no value at its beginning.
const ARTICLES: [&str; 22] = [
    "the",
    "a",
    "an",
    "my",
    "our",
    "your",
    "his",
    "her",
    "their",
    "its",
    "this",
    "that",
    "these",
    "those",
    "all",
    "any",
    "some",
    "each",
    "specific",
    "certain",
    "given",
    "following",
];
/// What ends a value.
const ENDS: [&str; 34] = [
    "and",
    "or",
    "then",
    "that",
    "which",
    "who",
    "where",
    "when",
    "while",
    "if",
    "please",
    "also",
    "can",
    "could",
    "will",
    "would",
    "should",
    "has",
    "have",
    "had",
    "was",
    "were",
    "it",
    "i",
    "you",
    "we",
    "me",
    "us",
    "them",
    "so",
    "but",
    "after",
    "before",
    "including",
];
/// A value has at most so many words.
const LONGEST: usize = 5;

/// Whether a word belongs to no value.
pub fn is_article(word: &str) -> bool {
    ARTICLES.contains(&word)
}

/// Whether a value may stand behind a word.
pub fn is_preposition(word: &str) -> bool {
    PREPOSITIONS.contains(&word)
}

/// Phrases behind prepositions, where no other value stands.
pub fn phrases(text: &str, tokens: &[Token], said: &[Said]) -> Vec<Said> {
    let taken = |token: &Token| {
        said.iter().any(|one| {
            one.kind != Kind::Word && one.from < token.place.end && token.place.start < one.to
        })
    };
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        // Behind `to` stands mostly what is to be done.
        if !PREPOSITIONS.contains(&token.text.as_str()) || token.text == "to" {
            continue;
        }
        let mut after = tokens.iter().skip(at + 1).peekable();
        while after.next_if(|next| ARTICLES.contains(&next.text.as_str())).is_some() {}
        let mut phrase: Vec<&Token> = Vec::new();
        for next in after {
            let last = phrase.last().map_or(token.place.end, |last: &&Token| last.place.end);
            let joined = text
                .get(last..next.place.start)
                .is_some_and(|gap| gap.chars().all(|c| c.is_whitespace() || c == '-' || c == '\''));
            let first = phrase.is_empty();
            let ends =
                PREPOSITIONS.contains(&next.text.as_str()) || ENDS.contains(&next.text.as_str());
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

fn phrase_of(text: &str, phrase: &[&Token]) -> Option<Said> {
    let (from, to) = (phrase.first()?.place.start, phrase.last()?.place.end);
    let value = Value::String(text.get(from..to)?.to_owned());
    Some(Said { from, to, kind: Kind::Word, value, key: None, unit: None })
}
