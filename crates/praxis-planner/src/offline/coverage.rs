//! Computes the share of a goal that a plan explains: by the words that its tools know and the values that it uses.
//!
//! - in: a `RequestReading`, and a plan for it
//! - out: the explained share, and the unexplained parts
//! - never: counts a word inside a value, such as a file name, as a word that the tools know

use super::bind::{BindingSource, BoundParameter};
use super::filler_words::{is_manner, telling};
use super::reading::RequestReading;
use super::text::WordToken;
use super::values::{FoundValue, ValueKind};
use crate::retrieve::search::LexicalSearch;
use crate::retrieve::words::{is_ideograph, words};
use crate::weights::WEIGHTS;
use praxis_core::ids::ToolId;
use praxis_core::journal::selection::Sureness;
use std::collections::BTreeSet;
use std::ops::Range;

/// The maximum number of unexplained parts that are reported.
const MOST_TOLD: usize = 12;

/// The parts of a request that a plan uses.
#[derive(Clone, Debug, Default)]
pub struct UsedParts {
    /// The indices of the used values in `RequestReading::said`.
    pub values: BTreeSet<usize>,
    /// The positions of words that imply a value and are none themselves.
    pub places: Vec<Range<usize>>,
}

impl UsedParts {
    /// Returns the parts that the given parameters use. A bare word that no other word ties to its parameter does not
    /// count: it explains nothing.
    pub fn of<'a>(
        reading: &RequestReading,
        bound: impl Iterator<Item = &'a BoundParameter> + Clone,
    ) -> Self {
        let is_word =
            |at: usize| reading.said.get(at).is_some_and(|one| one.kind == ValueKind::Word);
        let meant = |(at, told): &(usize, bool)| *told || !is_word(*at);
        let values = bound.clone().filter_map(said).filter(meant).map(|(at, _)| at).collect();
        Self { values, places: bound.filter_map(|one| one.place.clone()).collect() }
    }
}

impl UsedParts {
    /// Returns the positions of all used parts, including the keys of values.
    fn places(&self, reading: &RequestReading) -> Vec<Range<usize>> {
        let values = self.values.iter().filter_map(|at| reading.said.get(*at));
        values.map(|one| reading.with_key(one)).chain(self.places.iter().cloned()).collect()
    }

    /// Returns true if a path, a date, a quote or a similar value is unused: without it the plan would do something
    /// else.
    pub fn leaves_out(&self, reading: &RequestReading) -> bool {
        let used = self.places(reading);
        let is_used = |one: &FoundValue| used.iter().any(|it| overlap(it, &(one.from..one.to)));
        reading.said.iter().any(|one| is_certain(one.kind) && !is_used(one))
    }
}

/// Returns the index of a parameter's value in `RequestReading::said`, and its `told` flag.
fn said(bound: &BoundParameter) -> Option<(usize, bool)> {
    match bound.source.as_ref()? {
        BindingSource::Said { said, told, .. } => Some((*said, *told)),
        BindingSource::Output { .. } | BindingSource::Given { .. } => None,
    }
}

/// Returns the confidence of a plan that knows some words of a request and uses some of its values.
pub fn sureness(reading: &RequestReading, known: &BTreeSet<String>, used: &UsedParts) -> Sureness {
    let mut sum = CoverageSum::default();
    let used = used.places(reading);
    let is_used = |place: &Range<usize>| used.iter().any(|it| overlap(it, place));
    let values = values(reading);
    for place in &values {
        let text = reading.text.get(place.clone()).unwrap_or_default();
        // A single Chinese numeral is often part of a word.
        let is_numeral = text.chars().count() == 1 && text.chars().all(is_ideograph);
        if is_used(place) {
            sum.add(WEIGHTS.sureness.used_value, true, text);
        } else if !is_numeral {
            sum.add(WEIGHTS.sureness.unused_value, false, text);
        }
    }
    for token in &reading.tokens {
        let is_value = |place: &Range<usize>| values.iter().any(|it| overlap(it, place));
        if token.text.chars().all(is_ideograph) {
            of_chinese(token, (&is_value, &is_used), known, &mut sum);
        } else if !is_value(&token.place) && !is_manner(&token.text) && !token.stems.is_empty() {
            let is_known = token.stems.iter().all(|stem| known.contains(stem));
            sum.add(WEIGHTS.sureness.word, is_used(&token.place) || is_known, &token.text);
        }
    }
    sum.sureness()
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Returns the positions of values; overlapping readings are merged into one.
fn values(reading: &RequestReading) -> Vec<Range<usize>> {
    let own = reading.said.iter().filter(|one| stands_for_itself(one));
    let mut places: Vec<Range<usize>> = own.map(|one| one.from..one.to).collect();
    places.sort_by_key(|place| place.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for place in places {
        match merged.last_mut().filter(|last| place.start < last.end) {
            Some(last) => last.end = last.end.max(place.end),
            None => merged.push(place),
        }
    }
    merged
}

/// Returns the words of a request that at least one of the tools knows.
pub fn known<'a>(
    reading: &RequestReading,
    search: &LexicalSearch,
    tools: impl Iterator<Item = &'a ToolId>,
) -> BTreeSet<String> {
    let whole = reading.words_of(&(0..reading.text.len()));
    tools.flat_map(|tool| search.known_to(tool, &whole)).collect()
}

/// Returns true if values of this kind cannot be mistaken for plain words.
pub(super) fn is_certain(kind: ValueKind) -> bool {
    matches!(
        kind,
        ValueKind::Quote
            | ValueKind::Url
            | ValueKind::Email
            | ValueKind::Path
            | ValueKind::Date
            | ValueKind::DateTime
            | ValueKind::Json
    )
}

/// Returns true if a value is recognizable by its form alone. Words and names are not.
fn stands_for_itself(said: &FoundValue) -> bool {
    !matches!(
        said.kind,
        ValueKind::Word
            | ValueKind::Name
            | ValueKind::Boolean
            | ValueKind::List
            | ValueKind::Label
            | ValueKind::Unit
    )
}

/// A predicate on a position in the request.
type PositionPredicate<'a> = &'a dyn Fn(&Range<usize>) -> bool;

/// Counts a run of Chinese characters. A character is explained if it is used or part of a known pair of characters;
/// filler characters and characters of values do not count.
fn of_chinese(
    run: &WordToken,
    (is_value, is_used): (PositionPredicate<'_>, PositionPredicate<'_>),
    known: &BTreeSet<String>,
    sum: &mut CoverageSum,
) {
    let places: Vec<Range<usize>> = run
        .text
        .char_indices()
        .map(|(at, c)| run.place.start + at..run.place.start + at + c.len_utf8())
        .collect();
    let characters: Vec<char> = run.text.chars().collect();
    let mut explained: Vec<bool> = places.iter().map(is_used).collect();
    for (at, pair) in characters.windows(2).enumerate() {
        let pair: String = pair.iter().collect();
        if words(&pair).iter().all(|word| known.contains(word)) {
            explained.iter_mut().skip(at).take(2).for_each(|it| *it = true);
        }
    }
    let mut open = String::new();
    let told =
        telling(&run.text).into_iter().zip(&places).map(|(tells, it)| tells && !is_value(it));
    for ((c, explained), tells) in characters.iter().zip(explained).zip(told) {
        if tells && !explained {
            open.push(*c);
            continue;
        }
        sum.open(std::mem::take(&mut open));
        if tells {
            sum.add(WEIGHTS.sureness.character, true, "");
        }
    }
    sum.open(open);
}

/// The accumulated weights.
#[derive(Default)]
struct CoverageSum {
    all: f32,
    explained: f32,
    unexplained: Vec<String>,
}

impl CoverageSum {
    fn add(&mut self, weight: f32, explained: bool, text: &str) {
        self.all += weight;
        if explained {
            self.explained += weight;
        } else {
            self.unexplained.push(text.to_owned());
        }
    }

    /// Adds unexplained Chinese text.
    #[expect(clippy::cast_precision_loss, reason = "characters of a run")]
    fn open(&mut self, text: String) {
        if !text.is_empty() {
            self.all += WEIGHTS.sureness.character * text.chars().count() as f32;
            self.unexplained.push(text);
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    fn sureness(self) -> Sureness {
        let share = if self.all > 0.0 { self.explained / self.all } else { 0.0 };
        let mut unexplained = self.unexplained;
        unexplained.truncate(MOST_TOLD);
        Sureness { percent: (100.0 * share).round() as u32, unexplained }
    }
}
