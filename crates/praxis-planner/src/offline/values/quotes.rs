//! Finds quoted text.
//!
//! - in: a `PlainText`
//! - out: the quoted text as written; `merge.rs` also reads the value inside a quote, such as `"2026-03-02"`
//! - never: takes the apostrophe of `don't` or `John's`, or an inch sign, for a quotation mark

use super::found_value::{FoundValue, ValueKind};
use super::page::PlainText;
use praxis_core::text::phrase::{is_chinese, is_word};
use std::collections::BTreeMap;

/// Opening and closing quotation marks.
const QUOTES: [(&str, &str); 12] = [
    ("```", "```"),
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("‘", "’"),
    ("「", "」"),
    ("『", "』"),
    ("《", "》"),
    ("«", "»"),
    ("＂", "＂"),
    ("〈", "〉"),
];

/// Takes the quotes of a text, from left to right.
pub(super) fn read(page: &mut PlainText<'_>) {
    let mut found = Vec::new();
    // A mark without a closing partner in the rest of the text is not tried again.
    let mut spent = [false; QUOTES.len()];
    let (text, mut at) = (page.text(), 0);
    while let Some((open, which)) = next_opening(page, at, &spent) {
        let Some((sign, close)) = QUOTES.get(which) else { break };
        let inner = open + sign.len();
        at = match closing(text, inner, close) {
            Some(end) => {
                found.push((open, inner, end, end + close.len()));
                end + close.len()
            }
            None => {
                spent.iter_mut().skip(which).take(1).for_each(|spent| *spent = true);
                inner
            }
        };
    }
    // A list inside a quote is part of the quote.
    let quotes: BTreeMap<usize, usize> =
        found.iter().map(|(from, _, _, to)| (*from, *to)).collect();
    let is_inside = |said: &FoundValue| {
        quotes.range(..said.from).next_back().is_some_and(|(_, to)| said.from < *to)
    };
    page.retain(|said| !is_inside(said));
    for (from, inner, end, to) in found {
        let value = page.as_given(inner, end);
        page.take(FoundValue::new(from, to, ValueKind::Quote, value));
    }
}

/// Returns the position of the next opening mark, and its index in `QUOTES`.
fn next_opening(page: &PlainText<'_>, from: usize, spent: &[bool]) -> Option<(usize, usize)> {
    let rest = page.text().get(from..)?;
    let mut before = page.text().get(..from)?.chars().next_back();
    for (at, c) in rest.char_indices() {
        let here = rest.get(at..)?;
        let opens = |(sign, _): &(&str, &str)| here.starts_with(sign);
        let which = QUOTES.iter().zip(spent).position(|(quote, spent)| !spent && opens(quote));
        if let Some(which) = which
            && page.is_free(from + at, from + at + 1)
            && may_open(before, c, here)
        {
            return Some((from + at, which));
        }
        before = Some(c);
    }
    None
}

/// Returns true if a mark can open a quote: after a letter or digit, a plain mark is an apostrophe, or stands for
/// inches or minutes.
fn may_open(before: Option<char>, sign: char, here: &str) -> bool {
    let is_plain = matches!(sign, '"' | '\'' | '`' | '‘');
    let goes_on = here.chars().nth(1).is_some_and(|c| !c.is_whitespace());
    !is_plain || (goes_on && !before.is_some_and(|c| is_word(c) && !is_chinese(c)))
}

/// Returns the position of the closing mark: not in the middle of a word, and not after a backslash.
fn closing(text: &str, from: usize, close: &str) -> Option<usize> {
    let rest = text.get(from..)?;
    let is_apostrophe = |at: usize| {
        let behind = rest.get(at + close.len()..).unwrap_or_default();
        matches!(close, "'" | "’") && behind.starts_with(is_word)
    };
    let is_escaped =
        |at: usize| rest.get(..at).is_some_and(|past| close.len() == 1 && past.ends_with('\\'));
    let mut closings = rest.match_indices(close).map(|(at, _)| at);
    closings.find(|at| !is_apostrophe(*at) && !is_escaped(*at)).map(|at| from + at)
}
