//! Where Chinese words part, as far as that can be said without a dictionary.

use super::scan::ValueScan;
use crate::lexicon::zh;
use praxis_core::text::phrase::is_chinese;

/// Whether a character ties words together.
pub(in crate::offline) fn is_tie(c: char) -> bool {
    zh::TIES.contains(&c)
}

/// Whether a word of Chinese can begin at a place: not in the middle of a run.
pub(super) fn begins_here(scan: ValueScan<'_>) -> bool {
    scan.before().is_none_or(|c| !is_chinese(c) || is_tie(c))
}

/// How many bytes at the beginning of a text are words that do not belong to a value.
pub(super) fn verbs(text: &str) -> usize {
    skipped(text, |rest| rest.chars().next().filter(|c| is_tie(*c)).map(char::len_utf8))
}

/// The same where the name of a file begins, which may begin with characters that tie words elsewhere: `会议.txt`.
pub(super) fn before_name(text: &str) -> usize {
    skipped(text, |rest| {
        rest.chars().next().filter(|c| zh::PREPOSITIONS.contains(c)).map(char::len_utf8)
    })
}

/// The same where a key begins, which may have characters in it that tie words elsewhere: `用户名`.
pub(super) fn lead(text: &str) -> usize {
    skipped(text, |_| None)
}

fn skipped(text: &str, tie: fn(&str) -> Option<usize>) -> usize {
    let mut at = 0;
    // Nobody begins with more of them; and what is bounded is fast.
    for _ in 0..4 {
        let Some(rest) = text.get(at..) else { break };
        let word =
            zh::REQUEST_WORDS.iter().find(|word| rest.starts_with(**word)).map(|word| word.len());
        let Some(length) = word.or_else(|| tie(rest)) else { break };
        at += length;
    }
    at
}

/// The end of the Chinese word that a text begins with: before the next tie.
pub(super) fn word_end(text: &str) -> usize {
    text.find(|c| !is_chinese(c) || is_tie(c)).unwrap_or(text.len())
}
