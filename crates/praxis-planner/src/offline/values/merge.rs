//! Runs all readers over a text and merges the values that they find.
//!
//! - in: a text
//! - out: its values by position; at one position the longest first, for one range the most specific kind first
//! - never: more than `MOST` values, or two values of one kind for one range

use super::found_value::{FoundValue, ValueKind};
use super::page::{LONGEST_TEXT, PlainText, beginning};
use super::{addresses, brackets, ids, keys, lists, moments, names, numbers, quotes, words};

/// The maximum number of values of one text.
pub(super) const MOST: usize = 500;

/// Limits for reading the content of quotes: the longest quote, in bytes, and the number of quotes.
const LONGEST_INNER: usize = 2000;
const MOST_INNER: usize = 200;

/// Returns the values in a text that could be arguments of a tool, by position.
pub fn values(text: &str) -> Vec<FoundValue> {
    let text = beginning(text, LONGEST_TEXT);
    let mut page = PlainText::new(text);
    brackets::read(&mut page);
    quotes::read(&mut page);
    read(&mut page);
    words::read(&mut page);
    lists::read(&mut page);
    let mut found = page.into_said();
    let inner: Vec<FoundValue> =
        found.iter().filter_map(inner).take(MOST_INNER).flatten().collect();
    found.extend(inner);
    keys::name(text, &mut found);
    ordered(found)
}

/// Runs the readers for text outside of quotes, the most distinctive formats first.
fn read(page: &mut PlainText<'_>) {
    addresses::read(page);
    ids::read_named(page);
    moments::read(page);
    ids::read(page);
    numbers::read(page);
    names::read(page);
}

/// Returns the values that fill a whole quote: `"2026-03-02"` is also a date.
fn inner(quote: &FoundValue) -> Option<Vec<FoundValue>> {
    let text = quote.value.as_str().filter(|_| quote.kind == ValueKind::Quote)?;
    let fits = !text.trim().is_empty() && text.len() <= LONGEST_INNER;
    let text = Some(text).filter(|_| fits)?;
    let start = quote.from + (quote.to - quote.from - text.len()) / 2;
    let (from, to) = (text.len() - text.trim_start().len(), text.trim_end().len());
    let mut page = PlainText::new(text);
    brackets::read(&mut page);
    read(&mut page);
    lists::read(&mut page);
    let mut found = page.into_said();
    found.retain(|said| {
        (said.from, said.to) == (from, to)
            && !matches!(said.kind, ValueKind::Name | ValueKind::Word)
    });
    let moved =
        |said: FoundValue| FoundValue { from: said.from + start, to: said.to + start, ..said };
    Some(found.into_iter().map(moved).collect())
}

fn ordered(mut found: Vec<FoundValue>) -> Vec<FoundValue> {
    let order = |said: &FoundValue| (said.from, usize::MAX - said.to, said.kind);
    found.sort_by_key(order);
    found.dedup_by_key(|said| order(said));
    // Plain words are dropped first.
    if found.len() > MOST {
        found.sort_by_key(|said| (said.kind == ValueKind::Word, order(said)));
        found.truncate(MOST);
        found.sort_by_key(order);
    }
    found
}
