//! Boundaries of Chinese words, as far as they can be found without a dictionary.

use super::scan::ValueScan;
use crate::lexicon::zh;
use praxis_core::text::phrase::is_chinese;

/// Returns true if a character is a tie: it connects words (`zh::TIES`) and is hardly ever part of a name.
pub(in crate::offline) fn is_tie(c: char) -> bool {
    zh::TIES.contains(&c)
}

/// Returns true if a Chinese word can begin here: at the start of a run of Chinese, or after a tie.
pub(super) fn begins_here(scan: ValueScan<'_>) -> bool {
    scan.before().is_none_or(|c| !is_chinese(c) || is_tie(c))
}

/// Returns the length in bytes of the request words and ties that precede a value.
pub(super) fn verbs(text: &str) -> usize {
    skipped(text, |rest| rest.chars().next().filter(|c| is_tie(*c)).map(char::len_utf8))
}

/// Like `verbs`, but before a file name: of the ties only prepositions are skipped, because others may begin a name,
/// as in `会议.txt`.
pub(super) fn before_name(text: &str) -> usize {
    skipped(text, |rest| {
        rest.chars().next().filter(|c| zh::PREPOSITIONS.contains(c)).map(char::len_utf8)
    })
}

/// Like `verbs`, but before a key: no tie is skipped, because a key may begin with one, as in `用户名`.
pub(super) fn lead(text: &str) -> usize {
    skipped(text, |_| None)
}

fn skipped(text: &str, tie: fn(&str) -> Option<usize>) -> usize {
    let mut at = 0;
    // Requests hardly begin with more than four of these words, and the bound keeps the scan fast.
    for _ in 0..4 {
        let Some(rest) = text.get(at..) else { break };
        let word =
            zh::REQUEST_WORDS.iter().find(|word| rest.starts_with(**word)).map(|word| word.len());
        let Some(length) = word.or_else(|| tie(rest)) else { break };
        at += length;
    }
    at
}

/// Returns the end of the Chinese word at the beginning of a text: the next tie or non-Chinese character.
pub(super) fn word_end(text: &str) -> usize {
    text.find(|c| !is_chinese(c) || is_tie(c)).unwrap_or(text.len())
}
