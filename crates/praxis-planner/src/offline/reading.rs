//! Parses a request once: its words, its values and its pieces.

use super::filler_words::is_manner;
use super::labels::labels;
use super::needs::ToolField;
use super::phrases::phrases;
use super::text::{WordToken, pieces, tokens};
use super::unit_words::units;
use super::values::{FoundValue, ValueKind, values};
use crate::lexicon::{en, zh};
use serde_json::{Map, Value};
use std::ops::Range;

/// A parsed request.
#[derive(Clone, Debug)]
pub struct RequestReading {
    /// The text of the request.
    pub text: String,
    /// Its words.
    pub tokens: Vec<WordToken>,
    /// The values that could be given to a tool, in all their readings.
    pub said: Vec<FoundValue>,
    /// The positions of its pieces: the clauses between punctuation and words such as `then`.
    pub pieces: Vec<Range<usize>>,
    /// The metadata that the caller gave in addition.
    pub given: Vec<ToolField>,
}

impl RequestReading {
    /// Parses a request.
    pub fn of(text: &str) -> Self {
        let tokens = tokens(text);
        let is_pair = |one: &FoundValue| pair(text, one).is_some();
        let mut said: Vec<FoundValue> = values(text)
            .into_iter()
            .filter(|one| one.kind != ValueKind::Word || is_pair(one))
            .collect();
        said.retain(|one| !is_asked_for(text, one) && !is_mixed(text, one));
        let longest = said.clone();
        said.retain(|one| {
            let longer =
                |other: &FoundValue| other.from == one.from && other.to > one.to && is_pair(other);
            one.kind != ValueKind::Word || !longest.iter().any(longer)
        });
        let whole = |one: &FoundValue| pair(text, one).unwrap_or(one.from..one.to);
        let mut whole: Vec<Range<usize>> = said
            .iter()
            .filter(|one| one.kind != ValueKind::List || is_pair(one))
            .map(whole)
            .collect();
        whole.extend(between(text, &said));
        let pieces = pieces(text, &whole);
        let more = [labels(text, &tokens, &said), units(text, &tokens, &said)].concat();
        said.extend(phrases(text, &tokens, &said));
        said.extend(more);
        let dotted = dotted(text, &said);
        said.extend(dotted);
        Self { text: text.to_owned(), tokens, said, pieces, given: vec![] }
    }

    /// Adds the metadata that the caller gave.
    #[must_use]
    pub fn beside(self, given: &Map<String, Value>) -> Self {
        Self {
            given: given.iter().map(|(key, value)| ToolField::given(key, value)).collect(),
            ..self
        }
    }

    /// Returns the index of the piece at a position.
    pub fn piece_at(&self, at: usize) -> usize {
        self.pieces.iter().rposition(|piece| piece.start <= at).unwrap_or_default()
    }

    /// Returns the position of a value, including a key that is tied to it by `:` or `=`.
    pub fn with_key(&self, one: &FoundValue) -> Range<usize> {
        pair(&self.text, one).unwrap_or(one.from..one.to)
    }

    /// Returns the words in a piece.
    pub fn inside(&self, piece: &Range<usize>) -> &[WordToken] {
        let from = self.tokens.partition_point(|token| token.place.start < piece.start);
        let to = self.tokens.partition_point(|token| token.place.end <= piece.end);
        self.tokens.get(from..to).unwrap_or_default()
    }

    /// Returns the text of a piece with quotes and other literal values, keys and filler words blanked out.
    pub fn asked(&self, piece: &Range<usize>) -> String {
        let mut text = self.words_of(piece).into_bytes();
        let inside =
            |token: &&WordToken| piece.start <= token.place.start && token.place.end <= piece.end;
        for token in self.tokens.iter().filter(inside).filter(|token| is_manner(&token.text)) {
            let place = token.place.start - piece.start..token.place.end - piece.start;
            text.get_mut(place).into_iter().flatten().for_each(|byte| *byte = b' ');
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns the text of a piece with quotes and other literal values, and `key: value` pairs, blanked out.
    pub fn words_of(&self, piece: &Range<usize>) -> String {
        let mut text: Vec<u8> =
            self.text.as_bytes().get(piece.clone()).unwrap_or_default().to_vec();
        let is_pair = |one: &FoundValue| pair(&self.text, one).is_some();
        for one in self.said.iter().filter(|one| is_foreign(one.kind) || is_pair(one)) {
            let place = pair(&self.text, one).unwrap_or(one.from..one.to);
            let from = place.start.clamp(piece.start, piece.end) - piece.start;
            let to = place.end.clamp(piece.start, piece.end) - piece.start;
            text.get_mut(from..to).into_iter().flatten().for_each(|byte| *byte = b' ');
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Returns true if the text of a value says nothing about the action that is asked for.
fn is_foreign(kind: ValueKind) -> bool {
    matches!(
        kind,
        ValueKind::Quote
            | ValueKind::Url
            | ValueKind::Email
            | ValueKind::Id
            | ValueKind::Json
            | ValueKind::Path
            | ValueKind::Date
            | ValueKind::DateTime
    )
}

/// Returns true for a list of numbers that mixes digits and words: `by 24, one place is enough` is not a list.
fn is_mixed(text: &str, one: &FoundValue) -> bool {
    let numbers = one.value.as_array().is_some_and(|all| all.iter().all(Value::is_number));
    let text = text.get(one.from..one.to).unwrap_or_default().to_lowercase();
    let is_word = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic());
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    let has_word = words.any(|word| is_word(word) && !en::LIST_TIES.contains(&word));
    numbers && one.unit.is_none() && has_word && text.contains(|c: char| c.is_ascii_digit())
}

/// Returns the ranges of two values that belong together: `between 2026-01-01 and 2026-03-01`.
fn between(text: &str, said: &[FoundValue]) -> Vec<Range<usize>> {
    let is_behind = |one: &&FoundValue| {
        let before = text.get(..one.from).unwrap_or_default().trim_end();
        let word = before.rsplit(char::is_whitespace).next();
        word.is_some_and(|word| word.eq_ignore_ascii_case("between"))
    };
    let joined = |one: &FoundValue, other: &FoundValue| {
        text.get(one.to..other.from).is_some_and(|gap| gap.trim().eq_ignore_ascii_case("and"))
    };
    let second =
        |one: &FoundValue| said.iter().find(|other| joined(one, other)).map(|other| other.to);
    said.iter().filter(is_behind).filter_map(|one| Some(one.from..second(one)?)).collect()
}

/// Finds dotted names, which are paths into a value: `database.host`, `items[0].name`.
fn dotted(text: &str, said: &[FoundValue]) -> Vec<FoundValue> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._[]".contains(c);
    let mut found = Vec::new();
    let mut at = 0;
    for run in text.split(|c: char| !is_part(c)) {
        let from = at + text.get(at..).and_then(|rest| rest.find(run)).unwrap_or_default();
        at = from + run.len();
        let bare = run.trim_end_matches('.');
        let parts: Vec<&str> = bare.split('.').collect();
        let is_name = |part: &&str| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let taken = |one: &FoundValue| {
            let whole = !matches!(
                one.kind,
                ValueKind::Word | ValueKind::Name | ValueKind::Label | ValueKind::Unit
            );
            whole && one.from < from + bare.len() && from < one.to
        };
        let leads = parts.len() > 1 || bare.ends_with(']') && bare.contains('[');
        if leads && parts.iter().all(is_name) && !said.iter().any(taken) {
            let value = Value::String(bare.to_owned());
            let to = from + bare.len();
            found.push(FoundValue { from, to, kind: ValueKind::Id, value, key: None, unit: None });
        }
    }
    found
}

/// Returns true for a numeral that counts nothing, as in `哪一天` and `每一个`.
fn is_asked_for(text: &str, one: &FoundValue) -> bool {
    let before = text.get(..one.from).and_then(|before| before.chars().next_back());
    matches!(one.kind, ValueKind::Number | ValueKind::Span)
        && before.is_some_and(|c| zh::ASKING.contains(&c))
}

/// Returns the position of a value with the key that a sign ties to it: `key: value`, `key=value`.
fn pair(text: &str, one: &FoundValue) -> Option<Range<usize>> {
    let key = one.key.as_ref()?;
    let before = text.get(..one.from)?.trim_end();
    let bare = before.strip_suffix([':', '：', '='])?.trim_end();
    bare.ends_with(key.as_str()).then(|| bare.len() - key.len()..one.to)
}
