//! How much of a goal a plan explains: the words that its tools know, and the values that it uses.
//!
//! - in: a request that was read, and a plan for it
//! - out: the share that is explained, and what is not
//! - never: counts a word for a plan because a file happens to be called so

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

/// So much of what is not explained is told.
const MOST_TOLD: usize = 12;

/// What of a request a plan uses.
#[derive(Clone, Debug, Default)]
pub struct UsedParts {
    /// Which of the things that were said.
    pub values: BTreeSet<usize>,
    /// Where words stand that tell a value and are none.
    pub places: Vec<Range<usize>>,
}

impl UsedParts {
    /// What some parameters use. A word that only happened to be free explains nothing.
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
    /// Where all of it stands, with the keys that say what it is.
    fn places(&self, reading: &RequestReading) -> Vec<Range<usize>> {
        let values = self.values.iter().filter_map(|at| reading.said.get(*at));
        values.map(|one| reading.with_key(one)).chain(self.places.iter().cloned()).collect()
    }

    /// Whether a path, a date or what stands in quotes is left out: what is done without it is something else.
    pub fn leaves_out(&self, reading: &RequestReading) -> bool {
        let used = self.places(reading);
        let is_used = |one: &FoundValue| used.iter().any(|it| overlap(it, &(one.from..one.to)));
        reading.said.iter().any(|one| is_certain(one.kind) && !is_used(one))
    }
}

/// Which thing that was said a parameter is given, and whether the words beside it tell so.
fn said(bound: &BoundParameter) -> Option<(usize, bool)> {
    match bound.source.as_ref()? {
        BindingSource::Said { said, told, .. } => Some((*said, *told)),
        BindingSource::Output { .. } | BindingSource::Given { .. } => None,
    }
}

/// How sure a plan for a request is, which knows some of its words and uses some of its values.
pub fn sureness(reading: &RequestReading, known: &BTreeSet<String>, used: &UsedParts) -> Sureness {
    let mut sum = CoverageSum::default();
    let used = used.places(reading);
    let is_used = |place: &Range<usize>| used.iter().any(|it| overlap(it, place));
    let values = values(reading);
    for place in &values {
        let text = reading.text.get(place.clone()).unwrap_or_default();
        // A single numeral of Chinese is as often a part of a word.
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

/// Where values stand; what several readings have in common is one place.
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

/// The words of a request that some tools know something of.
pub fn known<'a>(
    reading: &RequestReading,
    search: &LexicalSearch,
    tools: impl Iterator<Item = &'a ToolId>,
) -> BTreeSet<String> {
    let whole = reading.words_of(&(0..reading.text.len()));
    tools.flat_map(|tool| search.known_to(tool, &whole)).collect()
}

/// Whether something is a value for sure.
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

/// Whether something is a value by its form alone. Words may be one or not.
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

/// Whether something is true of a place.
type CoverageOf<'a> = &'a dyn Fn(&Range<usize>) -> bool;

/// A run of Chinese: the characters of the pairs that are known are explained, and those of values are none of it.
fn of_chinese(
    run: &WordToken,
    (is_value, is_used): (CoverageOf<'_>, CoverageOf<'_>),
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

/// What is counted together.
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

    /// Chinese that is not explained.
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
