//! Binds the parameters of the steps of a plan to values of the request or to outputs of earlier steps.
//!
//! - in: a `RequestReading`, and tools in the order of their calls
//! - out: the source of each parameter, or `None`
//! - never: gives one value to two parameters of a step, or invents a value

use super::ambiguous::apart;
use super::fit::ValueFit;
use super::items::is_of_items;
use super::needs::{PlannerTool, ToolField};
use super::reading::RequestReading;
use super::step::{KnownOutput, StepInputs};
use serde_json::Value;
use std::ops::Range;

/// A step whose parameters are to be bound.
#[derive(Clone, Debug)]
pub struct StepToBind<'a> {
    /// The tool that the step calls.
    pub known: &'a PlannerTool<'a>,
    /// The indices of the request's pieces that ask for the step.
    pub pieces: Range<usize>,
    /// The file that the step was added to read, as an index into `RequestReading::said`.
    pub file: Option<usize>,
    /// The parameters that earlier steps were added to supply.
    pub fed: Vec<FedParameter>,
}

impl<'a> StepToBind<'a> {
    /// Creates a step that the given pieces ask for.
    pub fn of(known: &'a PlannerTool<'a>, pieces: Range<usize>) -> Self {
        Self { known, pieces, file: None, fed: vec![] }
    }
}

/// A parameter that an earlier step supplies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FedParameter {
    /// The path of the parameter.
    pub slot: Vec<String>,
    /// The index of the supplying step.
    pub step: usize,
    /// The path of its output field.
    pub output: Vec<String>,
}

/// The source of a parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum BindingSource {
    /// A value that the request states.
    Said {
        /// The value.
        value: Value,
        /// The index in `RequestReading::said`; out of range if the value comes from words that are no value
        /// themselves.
        said: usize,
        /// True if the words next to the value point to this parameter.
        told: bool,
    },
    /// An output of an earlier step.
    Output {
        /// The index of the step.
        step: usize,
        /// The path of the output field.
        path: Vec<String>,
    },
    /// Metadata that the caller gave in addition to the goal.
    Given {
        /// The metadata key.
        key: String,
    },
}

/// A parameter with its source, or without one.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundParameter {
    /// The parameter.
    pub slot: ToolField,
    /// The source of its value; `None` if it is open.
    pub source: Option<BindingSource>,
    /// The score of the match.
    pub score: f32,
    /// The position of the words that imply the value, if they are no value themselves.
    pub place: Option<Range<usize>>,
}

impl BoundParameter {
    /// Returns the index of its value in `RequestReading::said`.
    pub fn said(&self) -> Option<usize> {
        match self.source.as_ref()? {
            BindingSource::Said { said, .. } => Some(*said),
            BindingSource::Output { .. } | BindingSource::Given { .. } => None,
        }
    }
}

/// Binds the parameters of all steps.
pub fn bind(reading: &RequestReading, parts: &[StepToBind<'_>]) -> Vec<Vec<BoundParameter>> {
    let mut all: Vec<Vec<BoundParameter>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let bound = bind_one(reading, part, parts.get(..at).unwrap_or_default(), &all);
        all.push(bound);
    }
    all
}

/// Binds the parameters of one step, given the steps before it and their bound parameters.
pub fn bind_one(
    reading: &RequestReading,
    part: &StepToBind<'_>,
    before: &[StepToBind<'_>],
    done: &[Vec<BoundParameter>],
) -> Vec<BoundParameter> {
    let step = StepInputs::of(reading, part, before, done);
    let is_fed =
        |slot: &ToolField| part.fed.iter().any(|fed| fed.slot.first() == slot.path.first());
    // A step that was added only to read a file gets no optional arguments.
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
