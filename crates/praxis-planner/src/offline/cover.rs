//! Scores a tool by the values of a piece of the request: they should fit its parameters, and leave none open.
//!
//! - in: a piece of a request, and a tool
//! - out: the share of the values that fit a parameter, minus a penalty for the required parameters that stay open
//! - never: counts one value twice

use super::coverage::is_certain;
use super::fit::fit;
use super::items::is_of_items;
use super::meaning::hits;
use super::needs::{PlannerTool, ToolField, ValueShape};
use super::reading::RequestReading;
use super::sense::{is_column, is_content, is_file};
use super::values::{FoundValue, ValueKind};
use crate::retrieve::words::words;
use crate::weights::WEIGHTS;
use praxis_core::call::risk::Risk;
use std::ops::Range;

/// The maximum number of values per piece.
const MOST: usize = 12;

/// Returns the values of a piece that are recognizable by their form or have a key.
pub(super) fn values<'a>(reading: &'a RequestReading, piece: &Range<usize>) -> Vec<&'a FoundValue> {
    let mut found: Vec<&FoundValue> = Vec::new();
    for one in reading.said.iter().filter(|one| piece.start <= one.from && one.to <= piece.end) {
        let by_form = is_certain(one.kind)
            || matches!(one.kind, ValueKind::Number | ValueKind::Money | ValueKind::List);
        let again = |other: &&FoundValue| other.from < one.to && one.from < other.to;
        if (by_form || one.key.is_some()) && !found.iter().any(again) {
            found.push(one);
        }
    }
    found.truncate(MOST);
    found
}

/// Returns the score of a tool for the values of a piece; 0 without values.
#[expect(clippy::cast_precision_loss, reason = "a few values")]
pub(super) fn cover(
    reading: &RequestReading,
    pieces: &Range<usize>,
    values: &[&FoundValue],
    known: &PlannerTool<'_>,
) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let mut free: Vec<&ToolField> = known.needs.iter().collect();
    let mut placed = 0.0;
    for one in values {
        let best = free
            .iter()
            .enumerate()
            .filter_map(|(at, slot)| Some((at, fit(reading, one, slot)?.score)))
            .filter(|(_, score)| *score >= WEIGHTS.cover.fits)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((at, _)) = best {
            let slot = free.remove(at);
            placed += 1.0 + reads(one, slot, known);
        } else if one.value.is_number() && known.needs.iter().any(takes_numbers) {
            free.retain(|slot| !takes_numbers(slot));
            placed += 1.0;
        } else if one.kind != ValueKind::Path && known.needs.iter().any(compares) {
            placed += 1.0;
        } else if one.kind == ValueKind::Path
            && let Some(at) = free.iter().position(|slot| is_brought(slot))
        {
            free.remove(at);
            placed += WEIGHTS.cover.content;
        }
    }
    let before = free.len();
    free.retain(|slot| {
        !is_said(slot) || slot.choices.is_empty() || hits(reading, pieces, slot).is_empty()
    });
    let chosen = if free.len() < before { WEIGHTS.cover.chosen } else { 0.0 };
    let needs = known.needs.iter().filter(|slot| is_said(slot)).count().max(1);
    let missed = free.iter().filter(|slot| is_said(slot)).count();
    chosen + placed / values.len() as f32 - WEIGHTS.cover.missed * missed as f32 / needs as f32
}

fn takes_numbers(slot: &ToolField) -> bool {
    let number =
        |items: &ToolField| items.schema.get("type").is_some() && items.takes(ValueShape::Number);
    slot.shape == ValueShape::List && slot.items.as_deref().is_some_and(number)
}

/// Returns true if a parameter takes records that compare a column with a value.
fn compares(slot: &ToolField) -> bool {
    let fields = slot.items.as_ref().map(|items| items.fields.as_slice()).unwrap_or_default();
    let is_value = |field: &ToolField| field.choices.is_empty() && !is_column(field);
    is_of_items(slot) && fields.iter().any(is_value)
}

/// Returns a bonus if a tool that reads files mentions the extension of this file in its description.
fn reads(said: &FoundValue, slot: &ToolField, known: &PlannerTool<'_>) -> f32 {
    let is_read = known.tool.risk() <= Risk::Read && said.kind == ValueKind::Path && is_file(slot);
    let text = said.value.as_str().filter(|_| is_read);
    let ending = text.and_then(|text| text.rsplit_once('.')).map(|(_, ending)| words(ending));
    let about = ending.as_ref().map(|_| words(&known.tool.descriptions())).unwrap_or_default();
    let is_told = ending.is_some_and(|ending| ending.iter().all(|word| about.contains(word)));
    if is_told { WEIGHTS.cover.ending } else { 0.0 }
}

fn is_brought(slot: &ToolField) -> bool {
    slot.required && is_content(slot) && !is_file(slot)
}

/// Returns true if the user has to state a parameter: no step supplies it, and it has no default.
fn is_said(slot: &ToolField) -> bool {
    slot.required && slot.default.is_none() && !is_brought(slot)
}
