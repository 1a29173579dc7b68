//! Completes the parameters that no single value fills: choices implied by words, lists, and inputs supplied by other
//! steps.

use super::bind::{BindingSource, BoundParameter};
use super::items::{is_phrase, items, told_by};
use super::meaning::{MeaningMatch, hits};
use super::needs::{ToolField, ValueShape};
use super::numbers;
use super::step::StepInputs;
use crate::weights::WEIGHTS;

impl<'a> StepInputs<'a> {
    /// Adds choices implied by words, inputs supplied by other steps, and lists.
    pub(super) fn completed(&self, mut bound: Vec<BoundParameter>) -> Vec<BoundParameter> {
        for one in &mut bound {
            let means = !one.slot.choices.is_empty() || one.slot.shape == ValueShape::Boolean;
            if means && one.source.is_none() {
                self.told(one);
            }
        }
        let mut bound = self.with_fed(bound);
        let used: Vec<usize> = bound.iter().filter_map(BoundParameter::said).collect();
        let items = items(self.reading, self.part, &used);
        bound.extend(items);
        numbers::completed(self.reading, self.part, bound, self.last())
    }

    /// Adds the inputs that other steps supply; each item of a list may come from a different step.
    fn with_fed(&self, mut bound: Vec<BoundParameter>) -> Vec<BoundParameter> {
        for fed in &self.part.fed {
            let first = fed.slot.first();
            let Some(slot) = self.part.known.needs.iter().find(|slot| slot.path.first() == first)
            else {
                continue;
            };
            let inner = slot.items.as_deref().filter(|_| fed.slot.len() > 1);
            let slot = inner.unwrap_or(slot).at(fed.slot.clone());
            let source = Some(BindingSource::Output { step: fed.step, path: fed.output.clone() });
            bound.push(BoundParameter { slot, source, score: WEIGHTS.step.certain, place: None });
        }
        bound
    }

    /// Binds a parameter to the choice that the words of the step imply, or a long phrase anywhere in the request.
    fn told(&self, one: &mut BoundParameter) {
        let own = hits(self.reading, &self.part.pieces, &one.slot);
        let far = || {
            let all = 0..self.reading.pieces.len();
            hits(self.reading, &all, &one.slot).into_iter().find(is_phrase)
        };
        let longest = |hit: &MeaningMatch| (hit.place.len(), usize::MAX - hit.place.start);
        let Some(hit) = own.into_iter().max_by_key(longest).or_else(far) else { return };
        *one = told_by(&one.slot, &hit);
    }

    /// Returns the first numeric output of the previous step, if the words of this step refer to it.
    fn last(&self) -> Option<(usize, &'a ToolField)> {
        let step = self.outputs.iter().filter_map(|output| output.step).max()?;
        let gives = self.outputs.iter().filter(|output| output.step == Some(step));
        let number =
            |slot: &ToolField| matches!(slot.shape, ValueShape::Integer | ValueShape::Number);
        let first = gives.map(|output| output.slot).find(|slot| number(slot))?;
        self.points_back.then_some((step, first))
    }
}
