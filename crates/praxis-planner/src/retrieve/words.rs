//! Splits Chinese and English text into words for comparison, by the same rules for documents and queries.
//!
//! - in: any text: prose, identifiers, paths
//! - out: normalized words: lower case, split at the humps of identifiers, stemmed; Chinese as pairs of characters
//! - never: needs a dictionary

use super::stem::stem;
use crate::lexicon::en;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// English stop words.
static SAYS_NOTHING: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| en::SAYS_NOTHING.iter().copied().collect());

/// Returns the words of a text in order, without stop words.
pub fn words(text: &str) -> Vec<String> {
    let mut cut = TextCutter {
        run: String::new(),
        kind: CharKind::Other,
        before: PreviousChar::Gap,
        out: vec![],
    };
    for character in text.nfkc() {
        let now = CharKind::of(character);
        let hump =
            cut.kind == CharKind::Letter && now == CharKind::Letter && is_hump(&cut.run, character);
        if now != cut.kind || hump {
            cut.end(now);
        }
        // `HTTPServer`: the last capital begins the next word.
        if now == CharKind::Letter && character.is_lowercase() {
            cut.out.extend(split_capitals(&mut cut.run));
        }
        cut.run.push(character);
    }
    cut.end(CharKind::Other);
    cut.out
}

/// The state while a text is split.
struct TextCutter {
    /// Characters of one kind.
    run: String,
    kind: CharKind,
    /// The kind of text before `run`.
    before: PreviousChar,
    out: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousChar {
    Letters,
    /// An apostrophe that joins letters.
    Joint,
    Gap,
}

impl TextCutter {
    /// Ends the current run; the next one is of kind `next`.
    fn end(&mut self, next: CharKind) {
        let is = |shortened: &&str| self.run.eq_ignore_ascii_case(shortened);
        let is_rest = self.before == PreviousChar::Joint && en::CONTRACTIONS.iter().any(is);
        match self.kind {
            CharKind::Letter if !is_rest => self.out.extend(english(&self.run)),
            CharKind::Letter | CharKind::Other => {}
            CharKind::Digit => self.out.push(self.run.clone()),
            CharKind::Ideograph => pairs(&self.run, &mut self.out),
        }
        let is_joint =
            self.before == PreviousChar::Letters && ["'", "\u{2019}"].contains(&&*self.run);
        self.before = match self.kind {
            CharKind::Letter => PreviousChar::Letters,
            CharKind::Other if is_joint => PreviousChar::Joint,
            CharKind::Other | CharKind::Digit | CharKind::Ideograph => PreviousChar::Gap,
        };
        self.kind = next;
        self.run.clear();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Letter,
    Digit,
    Ideograph,
    Other,
}

impl CharKind {
    fn of(character: char) -> Self {
        if is_ideograph(character) {
            Self::Ideograph
        } else if character.is_alphabetic() {
            Self::Letter
        } else if character.is_ascii_digit() {
            Self::Digit
        } else {
            Self::Other
        }
    }
}

/// Returns true for a Chinese, Japanese or Korean character.
pub fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

fn is_hump(run: &str, next: char) -> bool {
    next.is_uppercase() && run.chars().next_back().is_some_and(char::is_lowercase)
}

/// Splits off the capitals before the last one.
fn split_capitals(run: &mut String) -> Option<String> {
    let capitals = run.chars().count();
    if capitals < 2 || !run.chars().all(char::is_uppercase) {
        return None;
    }
    let last = run.pop()?;
    let word = english(&std::mem::take(run));
    run.push(last);
    word
}

/// Returns true for an English stop word in lower case.
pub(crate) fn says_nothing(word: &str) -> bool {
    SAYS_NOTHING.contains(word)
}

fn english(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    (!lower.is_empty() && !says_nothing(&lower)).then(|| stem(lower))
}

/// Appends each pair of adjacent characters, or a lone character by itself.
fn pairs(text: &str, out: &mut Vec<String>) {
    let characters: Vec<char> = text.chars().collect();
    match characters.as_slice() {
        [] => {}
        [one] => out.push(one.to_string()),
        several => out.extend(several.windows(2).map(|pair| pair.iter().collect::<String>())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_identifiers_and_chinese_are_cut_into_the_words_that_are_compared() {
        for (text, expected) in [
            ("Upload the files", "upload file"),
            ("readTable_rows.csv", "read tabl row csv"),
            ("HTTPServer", "http serv"),
            ("GET /movie/{movie_id}/credits", "movy movy id credit"),
            ("负荷预测", "负荷 荷预 预测"),
            ("查 ＡＰＩ２", "查 api 2"),
            ("24小时 forecast_load", "24 小时 forecast load"),
            ("What's on? I'd say it\u{2019}s John's, isn't it", "say john isn"),
            ("'d' is a vitamin, a T-test", "d vitamin t test"),
            ("", ""),
            ("the of !?", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }
}
