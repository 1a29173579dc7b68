//! The values available to one step, scored for each of its parameters.

use super::bind::{BindingSource, BoundParameter, StepToBind};
use super::fit::{ValueFit, fit, overlap};
use super::needs::ToolField;
use super::reading::RequestReading;
use super::sense::{is_content, is_count, is_file, time_of};
use super::supply::supply;
use super::values::{FoundValue, ValueKind};
use crate::lexicon::{en, zh};
use crate::retrieve::words::words;
use crate::weights::{StepWeights, WEIGHTS};
use praxis_core::call::risk::Risk;

const STEP: StepWeights = WEIGHTS.step;

/// The values available to one step.
pub(super) struct StepInputs<'a> {
    pub(super) reading: &'a RequestReading,
    pub(super) part: &'a StepToBind<'a>,
    done: &'a [Vec<BoundParameter>],
    pub(super) outputs: Vec<KnownOutput<'a>>,
    /// For each value, the number of values of the same kind before it in the pieces of this step.
    places: Vec<usize>,
    /// True if words of the step refer to the previous result.
    pub(super) points_back: bool,
}

/// An output of an earlier step, or metadata that the caller gave.
pub(super) struct KnownOutput<'a> {
    /// The index of the step; `None` for metadata.
    pub(super) step: Option<usize>,
    pub(super) slot: &'a ToolField,
    /// The share of its name that occurs in the pieces of this step.
    mentioned: f32,
}

impl KnownOutput<'_> {
    pub(super) fn source(&self) -> BindingSource {
        match self.step {
            Some(step) => BindingSource::Output { step, path: self.slot.path.clone() },
            None => BindingSource::Given { key: self.slot.path.concat() },
        }
    }
}

impl<'a> StepInputs<'a> {
    pub(super) fn of(
        reading: &'a RequestReading,
        part: &'a StepToBind<'a>,
        before: &'a [StepToBind<'a>],
        done: &'a [Vec<BoundParameter>],
    ) -> Self {
        let own = part.pieces.clone().filter_map(|piece| reading.pieces.get(piece));
        let text: String = own.map(|piece| reading.words_of(piece) + " ").collect();
        let told = words(&text);
        let output = |step, slot: &'a ToolField| KnownOutput {
            step,
            slot,
            mentioned: overlap(&slot.name, &told),
        };
        let mut outputs: Vec<KnownOutput<'a>> =
            reading.given.iter().map(|slot| output(None, slot)).collect();
        for (step, part) in before.iter().enumerate() {
            outputs.extend(part.known.gives.iter().map(|slot| output(Some(step), slot)));
        }
        let lower = text.to_lowercase();
        let points_back =
            lower.split(|c: char| !c.is_alphanumeric()).any(|word| en::POINTS_BACK.contains(&word))
                || zh::POINTS_BACK.iter().any(|word| lower.contains(word));
        let places = places(reading, part);
        Self { reading, part, done, outputs, places, points_back }
    }

    /// Scores each value of the request for a parameter.
    pub(super) fn said(&self, place: usize, slot: &ToolField) -> Vec<Option<ValueFit>> {
        let one = |(at, said): (usize, &FoundValue)| {
            let own = self.part.pieces.contains(&self.reading.piece_at(said.from));
            if (said.kind == ValueKind::Word && (!own || self.is_a_name(said)))
                || self.is_a_mention(said)
                || self.is_elsewhere(at, said, slot)
            {
                return None;
            }
            let mut found = fit(self.reading, said, slot)?;
            found.score -= self.out_of_order(at, place);
            if self.is_inside(said) {
                found.score -= STEP.inside;
            }
            if !own {
                found.score -= STEP.away;
            }
            if !own && self.is_used_otherwise(at, slot) {
                found.score -= STEP.used;
            }
            let least = if slot.required { STEP.least_said } else { STEP.least_said_freely };
            (found.score >= least).then_some(found)
        };
        self.reading.said.iter().enumerate().map(one).collect()
    }

    /// Scores each output for a parameter.
    #[expect(clippy::cast_precision_loss, reason = "a few steps")]
    pub(super) fn supplied(&self, slot: &ToolField) -> impl Iterator<Item = Option<f32>> {
        let steps = self.outputs.iter().filter_map(|output| output.step).max();
        let steps = steps.map_or(0, |last| last + 1);
        let least = if slot.required { STEP.least_supplied } else { STEP.least_supplied_freely };
        // An optional count or duration is stated by the user or left to the tool; no output supplies it.
        let is_told_alone = !slot.required && (is_count(slot) || time_of(slot).is_some());
        self.outputs.iter().map(move |output| {
            let fits = self.serves(output, slot)? + STEP.mention * output.mentioned;
            if is_told_alone && output.step.is_some() {
                return None;
            }
            let Some(step) = output.step else {
                let same = if output.slot.name == slot.name { STEP.given } else { 0.0 };
                return (fits + same >= least).then_some(fits + same);
            };
            let ago = steps.saturating_sub(step);
            let back = if self.points_back && ago == 1 { STEP.pointed } else { 0.0 };
            let score = fits + back
                - STEP.ago * ago as f32
                - if self.is_superseded(output) { STEP.superseded } else { 0.0 };
            (score >= least).then_some(score)
        })
    }

    /// Returns true if a date or time is only a part of a `DateTime`.
    fn is_inside(&self, said: &FoundValue) -> bool {
        matches!(said.kind, ValueKind::Date | ValueKind::Time)
            && self.reading.said.iter().any(|other| {
                other.kind == ValueKind::DateTime && other.from <= said.from && said.to <= other.to
            })
    }

    /// Returns true if a file belongs elsewhere: a step that was added for one file takes no other one.
    fn is_elsewhere(&self, at: usize, said: &FoundValue, slot: &ToolField) -> bool {
        let other = self.part.file.is_some_and(|file| file != at);
        // A tool that writes content takes its file only from its own pieces.
        let own = self.part.pieces.contains(&self.reading.piece_at(said.from));
        let writes = self.part.known.tool.risk() > Risk::Read && is_file(slot);
        (other && (said.kind == ValueKind::Path || is_file(slot)))
            || (writes && !own && self.part.known.needs.iter().any(is_content))
    }

    /// Scores an output. An output with the name of a parameter of its step also counts as the output that this
    /// parameter took.
    fn serves(&self, output: &KnownOutput<'_>, slot: &ToolField) -> Option<f32> {
        let own = supply(output.slot, slot);
        let taken = output.step.and_then(|step| self.done.get(step)).into_iter().flatten();
        let same = taken.into_iter().find(|one| one.slot.path == output.slot.path);
        let of = same.and_then(|one| match &one.source {
            Some(BindingSource::Output { step, path }) => Some((*step, path)),
            Some(BindingSource::Said { .. } | BindingSource::Given { .. }) | None => None,
        });
        let before = of.and_then(|(step, path)| {
            let is_it =
                |other: &&KnownOutput<'_>| other.step == Some(step) && other.slot.path == *path;
            self.outputs.iter().find(is_it)
        });
        let takes = slot.takes(output.slot.shape);
        let stands = before.filter(|_| takes).and_then(|before| supply(before.slot, slot));
        match (own, stands) {
            (Some(own), Some(stands)) => Some(own.max(stands)),
            (own, stands) => own.or(stands),
        }
    }

    /// Returns true if another step took the output and outputs a new version of it, which later steps should use.
    fn is_superseded(&self, output: &KnownOutput<'_>) -> bool {
        self.done.iter().enumerate().any(|(step, bound)| {
            let took = bound.iter().any(|one| match &one.source {
                Some(BindingSource::Output { step, path }) => {
                    Some(*step) == output.step && *path == output.slot.path
                }
                Some(BindingSource::Said { .. } | BindingSource::Given { .. }) | None => false,
            });
            let gives = self.outputs.iter().filter(|other| other.step == Some(step));
            let goes_on = |other: &KnownOutput<'_>| {
                overlap(&output.slot.name, &other.slot.name) >= STEP.alike
                    || bound
                        .iter()
                        .any(|one| one.slot.path == other.slot.path && is_content(&one.slot))
            };
            took && gives.into_iter().any(goes_on)
        })
    }

    /// Returns the penalty for a value out of order: values mostly come in the order of the parameters.
    #[expect(clippy::cast_precision_loss, reason = "a few values")]
    fn out_of_order(&self, at: usize, place: usize) -> f32 {
        let own = self.places.get(at).copied().unwrap_or_default();
        STEP.out_of_order * own.abs_diff(place).min(6) as f32
    }

    /// Returns true if a word only names a parameter or the tool, and is no value.
    fn is_a_name(&self, said: &FoundValue) -> bool {
        let own = words(said.value.as_str().unwrap_or_default());
        let all_in = |others: &[String]| own.iter().all(|word| others.contains(word));
        self.part.known.needs.iter().any(|slot| all_in(&slot.name))
            || all_in(&words(self.part.known.tool.id.as_str()))
    }

    /// Returns true if a word names an output of an earlier step, and is no value.
    fn is_a_mention(&self, said: &FoundValue) -> bool {
        let may = matches!(said.kind, ValueKind::Word | ValueKind::Name);
        let own = words(said.value.as_str().unwrap_or_default());
        may && self.outputs.iter().any(|output| overlap(&output.slot.name, &own) >= STEP.is_mention)
    }

    /// Returns true if an earlier step uses the value for a different parameter.
    fn is_used_otherwise(&self, at: usize, slot: &ToolField) -> bool {
        self.done.iter().flatten().any(|bound| match &bound.source {
            Some(BindingSource::Said { said, .. }) => {
                *said == at && overlap(&slot.name, &bound.slot.name) < STEP.other_use
            }
            Some(BindingSource::Output { .. } | BindingSource::Given { .. }) | None => false,
        })
    }
}

fn places(reading: &RequestReading, part: &StepToBind<'_>) -> Vec<usize> {
    let mut counts: Vec<(ValueKind, usize)> = Vec::new();
    let place = |said: &FoundValue| {
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
