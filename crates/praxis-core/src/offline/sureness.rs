//! How much of a goal a plan explains: the words that its tools know, and the values that it uses.
//!
//! - in: a request that was read, and a plan for it
//! - out: the share that is explained, and what is not
//! - never: counts a word for a plan because a file happens to be called so

use super::bind::{Bound, Source};
use super::manners::{is_manner, telling};
use super::reading::Reading;
use super::text::Token;
use super::values::{Kind, Said};
use crate::ids::ToolId;
use crate::retrieve::search::Search;
use crate::retrieve::words::{is_ideograph, words};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// What a character of Chinese counts, beside an English word.
const CHARACTER: f32 = 0.5;
/// A value counts so much, however long it is.
const VALUE: f32 = 1.0;
/// So much of what is not explained is told.
const MOST_TOLD: usize = 12;

/// How sure a plan is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sureness {
    /// How much of the goal it explains, of 100.
    pub percent: u32,
    /// What it does not explain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexplained: Vec<String>,
}

/// What of a request a plan uses.
#[derive(Clone, Debug, Default)]
pub struct Used {
    /// Which of the things that were said.
    pub values: BTreeSet<usize>,
    /// Where words stand that tell a value and are none.
    pub places: Vec<Range<usize>>,
}

impl Used {
    /// What some parameters use. A word that only happened to be free explains nothing.
    pub fn of<'a>(reading: &Reading, bound: impl Iterator<Item = &'a Bound> + Clone) -> Self {
        let is_word = |at: usize| reading.said.get(at).is_some_and(|one| one.kind == Kind::Word);
        let meant = |(at, told): &(usize, bool)| *told || !is_word(*at);
        let values = bound.clone().filter_map(said).filter(meant).map(|(at, _)| at).collect();
        Self { values, places: bound.filter_map(|one| one.place.clone()).collect() }
    }
}

/// Which thing that was said a parameter is given, and whether the words beside it tell so.
fn said(bound: &Bound) -> Option<(usize, bool)> {
    match bound.source.as_ref()? {
        Source::Said { said, told, .. } => Some((*said, *told)),
        Source::Output { .. } | Source::Given { .. } => None,
    }
}

/// How sure a plan for a request is, which knows some of its words and uses some of its values.
pub fn sureness(reading: &Reading, known: &BTreeSet<String>, used: &Used) -> Sureness {
    let Used { values: used, places } = used;
    let mut sum = Sum::default();
    let values: Vec<&Said> = reading.said.iter().filter(|one| stands_for_itself(one)).collect();
    for (at, one) in reading.said.iter().enumerate() {
        let whole = |other: &usize| {
            reading.said.get(*other).is_some_and(|it| it.from < one.to && one.from < it.to)
        };
        if stands_for_itself(one) {
            let text = reading.text.get(one.from..one.to).unwrap_or_default();
            sum.add(VALUE, used.contains(&at) || used.iter().any(whole), text);
        }
    }
    let used: Vec<&Said> = used.iter().filter_map(|at| reading.said.get(*at)).collect();
    let lies_in =
        |token: &Token, one: &Said| one.from < token.place.end && token.place.start < one.to;
    for token in &reading.tokens {
        if values.iter().any(|one| lies_in(token, one)) {
            continue;
        }
        let is_told = places
            .iter()
            .any(|place| place.start < token.place.end && token.place.start < place.end);
        let is_value = is_told || used.iter().any(|one| lies_in(token, one));
        if token.text.chars().all(is_ideograph) {
            of_chinese(token, is_value, known, &mut sum);
        } else if !is_manner(&token.text) && !token.stems.is_empty() {
            let is_known = token.stems.iter().all(|stem| known.contains(stem));
            sum.add(1.0, is_value || is_known, &token.text);
        }
    }
    sum.sureness()
}

/// The words of a request that some tools know something of.
pub fn known<'a>(
    reading: &Reading,
    search: &Search,
    tools: impl Iterator<Item = &'a ToolId>,
) -> BTreeSet<String> {
    let whole = reading.words_of(&(0..reading.text.len()));
    tools.flat_map(|tool| search.known_to(tool, &whole)).collect()
}

/// Whether something is a value by its form alone. Words may be one or not.
fn stands_for_itself(said: &Said) -> bool {
    match said.kind {
        Kind::Quote
        | Kind::Url
        | Kind::Email
        | Kind::Path
        | Kind::Id
        | Kind::Date
        | Kind::Time
        | Kind::DateTime
        | Kind::Phone
        | Kind::Number
        | Kind::Money
        | Kind::Percent
        | Kind::Span
        | Kind::Json => true,
        Kind::Word | Kind::Name | Kind::Boolean | Kind::List | Kind::Label | Kind::Unit => false,
    }
}

/// A run of Chinese: the characters of the pairs that are known are explained.
fn of_chinese(run: &Token, is_value: bool, known: &BTreeSet<String>, sum: &mut Sum) {
    let characters: Vec<char> = run.text.chars().collect();
    let mut explained = vec![is_value; characters.len()];
    for (at, pair) in characters.windows(2).enumerate() {
        let pair: String = pair.iter().collect();
        if words(&pair).iter().all(|word| known.contains(word)) {
            explained.iter_mut().skip(at).take(2).for_each(|it| *it = true);
        }
    }
    let mut open = String::new();
    for ((c, explained), tells) in characters.iter().zip(explained).zip(telling(&run.text)) {
        if tells && !explained {
            open.push(*c);
            continue;
        }
        sum.open(std::mem::take(&mut open));
        if tells {
            sum.add(CHARACTER, true, "");
        }
    }
    sum.open(open);
}

/// What is counted together.
#[derive(Default)]
struct Sum {
    all: f32,
    explained: f32,
    unexplained: Vec<String>,
}

impl Sum {
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
            self.all += CHARACTER * text.chars().count() as f32;
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
