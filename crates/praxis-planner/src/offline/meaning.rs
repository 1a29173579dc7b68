//! Maps words to the choices of a parameter, and to yes or no for a boolean one.
//!
//! - in: a parameter with choices or a boolean one, and the words of a step
//! - out: the matching choices, each with the position of its words
//! - never: matches a word inside a value, or a part of a longer phrase with another meaning

use super::needs::{ToolField, ValueShape};
use super::reading::RequestReading;
use super::text::WordToken;
use super::values::ValueKind;
use crate::lexicon::any::CHOICES;
use crate::lexicon::{WordGroup, en, zh};
use crate::retrieve::words::words;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The minimum length of a word that may contain one typo.
const SLIP: usize = 5;
/// The minimum length of a word that may contain two typos.
const TWO_SLIPS: usize = 8;

/// A choice implied by words.
#[derive(Clone, Debug, PartialEq)]
pub struct MeaningMatch {
    /// The choice.
    pub value: Value,
    /// The position of the words.
    pub place: Range<usize>,
}

/// A phrase that stands for a choice.
#[derive(Clone, Debug)]
struct EnumPhrase {
    text: String,
    /// Its words with their stems; empty for Chinese and symbols.
    words: Vec<(String, Vec<String>)>,
}

impl EnumPhrase {
    fn of(text: &str) -> Self {
        let is_spelled = text.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ' || c == '\'');
        let word = |word: &str| (word.to_owned(), words(word));
        let words = if is_spelled { text.split(' ').map(word).collect() } else { vec![] };
        Self { text: text.to_owned(), words }
    }
}

/// The synonyms of each choice, by the name that tools use for it.
static PHRASES: LazyLock<BTreeMap<String, Vec<EnumPhrase>>> = LazyLock::new(|| {
    let phrases = |group: &WordGroup| -> Vec<EnumPhrase> {
        group.means.iter().map(|phrase| EnumPhrase::of(&phrase.to_lowercase())).collect()
    };
    let named = |group: &'static WordGroup| {
        group.words.iter().map(move |name| (name.to_lowercase(), phrases(group)))
    };
    CHOICES.iter().flat_map(named).collect()
});

/// Returns the phrases that stand for a name that tools use, the name itself included.
fn phrases(name: &str) -> impl Iterator<Item = Cow<'static, EnumPhrase>> {
    let name = name.to_lowercase();
    let own = EnumPhrase::of(&name.replace(['_', '-'], " "));
    let others = PHRASES.get(&name).into_iter().flatten().map(Cow::Borrowed);
    std::iter::once(Cow::Owned(own)).chain(others)
}

/// Returns the choices that the words of some pieces imply, in the order of their positions. If matches overlap, the
/// longer one wins.
pub fn hits(
    reading: &RequestReading,
    pieces: &Range<usize>,
    slot: &ToolField,
) -> Vec<MeaningMatch> {
    let mut found: Vec<MeaningMatch> = Vec::new();
    for place in pieces.clone().filter_map(|at| reading.pieces.get(at)) {
        match slot.shape {
            ValueShape::Boolean => found.extend(answers(reading, place, slot)),
            ValueShape::Text
            | ValueShape::Integer
            | ValueShape::Number
            | ValueShape::List
            | ValueShape::Object
            | ValueShape::Any => found.extend(chosen(reading, place, slot)),
        }
    }
    longest(found)
}

fn chosen(reading: &RequestReading, piece: &Range<usize>, slot: &ToolField) -> Vec<MeaningMatch> {
    let mut found = Vec::new();
    for choice in &slot.choices {
        let Some(name) = choice.as_str() else { continue };
        let hit = |place| MeaningMatch { value: choice.clone(), place };
        found.extend(phrases(name).flat_map(|phrase| places(reading, piece, &phrase)).map(hit));
    }
    if found.is_empty() { slips(reading, piece, slot) } else { found }
}

/// Matches the name of a boolean parameter and its synonyms as true, or as false after a negation.
fn answers(reading: &RequestReading, piece: &Range<usize>, slot: &ToolField) -> Vec<MeaningMatch> {
    let Some(name) = slot.path.last() else { return vec![] };
    let hit = |place: Range<usize>| {
        let before = reading.text.get(piece.start..place.start).unwrap_or_default().trim_end();
        let last = before.rsplit([' ', ',', '，']).next().unwrap_or_default().to_lowercase();
        let is_no = en::DENIALS.contains(&last.as_str())
            || zh::DENIALS.iter().any(|no| before.ends_with(no));
        MeaningMatch { value: Value::Bool(!is_no), place }
    };
    phrases(name).flat_map(|phrase| places(reading, piece, &phrase)).map(hit).collect()
}

/// Returns the positions of a phrase in a piece, outside of values.
fn places(
    reading: &RequestReading,
    piece: &Range<usize>,
    phrase: &EnumPhrase,
) -> Vec<Range<usize>> {
    let found = if phrase.words.is_empty() {
        let text = reading.text.get(piece.clone()).unwrap_or_default();
        let whole = |at: usize| piece.start + at..piece.start + at + phrase.text.len();
        // Chinese has no word boundaries: a phrase matches anywhere. So does a symbol.
        text.match_indices(&phrase.text).map(|(at, _)| whole(at)).collect()
    } else {
        spelled(reading, piece, &phrase.words)
    };
    found.into_iter().filter(|place| !is_value(reading, place)).collect()
}

/// Returns the positions of consecutive words, compared by their stems.
fn spelled(
    reading: &RequestReading,
    piece: &Range<usize>,
    wanted: &[(String, Vec<String>)],
) -> Vec<Range<usize>> {
    let same = |token: &WordToken, (word, stems): &(String, Vec<String>)| {
        token.text == *word || (!stems.is_empty() && token.stems == *stems)
    };
    let inside = reading.inside(piece);
    let mut found = Vec::new();
    for window in inside.windows(wanted.len()) {
        if window.iter().zip(wanted).all(|(token, word)| same(token, word))
            && let (Some(first), Some(last)) = (window.first(), window.last())
        {
            found.push(first.place.start..last.place.end);
        }
    }
    found
}

/// Matches words that differ from one choice by a typo or two.
fn slips(reading: &RequestReading, piece: &Range<usize>, slot: &ToolField) -> Vec<MeaningMatch> {
    let mut found = Vec::new();
    let may = |token: &&WordToken| {
        token.text.len() >= SLIP && token.text.is_ascii() && !is_value(reading, &token.place)
    };
    for token in reading.inside(piece).iter().filter(may) {
        let most = if token.text.len() >= TWO_SLIPS { 2 } else { 1 };
        let is_near = |choice: &&Value| {
            choice.as_str().is_some_and(|name| {
                name.len() + 1 >= SLIP
                    && strsim::osa_distance(&token.text, &name.to_lowercase()) <= most
            })
        };
        let mut near = slot.choices.iter().filter(is_near);
        if let (Some(choice), None) = (near.next(), near.next()) {
            found.push(MeaningMatch { value: choice.clone(), place: token.place.clone() });
        }
    }
    found
}

/// Returns true if a position is inside a value that is recognizable by its form.
fn is_value(reading: &RequestReading, place: &Range<usize>) -> bool {
    reading.said.iter().any(|one| {
        let by_form = match one.kind {
            ValueKind::Quote
            | ValueKind::Url
            | ValueKind::Email
            | ValueKind::Path
            | ValueKind::Json
            | ValueKind::Date
            | ValueKind::DateTime
            | ValueKind::Number
            | ValueKind::Span
            | ValueKind::Id => true,
            ValueKind::Time
            | ValueKind::Phone
            | ValueKind::Money
            | ValueKind::Percent
            | ValueKind::Boolean
            | ValueKind::List
            | ValueKind::Name
            | ValueKind::Word
            | ValueKind::Label
            | ValueKind::Unit => false,
        };
        by_form && one.from <= place.start && place.end <= one.to
    })
}

/// Drops matches that overlap a longer one, and sorts the rest by position.
fn longest(mut found: Vec<MeaningMatch>) -> Vec<MeaningMatch> {
    found.sort_by_key(|hit| (usize::MAX - hit.place.len(), hit.place.start));
    let mut kept: Vec<MeaningMatch> = Vec::new();
    for hit in found {
        let overlaps = |other: &MeaningMatch| {
            other.place.start < hit.place.end && hit.place.start < other.place.end
        };
        if !kept.iter().any(overlaps) {
            kept.push(hit);
        }
    }
    kept.sort_by_key(|hit| hit.place.start);
    kept
}
