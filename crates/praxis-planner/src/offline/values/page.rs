//! A text while it is read: the values found so far, and the ranges that are taken.
//!
//! - in: the text, and readers that look at one position each
//! - out: the values found; a range that one reader took is not offered to the next
//! - never: loses the original positions: full-width characters are read as half-width ones and mapped back

use super::found_value::{FoundValue, ValueKind};
use super::scan::{ValueScan, is_start};

/// The maximum length of the text that is read, in bytes.
pub(super) const LONGEST_TEXT: usize = 64 * 1024;

/// A text in half-width characters, with the original position of each byte.
pub(super) struct PlainText<'a> {
    /// The original text.
    given: &'a str,
    /// The text in half-width characters.
    plain: String,
    places: Vec<usize>,
    taken: Vec<bool>,
    found: Vec<FoundValue>,
}

impl<'a> PlainText<'a> {
    pub(super) fn new(given: &'a str) -> Self {
        let given = beginning(given, LONGEST_TEXT);
        let mut plain = String::with_capacity(given.len());
        let mut places = Vec::with_capacity(given.len() + 1);
        for (at, c) in given.char_indices() {
            let c = narrow(c);
            plain.push(c);
            places.extend(std::iter::repeat_n(at, c.len_utf8()));
        }
        places.push(given.len());
        let taken = vec![false; plain.len()];
        Self { given, plain, places, taken, found: Vec::new() }
    }

    /// Returns the text in half-width characters. All positions refer to it, except those that `into_said` returns.
    pub(super) fn text(&self) -> &str {
        &self.plain
    }

    /// Returns the original text of a range.
    pub(super) fn as_given(&self, from: usize, to: usize) -> &'a str {
        self.given.get(self.place(from)..self.place(to)).unwrap_or_default()
    }

    /// Returns the position in the original text.
    pub(super) fn place(&self, at: usize) -> usize {
        self.places.get(at).copied().unwrap_or(self.given.len())
    }

    /// Returns true if no part of the range is taken.
    pub(super) fn is_free(&self, from: usize, to: usize) -> bool {
        self.taken.get(from..to).is_some_and(|range| !range.contains(&true))
    }

    /// Returns the values found so far, in the order in which they were found.
    pub(super) fn found(&self) -> &[FoundValue] {
        &self.found
    }

    /// Keeps only the values for which `holds` returns true.
    pub(super) fn retain(&mut self, holds: impl FnMut(&FoundValue) -> bool) {
        self.found.retain(holds);
    }

    /// Adds a value without taking its range.
    pub(super) fn add(&mut self, said: FoundValue) {
        self.found.push(said);
    }

    /// Adds a value and takes its range.
    pub(super) fn take(&mut self, said: FoundValue) {
        self.close(said.from, said.to);
        self.found.push(said);
    }

    /// Marks a range as taken.
    pub(super) fn close(&mut self, from: usize, to: usize) {
        if let Some(range) = self.taken.get_mut(from..to) {
            range.fill(true);
        }
    }

    /// Runs a reader at each free position where a value can begin, and takes the values that it returns. These may
    /// be several readings of one position; the scan continues after the first.
    pub(super) fn read(&mut self, reader: impl Fn(ValueScan<'_>) -> Vec<FoundValue>) {
        let mut readings = Vec::new();
        let mut next = 0;
        let mut before = None;
        for (at, c) in self.plain.char_indices() {
            let is_gap = c.is_whitespace() || ",;!?)]}，。；！？、）】".contains(c);
            let starts = !is_gap && at >= next && is_start(before, c) && self.is_free(at, at + 1);
            before = Some(c);
            if !starts {
                continue;
            }
            let mut found = reader(ValueScan::new(&self.plain, at));
            found.retain(|said| self.is_free(said.from, said.to));
            next = found.first().map_or(next, |said| said.to);
            readings.extend(found);
        }
        for said in readings {
            self.take(said);
        }
    }

    /// Like `read`, for readers that return one value.
    pub(super) fn read_one(&mut self, reader: impl Fn(ValueScan<'_>) -> Option<FoundValue>) {
        self.read(|scan| reader(scan).into_iter().collect());
    }

    /// Returns all values, with positions in the original text.
    pub(super) fn into_said(self) -> Vec<FoundValue> {
        let place = |at: usize| self.places.get(at).copied().unwrap_or(self.given.len());
        let move_back = |said: FoundValue| {
            let (from, to) = (place(said.from), place(said.to));
            // Text values keep the original characters, full-width ones included.
            let is_text = matches!(said.kind, ValueKind::Name | ValueKind::Word | ValueKind::Span);
            let value = match self.given.get(from..to) {
                Some(text) if is_text && said.value.is_string() => text.into(),
                Some(_) | None => said.value,
            };
            FoundValue { from, to, value, ..said }
        };
        self.found.into_iter().map(move_back).collect()
    }
}

/// Returns the beginning of a text, at most `most` bytes.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// Converts full-width digits, letters and symbols to half-width. Sentence punctuation stays, because it ends a value
/// where its half-width form need not.
fn narrow(c: char) -> char {
    match c {
        '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' => {
            char::from_u32(u32::from(c) - 0xff01 + u32::from('!')).unwrap_or(c)
        }
        '．' => '.',
        '－' | '−' => '-',
        '＋' => '+',
        '％' => '%',
        '＄' => '$',
        '￥' => '¥',
        '／' => '/',
        '：' => ':',
        '＝' => '=',
        '～' => '~',
        '＠' => '@',
        '＿' => '_',
        '（' => '(',
        '）' => ')',
        '\u{3000}' => ' ',
        _ => c,
    }
}
