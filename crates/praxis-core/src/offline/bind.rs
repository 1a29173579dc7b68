//! Fills the parameters of the steps of a plan: with what was said, or with what earlier steps give.
//!
//! - in: a request that was read, and tools in the order in which they are called
//! - out: for each parameter where its value comes from, or nothing
//! - never: gives one value to two parameters of a step, or makes one up

use super::assign::assign;
use super::fit::{Fit, fit, overlap};
use super::items::{is_of_items, is_phrase, items, told_by};
use super::meaning::{Hit, hits};
use super::needs::{Known, Shape, Slot};
use super::numbers;
use super::reading::Reading;
use super::sense::{is_content, is_count, is_file, time_of};
use super::supply::supply;
use super::values::{Kind, Said};
use crate::call::tool::Risk;
use crate::retrieve::words::words;
use serde_json::Value;
use std::ops::Range;

/// A required parameter takes something that fits at least so well.
const LEAST_SAID: f32 = 0.21;
/// A parameter that may be left out takes only this.
const LEAST_SAID_FREELY: f32 = 1.9;
/// The same for outputs of earlier steps.
const LEAST_SUPPLIED: f32 = 1.3;
/// And where the parameter may be left out.
const LEAST_SUPPLIED_FREELY: f32 = 2.2;
/// What another piece says fits so much less.
const AWAY: f32 = 1.65;
/// And so much less again if an earlier step was given it as something else.
const USED: f32 = 1.62;
/// Values come mostly in the order of the parameters: for each place that one is off.
const OUT_OF_ORDER: f32 = 0.07;
/// An output whose whole name this step says fits so much better.
const MENTION: f32 = 1.3;
/// So does one of the step just before, if words point back.
const POINTED: f32 = 0.3;
/// An output fits less for each step that lies between.
const AGO: f32 = 0.25;
/// An output that was gone on with fits so much less.
const SUPERSEDED: f32 = 1.17;
/// What the caller gave under the very name of a parameter is meant for it.
const GIVEN: f32 = 4.0;
/// What was read in two ways is told apart in so many tries.
const MOST_TRIES: usize = 6;
/// What lies inside another value fits so much less.
const INSIDE: f32 = 0.25;
/// From here on two outputs are the same thing at two times.
const ALIKE: f32 = 0.3;

/// A step whose parameters are to be filled.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// What it calls.
    pub known: &'a Known<'a>,
    /// The numbers of the pieces that speak of it.
    pub pieces: Range<usize>,
    /// The file that it is there for, as one of the things that were said.
    pub file: Option<usize>,
    /// What earlier steps are there to bring it.
    pub fed: Vec<Fed>,
}

impl<'a> Part<'a> {
    /// A step that some pieces speak of.
    pub fn of(known: &'a Known<'a>, pieces: Range<usize>) -> Self {
        Self { known, pieces, file: None, fed: vec![] }
    }
}

/// A parameter that an earlier step is there for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fed {
    /// The way to the parameter.
    pub slot: Vec<String>,
    /// The number of the step.
    pub step: usize,
    /// The way to its field.
    pub output: Vec<String>,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// It was said.
    Said {
        /// The value.
        value: Value,
        /// Which of the things that were said; past the last one if words tell it that are no value.
        said: usize,
        /// Whether words beside it tell so.
        told: bool,
    },
    /// An earlier step gives it.
    Output {
        /// Its number.
        step: usize,
        /// The way to the field.
        path: Vec<String>,
    },
    /// The caller gave it beside the words.
    Given {
        /// Its name.
        key: String,
    },
}

/// A parameter that was filled, or that nobody fills.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// Which.
    pub slot: Slot,
    /// From where; none if it is open.
    pub source: Option<Source>,
    /// How well it fits.
    pub score: f32,
    /// Where words stand that tell it and are no value.
    pub place: Option<Range<usize>>,
}

impl Bound {
    /// Which of the things that were said it is.
    pub fn said(&self) -> Option<usize> {
        match self.source.as_ref()? {
            Source::Said { said, .. } => Some(*said),
            Source::Output { .. } | Source::Given { .. } => None,
        }
    }
}

/// The parameters of each step.
pub fn bind(reading: &Reading, parts: &[Part<'_>]) -> Vec<Vec<Bound>> {
    let mut all: Vec<Vec<Bound>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let bound = bind_one(reading, part, parts.get(..at).unwrap_or_default(), &all);
        all.push(bound);
    }
    all
}

/// The parameters of one step, behind others whose parameters are filled.
pub fn bind_one(
    reading: &Reading,
    part: &Part<'_>,
    before: &[Part<'_>],
    done: &[Vec<Bound>],
) -> Vec<Bound> {
    let step = Step::of(reading, part, before, done);
    let is_fed = |slot: &Slot| part.fed.iter().any(|fed| fed.slot.first() == slot.path.first());
    // A step that is only there to bring a file is told nothing else.
    let is_meant = |slot: &Slot| part.file.is_none() || slot.required;
    let is_flat = |slot: &&Slot| !is_of_items(slot) && !is_fed(slot) && is_meant(slot);
    let slots: Vec<&Slot> = part.known.needs.iter().filter(is_flat).collect();
    let fits: Vec<Vec<Option<Fit>>> =
        slots.iter().enumerate().map(|(place, slot)| step.said(place, slot)).collect();
    let mut scores: Vec<Vec<Option<f32>>> = slots
        .iter()
        .zip(&fits)
        .map(|(slot, fits)| {
            let said = fits.iter().map(|fit| fit.as_ref().map(|fit| fit.score));
            said.chain(step.supplied(slot)).collect()
        })
        .collect();
    let given = apart(reading, &mut scores);
    let bound = |(row, slot): (usize, &&Slot)| {
        let column = given.get(row).copied().flatten();
        let score = column.and_then(|column| scores.get(row)?.get(column).copied().flatten());
        let source = column.and_then(|column| match column.checked_sub(reading.said.len()) {
            None => fits.get(row)?.get(column)?.as_ref().map(|fit| Source::Said {
                value: fit.value.clone(),
                said: column,
                told: fit.told,
            }),
            Some(output) => step.outputs.get(output).map(Output::source),
        });
        Bound { slot: (*slot).clone(), source, score: score.unwrap_or_default(), place: None }
    };
    let bound: Vec<Bound> = slots.iter().enumerate().map(bound).collect();
    step.completed(bound)
}

/// The best assignment in which no two parameters get the same words, read in two ways.
fn apart(reading: &Reading, scores: &mut [Vec<Option<f32>>]) -> Vec<Option<usize>> {
    let mut given = assign(scores);
    for _ in 0..MOST_TRIES {
        let Some((row, column)) = overlapping(reading, scores, &given) else { break };
        if let Some(cell) = scores.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = None;
        }
        given = assign(scores);
    }
    given
}

/// Of two parameters with the same words the one that these fit less.
fn overlapping(
    reading: &Reading,
    scores: &[Vec<Option<f32>>],
    given: &[Option<usize>],
) -> Option<(usize, usize)> {
    let place = |column: usize| reading.said.get(column).map(|one| one.from..one.to);
    let score = |row: usize, column: usize| {
        scores.get(row).and_then(|row| row.get(column).copied().flatten()).unwrap_or_default()
    };
    // A unit belongs to its number and is a value of its own too.
    let is_unit =
        |column: usize| reading.said.get(column).is_some_and(|one| one.kind == Kind::Unit);
    let taken: Vec<(usize, usize)> =
        given.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?))).collect();
    for (at, (row, column)) in taken.iter().enumerate() {
        for (other_row, other) in taken.iter().skip(at + 1) {
            let (Some(one), Some(two)) = (place(*column), place(*other)) else { continue };
            if one.start < two.end && two.start < one.end && !is_unit(*column) && !is_unit(*other) {
                let first = score(*row, *column) < score(*other_row, *other);
                return Some(if first { (*row, *column) } else { (*other_row, *other) });
            }
        }
    }
    None
}

/// What can be given to one step.
struct Step<'a> {
    reading: &'a Reading,
    part: &'a Part<'a>,
    done: &'a [Vec<Bound>],
    outputs: Vec<Output<'a>>,
    /// How many of its kind stand before each value in the pieces of this step.
    places: Vec<usize>,
    /// Words point back to what was done just before.
    points_back: bool,
}

/// An output of an earlier step, or what the caller gave.
struct Output<'a> {
    /// The number of the step; none if the caller gave it.
    step: Option<usize>,
    slot: &'a Slot,
    /// How much of its name the pieces of this step say.
    mentioned: f32,
}

impl Output<'_> {
    fn source(&self) -> Source {
        match self.step {
            Some(step) => Source::Output { step, path: self.slot.path.clone() },
            None => Source::Given { key: self.slot.path.concat() },
        }
    }
}

/// Words that point back.
const BACK: [&str; 10] =
    ["calculated", "it", "its", "result", "resulting", "results", "that", "them", "these", "this"];
/// The same in Chinese.
const BACK_ZH: [&str; 5] = ["上述", "其", "它", "结果", "该"];

impl<'a> Step<'a> {
    fn of(
        reading: &'a Reading,
        part: &'a Part<'a>,
        before: &'a [Part<'a>],
        done: &'a [Vec<Bound>],
    ) -> Self {
        let own = part.pieces.clone().filter_map(|piece| reading.pieces.get(piece));
        let text: String = own.map(|piece| reading.words_of(piece) + " ").collect();
        let told = words(&text);
        let output =
            |step, slot: &'a Slot| Output { step, slot, mentioned: overlap(&slot.name, &told) };
        let mut outputs: Vec<Output<'a>> =
            reading.given.iter().map(|slot| output(None, slot)).collect();
        for (step, part) in before.iter().enumerate() {
            outputs.extend(part.known.gives.iter().map(|slot| output(Some(step), slot)));
        }
        let lower = text.to_lowercase();
        let points_back =
            lower.split(|c: char| !c.is_alphanumeric()).any(|word| BACK.contains(&word))
                || BACK_ZH.iter().any(|word| lower.contains(word));
        let places = places(reading, part);
        Self { reading, part, done, outputs, places, points_back }
    }

    /// The same with what words mean that are no value, with what takes several things, and with what others bring.
    fn completed(&self, mut bound: Vec<Bound>) -> Vec<Bound> {
        for one in &mut bound {
            let means = !one.slot.choices.is_empty() || one.slot.shape == Shape::Boolean;
            if means && one.source.is_none() {
                self.told(one);
            }
        }
        let mut bound = self.with_fed(bound);
        let used: Vec<usize> = bound.iter().filter_map(Bound::said).collect();
        let items = items(self.reading, self.part, &used);
        bound.extend(items);
        numbers::completed(self.reading, self.part, bound, self.last())
    }

    /// The same with what other steps are there to bring; of a list each part may be brought by another one.
    fn with_fed(&self, mut bound: Vec<Bound>) -> Vec<Bound> {
        for fed in &self.part.fed {
            let first = fed.slot.first();
            let Some(slot) = self.part.known.needs.iter().find(|slot| slot.path.first() == first)
            else {
                continue;
            };
            let inner = slot.items.as_deref().filter(|_| fed.slot.len() > 1);
            let slot = inner.unwrap_or(slot).at(fed.slot.clone());
            let source = Some(Source::Output { step: fed.step, path: fed.output.clone() });
            bound.push(Bound { slot, source, score: 1.0, place: None });
        }
        bound
    }

    /// The choice that words tell.
    fn told(&self, one: &mut Bound) {
        let own = hits(self.reading, &self.part.pieces, &one.slot);
        let far = || {
            let all = 0..self.reading.pieces.len();
            hits(self.reading, &all, &one.slot).into_iter().find(is_phrase)
        };
        let longest = |hit: &Hit| (hit.place.len(), usize::MAX - hit.place.start);
        let Some(hit) = own.into_iter().max_by_key(longest).or_else(far) else { return };
        *one = told_by(&one.slot, &hit);
    }

    /// What the step just before gives, if words point back to it.
    fn last(&self) -> Option<(usize, &'a Slot)> {
        let step = self.outputs.iter().filter_map(|output| output.step).max()?;
        let gives = self.outputs.iter().filter(|output| output.step == Some(step));
        let number = |slot: &Slot| matches!(slot.shape, Shape::Integer | Shape::Number);
        let first = gives.map(|output| output.slot).find(|slot| number(slot))?;
        self.points_back.then_some((step, first))
    }

    /// What each thing that was said is worth for a parameter.
    fn said(&self, place: usize, slot: &Slot) -> Vec<Option<Fit>> {
        let one = |(at, said): (usize, &Said)| {
            let own = self.part.pieces.contains(&self.reading.piece_at(said.from));
            if (said.kind == Kind::Word && (!own || self.is_a_name(said)))
                || self.is_a_mention(said)
                || self.is_elsewhere(at, said, slot)
            {
                return None;
            }
            let mut found = fit(self.reading, said, slot)?;
            found.score -= self.out_of_order(at, place);
            if self.is_inside(said) {
                found.score -= INSIDE;
            }
            if !own {
                found.score -= AWAY;
            }
            if !own && self.is_used_otherwise(at, slot) {
                found.score -= USED;
            }
            let least = if slot.required { LEAST_SAID } else { LEAST_SAID_FREELY };
            (found.score >= least).then_some(found)
        };
        self.reading.said.iter().enumerate().map(one).collect()
    }

    /// What each output is worth for a parameter.
    #[expect(clippy::cast_precision_loss, reason = "a few steps")]
    fn supplied(&self, slot: &Slot) -> impl Iterator<Item = Option<f32>> {
        let steps = self.outputs.iter().filter_map(|output| output.step).max();
        let steps = steps.map_or(0, |last| last + 1);
        let least = if slot.required { LEAST_SUPPLIED } else { LEAST_SUPPLIED_FREELY };
        // How many are wanted is said, or left to the tool.
        let is_told_alone = !slot.required && (is_count(slot) || time_of(slot).is_some());
        self.outputs.iter().map(move |output| {
            let fits = self.serves(output, slot)? + MENTION * output.mentioned;
            if is_told_alone && output.step.is_some() {
                return None;
            }
            let Some(step) = output.step else {
                let same = if output.slot.name == slot.name { GIVEN } else { 0.0 };
                return (fits + same >= least).then_some(fits + same);
            };
            let ago = steps.saturating_sub(step);
            let back = if self.points_back && ago == 1 { POINTED } else { 0.0 };
            let score = fits + back
                - AGO * ago as f32
                - if self.is_superseded(output) { SUPERSEDED } else { 0.0 };
            (score >= least).then_some(score)
        })
    }

    /// Whether it is only a part of a moment.
    fn is_inside(&self, said: &Said) -> bool {
        matches!(said.kind, Kind::Date | Kind::Time)
            && self.reading.said.iter().any(|other| {
                other.kind == Kind::DateTime && other.from <= said.from && said.to <= other.to
            })
    }

    /// A step that is there for one file takes no other.
    fn is_elsewhere(&self, at: usize, said: &Said, slot: &Slot) -> bool {
        let other = self.part.file.is_some_and(|file| file != at);
        // What is written goes where its own words say.
        let own = self.part.pieces.contains(&self.reading.piece_at(said.from));
        let writes = self.part.known.tool.risk() > Risk::Read && is_file(slot);
        (other && (said.kind == Kind::Path || is_file(slot)))
            || (writes && !own && self.part.known.needs.iter().any(|slot| is_content(slot)))
    }

    /// How well an output fits; what a step gives under the name that it took it by stands for what it took.
    fn serves(&self, output: &Output<'_>, slot: &Slot) -> Option<f32> {
        let own = supply(output.slot, slot);
        let taken = output.step.and_then(|step| self.done.get(step)).into_iter().flatten();
        let same = taken.into_iter().find(|one| one.slot.path == output.slot.path);
        let of = same.and_then(|one| match &one.source {
            Some(Source::Output { step, path }) => Some((*step, path)),
            Some(Source::Said { .. } | Source::Given { .. }) | None => None,
        });
        let before = of.and_then(|(step, path)| {
            let is_it = |other: &&Output<'_>| other.step == Some(step) && other.slot.path == *path;
            self.outputs.iter().find(is_it)
        });
        let takes = slot.takes(output.slot.shape);
        let stands = before.filter(|_| takes).and_then(|before| supply(before.slot, slot));
        match (own, stands) {
            (Some(own), Some(stands)) => Some(own.max(stands)),
            (own, stands) => own.or(stands),
        }
    }

    /// A step between took it and gives something like it: what comes after goes on with that.
    fn is_superseded(&self, output: &Output<'_>) -> bool {
        self.done.iter().enumerate().any(|(step, bound)| {
            let took = bound.iter().any(|one| match &one.source {
                Some(Source::Output { step, path }) => {
                    Some(*step) == output.step && *path == output.slot.path
                }
                Some(Source::Said { .. } | Source::Given { .. }) | None => false,
            });
            let gives = self.outputs.iter().filter(|other| other.step == Some(step));
            let goes_on = |other: &Output<'_>| {
                overlap(&output.slot.name, &other.slot.name) >= ALIKE
                    || bound
                        .iter()
                        .any(|one| one.slot.path == other.slot.path && is_content(&one.slot))
            };
            took && gives.into_iter().any(goes_on)
        })
    }

    /// Values come mostly in the order of the parameters.
    #[expect(clippy::cast_precision_loss, reason = "a few values")]
    fn out_of_order(&self, at: usize, place: usize) -> f32 {
        let own = self.places.get(at).copied().unwrap_or_default();
        OUT_OF_ORDER * own.abs_diff(place).min(6) as f32
    }

    /// What only names a parameter or the tool is no value.
    fn is_a_name(&self, said: &Said) -> bool {
        let own = words(said.value.as_str().unwrap_or_default());
        let all_in = |others: &[String]| own.iter().all(|word| others.contains(word));
        self.part.known.needs.iter().any(|slot| all_in(&slot.name))
            || all_in(&words(self.part.known.tool.id.as_str()))
    }

    /// What names an output of an earlier step stands for that.
    fn is_a_mention(&self, said: &Said) -> bool {
        let may = matches!(said.kind, Kind::Word | Kind::Name);
        let own = words(said.value.as_str().unwrap_or_default());
        may && self.outputs.iter().any(|output| overlap(&output.slot.name, &own) >= 0.6)
    }

    /// An earlier step was given it as something else.
    fn is_used_otherwise(&self, at: usize, slot: &Slot) -> bool {
        self.done.iter().flatten().any(|bound| match &bound.source {
            Some(Source::Said { said, .. }) => {
                *said == at && overlap(&slot.name, &bound.slot.name) < 0.5
            }
            Some(Source::Output { .. } | Source::Given { .. }) | None => false,
        })
    }
}

fn places(reading: &Reading, part: &Part<'_>) -> Vec<usize> {
    let mut counts: Vec<(Kind, usize)> = Vec::new();
    let place = |said: &Said| {
        if !part.pieces.contains(&reading.piece_at(said.from)) {
            return 0;
        }
        match counts.iter_mut().find(|(kind, _)| *kind == said.kind) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                counts.push((said.kind, 0));
                0
            }
        }
    };
    reading.said.iter().map(place).collect()
}
