//! Fills the parameters of the steps of a plan: with what was said, or with what earlier steps give.
//!
//! - in: a request that was read, and tools in the order in which they are called
//! - out: for each parameter where its value comes from, or nothing
//! - never: gives one value to two parameters of a step, or makes one up

use super::ambiguous::apart;
use super::fit::ValueFit;
use super::items::is_of_items;
use super::needs::{PlannerTool, ToolField};
use super::reading::RequestReading;
use super::step::{KnownOutput, StepInputs};
use serde_json::Value;
use std::ops::Range;

/// A step whose parameters are to be filled.
#[derive(Clone, Debug)]
pub struct StepToBind<'a> {
    /// What it calls.
    pub known: &'a PlannerTool<'a>,
    /// The numbers of the pieces that speak of it.
    pub pieces: Range<usize>,
    /// The file that it is there for, as one of the things that were said.
    pub file: Option<usize>,
    /// What earlier steps are there to bring it.
    pub fed: Vec<FedParameter>,
}

impl<'a> StepToBind<'a> {
    /// A step that some pieces speak of.
    pub fn of(known: &'a PlannerTool<'a>, pieces: Range<usize>) -> Self {
        Self { known, pieces, file: None, fed: vec![] }
    }
}

/// A parameter that an earlier step is there for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FedParameter {
    /// The way to the parameter.
    pub slot: Vec<String>,
    /// The number of the step.
    pub step: usize,
    /// The way to its field.
    pub output: Vec<String>,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum BindingSource {
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
pub struct BoundParameter {
    /// Which.
    pub slot: ToolField,
    /// From where; none if it is open.
    pub source: Option<BindingSource>,
    /// How well it fits.
    pub score: f32,
    /// Where words stand that tell it and are no value.
    pub place: Option<Range<usize>>,
}

impl BoundParameter {
    /// Which of the things that were said it is.
    pub fn said(&self) -> Option<usize> {
        match self.source.as_ref()? {
            BindingSource::Said { said, .. } => Some(*said),
            BindingSource::Output { .. } | BindingSource::Given { .. } => None,
        }
    }
}

/// The parameters of each step.
pub fn bind(reading: &RequestReading, parts: &[StepToBind<'_>]) -> Vec<Vec<BoundParameter>> {
    let mut all: Vec<Vec<BoundParameter>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let bound = bind_one(reading, part, parts.get(..at).unwrap_or_default(), &all);
        all.push(bound);
    }
    all
}

/// The parameters of one step, behind others whose parameters are filled.
pub fn bind_one(
    reading: &RequestReading,
    part: &StepToBind<'_>,
    before: &[StepToBind<'_>],
    done: &[Vec<BoundParameter>],
) -> Vec<BoundParameter> {
    let step = StepInputs::of(reading, part, before, done);
    let is_fed =
        |slot: &ToolField| part.fed.iter().any(|fed| fed.slot.first() == slot.path.first());
    // A step that is only there to bring a file is told nothing else.
    let is_meant = |slot: &ToolField| part.file.is_none() || slot.required;
    let is_flat = |slot: &&ToolField| !is_of_items(slot) && !is_fed(slot) && is_meant(slot);
    let slots: Vec<&ToolField> = part.known.needs.iter().filter(is_flat).collect();
    let fits: Vec<Vec<Option<ValueFit>>> =
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
    let bound = |(row, slot): (usize, &&ToolField)| {
        let column = given.get(row).copied().flatten();
        let score = column.and_then(|column| scores.get(row)?.get(column).copied().flatten());
        let source = column.and_then(|column| match column.checked_sub(reading.said.len()) {
            None => fits.get(row)?.get(column)?.as_ref().map(|fit| BindingSource::Said {
                value: fit.value.clone(),
                said: column,
                told: fit.told,
            }),
            Some(output) => step.outputs.get(output).map(KnownOutput::source),
        });
        BoundParameter {
            slot: (*slot).clone(),
            source,
            score: score.unwrap_or_default(),
            place: None,
        }
    };
    let bound: Vec<BoundParameter> = slots.iter().enumerate().map(bound).collect();
    step.completed(bound)
}
