//! Binds lists of numbers: `divide 98765 by 24` has two, and `multiply that by 3` starts with the result of the
//! previous step.

use super::bind::{BindingSource, BoundParameter, StepToBind};
use super::needs::{ToolField, ValueShape};
use super::reading::RequestReading;
use super::values::{FoundValue, ValueKind};
use crate::weights::WEIGHTS;
use serde_json::Value;

/// The maximum number of items in a list.
const MOST: usize = 100;

/// Fills a required list of numbers or objects, if it got at most one item, with all that are left in the step. A
/// single one is combined with the output of the previous step, `last`.
pub(super) fn completed(
    reading: &RequestReading,
    part: &StepToBind<'_>,
    bound: Vec<BoundParameter>,
    last: Option<(usize, &ToolField)>,
) -> Vec<BoundParameter> {
    let is_free = |one: &&BoundParameter| {
        let numbers = one
            .slot
            .items
            .as_ref()
            .filter(|items| items.schema.get("type").is_some())
            .is_some_and(|items| wanted(items).is_some());
        numbers && one.slot.required && is_short(one)
    };
    let Some(list) = bound.iter().find(is_free).map(|one| one.slot.clone()) else { return bound };
    let others: Vec<BoundParameter> =
        bound.iter().filter(|one| one.slot.path != list.path).cloned().collect();
    let Some(kind) = list.items.as_deref().and_then(wanted) else { return bound };
    let found = left(reading, part, &others, kind);
    let before = last.filter(|_| found.len() == 1);
    if found.is_empty() || (found.len() == 1 && before.is_none()) {
        return bound;
    }
    let items = list.items.as_deref().unwrap_or(&list);
    let place = |at: usize| items.at([list.path.clone(), vec![at.to_string()]].concat());
    let given = before.map(|(step, slot)| BindingSource::Output { step, path: slot.path.clone() });
    let said =
        found.into_iter().map(|(at, value)| BindingSource::Said { value, said: at, told: true });
    let sources = given.into_iter().chain(said).take(MOST).enumerate();
    let parts = sources.map(|(at, source)| BoundParameter {
        slot: place(at),
        source: Some(source),
        score: WEIGHTS.step.certain,
        place: None,
    });
    others.iter().cloned().chain(parts).collect()
}

/// The type of a list's items.
#[derive(Clone, Copy)]
enum ListElement {
    Numbers,
    Objects,
}

impl ListElement {
    fn is(self, said: &FoundValue) -> bool {
        match self {
            Self::Numbers => {
                let counts =
                    matches!(said.kind, ValueKind::Number | ValueKind::Money | ValueKind::Percent);
                counts && said.value.is_number()
            }
            Self::Objects => said.kind == ValueKind::Json,
        }
    }
}

fn wanted(items: &ToolField) -> Option<ListElement> {
    if items.takes(ValueShape::Number) || items.takes(ValueShape::Integer) {
        return Some(ListElement::Numbers);
    }
    items.takes(ValueShape::Object).then_some(ListElement::Objects)
}

/// Returns true if a list has at most one item.
fn is_short(bound: &BoundParameter) -> bool {
    match &bound.source {
        None => true,
        Some(BindingSource::Said { value, .. }) => {
            value.as_array().is_some_and(|all| all.len() < 2)
        }
        Some(BindingSource::Output { .. } | BindingSource::Given { .. }) => false,
    }
}

/// Returns the numbers or objects in the pieces of a step that no other parameter uses.
fn left(
    reading: &RequestReading,
    part: &StepToBind<'_>,
    others: &[BoundParameter],
    wanted: ListElement,
) -> Vec<(usize, Value)> {
    let used: Vec<&FoundValue> = others
        .iter()
        .filter_map(BoundParameter::said)
        .filter_map(|at| reading.said.get(at))
        .collect();
    let overlaps =
        |one: &FoundValue, other: &FoundValue| one.from < other.to && other.from < one.to;
    let free = reading.said.iter().enumerate().filter(|(_, one)| {
        wanted.is(one)
            && part.pieces.contains(&reading.piece_at(one.from))
            && !used.iter().any(|other| overlaps(one, other))
            && !reading
                .said
                .iter()
                .any(|other| is_larger(other) && !wanted.is(other) && overlaps(one, other))
    });
    let mut found: Vec<(usize, &FoundValue)> = free.collect();
    found.sort_by_key(|(_, one)| one.from);
    found.dedup_by_key(|(_, one)| one.from);
    found.into_iter().map(|(at, one)| (at, one.value.clone())).collect()
}

/// Returns true if numbers inside the value are not values of their own.
fn is_larger(said: &FoundValue) -> bool {
    matches!(
        said.kind,
        ValueKind::Date
            | ValueKind::DateTime
            | ValueKind::Time
            | ValueKind::Path
            | ValueKind::Url
            | ValueKind::Quote
            | ValueKind::Json
    )
}
