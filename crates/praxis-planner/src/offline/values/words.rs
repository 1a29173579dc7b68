//! Plain words that could still be values. They are read last.

use super::chinese;
use super::found_value::{FoundValue, ValueKind};
use super::page::PlainText;
use super::scan::ValueScan;
use crate::lexicon::en;
use crate::offline::filler_words::is_manner;
use praxis_core::text::phrase::is_chinese;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that begin or continue requests and name no value, in addition to polite and grammatical words.
static OPENINGS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| en::OPENINGS.iter().copied().collect());

/// The maximum number of words in a phrase.
const LONGEST_PHRASE: usize = 4;

/// Returns true if a lower-case word names no value.
pub(super) fn is_empty(word: &str) -> bool {
    is_manner(word) || OPENINGS.contains(word)
}

/// Takes the remaining words, and adds the phrases that they form: `climate policy`, `Amazon rainforest`.
pub(super) fn read(page: &mut PlainText<'_>) {
    page.read_one(|scan| english(scan).or_else(|| in_chinese(scan)));
    let phrases = phrases(page);
    for said in phrases {
        page.add(said);
    }
}

/// Returns phrases of adjacent words, names and identifiers with at least one plain word.
fn phrases(page: &PlainText<'_>) -> Vec<FoundValue> {
    let is_part =
        |said: &&FoundValue| matches!(said.kind, ValueKind::Word | ValueKind::Name | ValueKind::Id);
    let mut parts: Vec<&FoundValue> = page.found().iter().filter(is_part).collect();
    parts.sort_by_key(|said| (said.from, usize::MAX - said.to));
    parts.dedup_by_key(|said| said.from);
    let mut found = Vec::new();
    for (at, first) in parts.iter().enumerate() {
        let mut last = first;
        let mut has_word = first.kind == ValueKind::Word;
        for next in parts.iter().skip(at + 1).take(LONGEST_PHRASE - 1) {
            if page.text().get(last.to..next.from) != Some(" ") {
                break;
            }
            last = next;
            has_word |= next.kind == ValueKind::Word;
            let phrase = page.text().get(first.from..last.to).filter(|_| has_word);
            found.extend(
                phrase.map(|text| FoundValue::new(first.from, last.to, ValueKind::Word, text)),
            );
        }
    }
    found
}

fn english(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let is_part = |c: char| {
        c.is_alphanumeric() && !is_chinese(c) || matches!(c, '-' | '\'' | '’' | '+' | '#')
    };
    let run = scan.run(is_part);
    let word = run.trim_end_matches(['-', '\'', '’']);
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let begins = word.starts_with(char::is_alphabetic) && word.chars().count() > 1;
    (begins && !is_empty(&word.to_lowercase()))
        .then(|| FoundValue::new(from, from + word.len(), ValueKind::Word, word))
}

/// Reads a run of Chinese up to the next tie, without the request words before it.
fn in_chinese(scan: ValueScan<'_>) -> Option<FoundValue> {
    let begins = |c: &char| is_chinese(*c) && !chinese::is_tie(*c) && chinese::begins_here(scan);
    scan.peek().filter(begins)?;
    let mut ahead = scan;
    let run = ahead.run(is_chinese);
    let skipped = chinese::verbs(run);
    let rest = run.get(skipped..)?;
    let word = rest.get(..chinese::word_end(rest))?;
    let from = scan.at() + skipped;
    (2..=16)
        .contains(&word.chars().count())
        .then(|| FoundValue::new(from, from + word.len(), ValueKind::Word, word))
}
