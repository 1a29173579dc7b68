//! A text while it is read: what was found in it so far, and which parts of it are spoken for.
//!
//! - in: the text, and readers that look at one place each
//! - out: what they found; a part that one reader took is no more looked at by the next
//! - never: changes the length of what a place means: full-width signs are read as plain ones and found back

use super::said::{FoundValue, ValueKind};
use super::scan::{ValueScan, is_start};

/// The part of a text that is looked at, in bytes.
pub(super) const LONGEST_TEXT: usize = 64 * 1024;

/// A text in plain signs, and for each of its bytes where it stands in the text as it was given.
pub(super) struct PlainText<'a> {
    /// As it was given.
    given: &'a str,
    /// With plain signs for full-width ones.
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

    /// The text in plain signs. All places but those of the end result are places in it.
    pub(super) fn text(&self) -> &str {
        &self.plain
    }

    /// A part of the text as it was given.
    pub(super) fn as_given(&self, from: usize, to: usize) -> &'a str {
        self.given.get(self.place(from)..self.place(to)).unwrap_or_default()
    }

    /// Where a place stands in the text as it was given.
    pub(super) fn place(&self, at: usize) -> usize {
        self.places.get(at).copied().unwrap_or(self.given.len())
    }

    /// Whether no part of a range is spoken for.
    pub(super) fn is_free(&self, from: usize, to: usize) -> bool {
        self.taken.get(from..to).is_some_and(|range| !range.contains(&true))
    }

    /// What was found so far, in the order in which it was found.
    pub(super) fn found(&self) -> &[FoundValue] {
        &self.found
    }

    /// Leaves out what does not hold.
    pub(super) fn retain(&mut self, holds: impl FnMut(&FoundValue) -> bool) {
        self.found.retain(holds);
    }

    /// Keeps a value and leaves its place to others.
    pub(super) fn add(&mut self, said: FoundValue) {
        self.found.push(said);
    }

    /// Keeps a value and its place.
    pub(super) fn take(&mut self, said: FoundValue) {
        self.close(said.from, said.to);
        self.found.push(said);
    }

    /// Keeps others away from a place.
    pub(super) fn close(&mut self, from: usize, to: usize) {
        if let Some(range) = self.taken.get_mut(from..to) {
            range.fill(true);
        }
    }

    /// Takes what a reader finds at the free places where something can begin. What it gives may be several
    /// readings of one place; the first one is where the reading goes on.
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

    /// The same for readers that give one reading.
    pub(super) fn read_one(&mut self, reader: impl Fn(ValueScan<'_>) -> Option<FoundValue>) {
        self.read(|scan| reader(scan).into_iter().collect());
    }

    /// All that was found, in places of the text as it was given.
    pub(super) fn into_said(self) -> Vec<FoundValue> {
        let place = |at: usize| self.places.get(at).copied().unwrap_or(self.given.len());
        let move_back = |said: FoundValue| {
            let (from, to) = (place(said.from), place(said.to));
            // What is text goes on as it was written, full-width signs and all.
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

/// So much of the beginning of a text as fits into a number of bytes.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// Full-width digits, letters and the signs of numbers as plain ones. Those of sentences stay, because they end
/// what plain ones need not.
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
