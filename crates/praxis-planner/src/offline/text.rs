//! Splits a request into words and pieces (clauses).
//!
//! - in: a request
//! - out: its words with their positions; its pieces, cut at punctuation and at words such as `then`
//! - never: cuts inside a quote or another value

use crate::lexicon::{en, zh};
use crate::retrieve::synonyms::Synonyms;
use crate::retrieve::words::{is_ideograph, words};
use std::ops::Range;

/// The maximum number of words.
const MOST_TOKENS: usize = 2000;
/// The maximum number of pieces.
const MOST_PIECES: usize = 60;

/// A word, or a run of Chinese characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordToken {
    /// The position, in bytes.
    pub place: Range<usize>,
    /// The lower-case text.
    pub text: String,
    /// The stems by which it is compared; empty for a stop word.
    pub stems: Vec<String>,
    /// The English synonyms of a run of Chinese, from the built-in list.
    pub also: Vec<String>,
}

/// Returns the words of a text.
pub fn tokens(text: &str) -> Vec<WordToken> {
    let mut found: Vec<WordToken> = Vec::new();
    let mut run: Option<(usize, bool)> = None;
    let ends = text.char_indices().chain(std::iter::once((text.len(), ' ')));
    for (at, c) in ends {
        let chinese = is_ideograph(c);
        let within = chinese || c.is_alphanumeric() || c == '_';
        if let Some((from, was_chinese)) = run
            && (!within || chinese != was_chinese)
        {
            found.extend(text.get(from..at).map(|word| token(word, from..at)));
            run = None;
        }
        if within && run.is_none() {
            run = Some((at, chinese));
        }
        if found.len() >= MOST_TOKENS {
            break;
        }
    }
    found
}

fn token(word: &str, place: Range<usize>) -> WordToken {
    let asked = |word: &str| Synonyms::built_in().asked(word).into_iter().map(|one| one.word);
    let also = if word.chars().all(is_ideograph) {
        asked(word).filter(|it| it.is_ascii()).collect()
    } else {
        vec![]
    };
    WordToken { place, text: word.to_lowercase(), stems: words(word), also }
}

/// Returns the pieces of a text. Ranges in `whole` are not cut.
pub fn pieces(text: &str, whole: &[Range<usize>]) -> Vec<Range<usize>> {
    let is_free = |at: usize| !whole.iter().any(|span| span.start < at && at < span.end);
    let mut cuts: Vec<usize> = Vec::new();
    let mut signs = text.char_indices().peekable();
    while let Some((at, c)) = signs.next() {
        let after = at + c.len_utf8();
        let before_blank = signs.peek().is_none_or(|(_, next)| next.is_whitespace());
        let cuts_here = matches!(c, '。' | '；' | '！' | '？' | '，' | '、' | '\n' | ';')
            || (matches!(c, '.' | '!' | '?' | ',' | ':') && before_blank);
        if cuts_here && is_free(after) && is_free(at) {
            cuts.push(after);
        }
    }
    for token in tokens(text) {
        if token.text.chars().all(is_ideograph) {
            cuts.extend(turns_within(&token).into_iter().filter(|at| is_free(*at)));
        } else if en::TURNS.contains(&token.text.as_str()) && is_free(token.place.start) {
            cuts.push(token.place.start);
        }
    }
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    let pieces = cuts.iter().zip(cuts.iter().skip(1)).map(|(from, to)| *from..*to);
    let says = |piece: &Range<usize>| {
        text.get(piece.clone()).is_some_and(|text| text.chars().any(char::is_alphanumeric))
    };
    pieces.filter(says).take(MOST_PIECES).collect()
}

/// Returns the positions within a run of Chinese at which new pieces start.
fn turns_within(run: &WordToken) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = run.text.get(at..).filter(|rest| !rest.is_empty()) {
        let turn = zh::TURNS.iter().find(|turn| rest.starts_with(**turn));
        match turn {
            Some(turn) => {
                found.push(run.place.start + at);
                at += turn.len();
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}
