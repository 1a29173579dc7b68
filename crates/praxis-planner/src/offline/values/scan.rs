//! A cursor in a text. It is copied to try one reader after another.

use praxis_core::text::phrase::{is_chinese, is_word};

/// The maximum number of characters in one run. Nobody writes longer runs by hand.
const LONGEST_RUN: usize = 128;

/// A cursor in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueScan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> ValueScan<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// Returns the position, in bytes.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the text after the cursor.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the text between an earlier position and the cursor.
    pub(super) fn since(&self, from: usize) -> &'a str {
        self.text.get(from..self.at).unwrap_or_default()
    }

    /// Returns the text before the cursor.
    pub(super) fn past(&self) -> &'a str {
        self.text.get(..self.at).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn before(&self) -> Option<char> {
        self.past().chars().next_back()
    }

    /// Returns the word before the cursor, without the blanks after it.
    pub(super) fn word_before(&self) -> &'a str {
        let past = self.past().trim_end_matches(' ');
        let tail = past.char_indices().rev().take(24).take_while(|(_, c)| c.is_alphabetic());
        tail.last().and_then(|(at, _)| past.get(at..)).unwrap_or_default()
    }

    /// Reads one character if it fits.
    pub(super) fn one(&mut self, fits: impl Fn(char) -> bool) -> Option<char> {
        let next = self.peek().filter(|c| fits(*c))?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Reads `text` if it stands here.
    pub(super) fn eat(&mut self, text: &str) -> Option<()> {
        self.rest().starts_with(text).then(|| self.at += text.len())
    }

    /// Reads the first of `texts` that stands here, and returns it.
    pub(super) fn eat_any(&mut self, texts: &[&'static str]) -> Option<&'static str> {
        let found = texts.iter().find(|text| self.rest().starts_with(**text))?;
        self.at += found.len();
        Some(found)
    }

    /// Reads all following characters that fit, at most `LONGEST_RUN`.
    pub(super) fn run(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let from = self.at;
        let length: usize = self
            .rest()
            .chars()
            .take(LONGEST_RUN)
            .take_while(|c| fits(*c))
            .map(char::len_utf8)
            .sum();
        self.at += length;
        self.since(from)
    }

    /// Reads all digits that stand here, if there are `least` to `most` of them.
    pub(super) fn digits(&mut self, least: usize, most: usize) -> Option<u64> {
        let mut ahead = *self;
        let digits = ahead.run(|c| c.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| (least..=most).contains(&digits.len()))?;
        *self = ahead;
        Some(number)
    }

    /// Reads a word of letters, Chinese excluded.
    pub(super) fn letters(&mut self) -> &'a str {
        self.run(|c| c.is_alphabetic() && !is_chinese(c))
    }

    /// Reads up to three blanks.
    pub(super) fn blanks(&mut self) {
        for _ in 0..3 {
            self.one(|c| c == ' ' || c == '\t' || c == '\u{a0}');
        }
    }

    /// Reads the next word if it is one of `words`, ignoring case.
    pub(super) fn eat_word(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let mut ahead = *self;
        let word = ahead.letters();
        let found = words.iter().find(|one| one.eq_ignore_ascii_case(word))?;
        *self = ahead;
        Some(found)
    }

    /// Returns true if a word ends here and no number continues.
    pub(super) fn is_edge(&self) -> bool {
        let mut rest = self.rest().chars();
        match rest.next() {
            Some('.') => !rest.next().is_some_and(|c| c.is_ascii_digit()),
            Some(c) => !is_word(c),
            None => true,
        }
    }
}

/// Returns true if a value can begin here: not in the middle of a word or a number.
pub(super) fn is_start(before: Option<char>, next: char) -> bool {
    !(is_word(next) && before.is_some_and(is_word))
}
