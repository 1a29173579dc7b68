//! Binds list parameters: lists of column names, and lists of records with a column name and details.
//!
//! - in: the pieces of a step, and such parameters
//! - out: their parts, each with its own path: `by`, `0`, `column`
//! - never: returns a record without a required field

use super::bind::{BindingSource, BoundParameter, StepToBind};
use super::meaning::{MeaningMatch, hits};
use super::needs::{ToolField, ValueShape};
use super::reading::RequestReading;
use super::sense::is_column;
use super::values::{FoundValue, ValueKind};
use crate::lexicon::{en, zh};
use crate::weights::WEIGHTS;
use praxis_core::schema::description::descriptions;
use serde_json::Value;
use std::ops::Range;

/// The maximum number of column names per step.
const MOST: usize = 20;

/// A value that may name a column.
#[derive(Clone, Debug)]
struct ColumnName<'a> {
    at: usize,
    said: &'a FoundValue,
    /// True if a word before it asks for grouping or sorting by it.
    groups: bool,
}

/// Returns true if a parameter takes records or column names.
pub fn is_of_items(slot: &ToolField) -> bool {
    slot.shape == ValueShape::List && (is_column(slot) || column_of(slot).is_some())
}

fn column_of(slot: &ToolField) -> Option<&ToolField> {
    let items = slot.items.as_deref().filter(|items| items.shape == ValueShape::Object)?;
    items.fields.iter().find(|field| is_column(field))
}

/// Returns the parts of the list parameters of a step. A parameter without any is returned unbound.
pub fn items(
    reading: &RequestReading,
    part: &StepToBind<'_>,
    used: &[usize],
) -> Vec<BoundParameter> {
    let slots = part.known.needs.iter().filter(|slot| is_of_items(slot));
    // Records choose first: they relate more words to a name than plain lists do.
    let (records, lists): (Vec<&ToolField>, Vec<&ToolField>) =
        slots.partition(|slot| column_of(slot).is_some());
    let mut free = names(reading, part, used);
    let mut all = Vec::new();
    let others = lists.iter().any(|slot| slot.required);
    for slot in records.into_iter().chain(lists) {
        let own = chosen(&free, slot, others);
        let bound = match column_of(slot) {
            Some(column) => self::records(reading, part, (slot, column), &own),
            None => list(slot, &own),
        };
        let took = |name: &ColumnName<'_>| bound.iter().any(|one| took(one, name.at));
        free.retain(|name| !took(name));
        if bound.is_empty() {
            all.push(BoundParameter { slot: slot.clone(), source: None, score: 0.0, place: None });
        }
        all.extend(bound);
    }
    all
}

fn took(bound: &BoundParameter, at: usize) -> bool {
    match &bound.source {
        Some(BindingSource::Said { said, .. }) => *said == at,
        Some(BindingSource::Output { .. } | BindingSource::Given { .. }) | None => false,
    }
}

/// Returns the possible column names in the pieces of a step, in order.
fn names<'a>(
    reading: &'a RequestReading,
    part: &StepToBind<'_>,
    used: &[usize],
) -> Vec<ColumnName<'a>> {
    let mut found: Vec<ColumnName<'a>> = Vec::new();
    let lies_in_used = |said: &FoundValue| {
        used.iter()
            .filter_map(|at| reading.said.get(*at))
            .any(|other| other.from < said.to && said.from < other.to)
    };
    for (at, said) in reading.said.iter().enumerate() {
        let is_told = is_grouped(reading, said) || is_beside_column(reading, said);
        let may = matches!(said.kind, ValueKind::Label | ValueKind::Id)
            || (said.kind == ValueKind::Quote && is_told);
        let own = part.pieces.contains(&reading.piece_at(said.from));
        let again = |name: &ColumnName<'_>| name.said.from < said.to && said.from < name.said.to;
        if may && own && !lies_in_used(said) && !found.iter().any(again) {
            found.push(ColumnName { at, said, groups: is_grouped(reading, said) });
        }
    }
    found.sort_by_key(|name| name.said.from);
    found.truncate(MOST);
    found
}

fn is_grouped(reading: &RequestReading, said: &FoundValue) -> bool {
    let before = reading.text.get(..said.from).unwrap_or_default().trim_end();
    let last: String = before.chars().rev().take_while(char::is_ascii_alphabetic).collect();
    let last: String = last.chars().rev().collect::<String>().to_lowercase();
    en::GROUPINGS.contains(&last.as_str())
        || zh::GROUPINGS.iter().any(|mark| before.ends_with(mark))
}

fn is_beside_column(reading: &RequestReading, said: &FoundValue) -> bool {
    let before = reading.text.get(..said.from).unwrap_or_default().trim_end().to_lowercase();
    let behind = reading.text.get(said.to..).unwrap_or_default().trim_start().to_lowercase();
    let mut words = en::BESIDE_COLUMNS.iter().chain(zh::BESIDE_COLUMNS.iter());
    words.any(|word| before.ends_with(word) || behind.starts_with(word))
}

/// Returns the names that suit a parameter: columns to group by are not columns to measure.
fn chosen<'a>(free: &[ColumnName<'a>], slot: &ToolField, others: bool) -> Vec<ColumnName<'a>> {
    let by = &en::GROUPING_WORDS;
    let is_by = slot.path.last().is_some_and(|name| name.split('_').any(|word| by.contains(&word)));
    let of = |groups: bool| -> Vec<ColumnName<'a>> {
        free.iter().filter(|name| name.groups == groups).cloned().collect()
    };
    let grouped = of(true);
    if is_by && !grouped.is_empty() {
        return grouped;
    }
    if !is_by && others {
        return of(false);
    }
    free.to_vec()
}

fn list(slot: &ToolField, names: &[ColumnName<'_>]) -> Vec<BoundParameter> {
    if !slot.required {
        return vec![];
    }
    let items = slot.items.as_deref().unwrap_or(slot);
    let one = |(place, name): (usize, &ColumnName<'_>)| {
        let path = [slot.path.clone(), vec![place.to_string()]].concat();
        said(items.at(path), name.said.value.clone(), name.at)
    };
    names.iter().enumerate().map(one).collect()
}

fn said(slot: ToolField, value: Value, at: usize) -> BoundParameter {
    let source = Some(BindingSource::Said { value, said: at, told: true });
    BoundParameter { slot, source, score: WEIGHTS.step.certain, place: None }
}

/// Builds a record for each name.
fn records(
    reading: &RequestReading,
    part: &StepToBind<'_>,
    (slot, column): (&ToolField, &ToolField),
    names: &[ColumnName<'_>],
) -> Vec<BoundParameter> {
    let fields = slot.items.as_ref().map(|items| items.fields.clone()).unwrap_or_default();
    let end = part.pieces.clone().filter_map(|at| reading.pieces.get(at)).map(|piece| piece.end);
    let end = end.max().unwrap_or(reading.text.len());
    let mut all = Vec::new();
    let mut count = 0;
    for (place, name) in names.iter().enumerate() {
        let from = place.checked_sub(1).and_then(|before| names.get(before));
        let from = from.map_or(0, |before| before.said.to);
        let to = names.get(place + 1).map_or(end, |next| next.said.from);
        let window =
            ColumnWindow { reading, part, name, around: from..to, alone: names.len() == 1 };
        let path = |field: &ToolField| {
            let last = field.path.last().cloned().unwrap_or_default();
            field.at([slot.path.clone(), vec![count.to_string(), last]].concat())
        };
        let Some(filled) = window.record(&fields, column) else { continue };
        all.extend(filled.into_iter().map(|one| BoundParameter { slot: path(&one.slot), ..one }));
        count += 1;
    }
    all
}

/// A column name and the text around it that describes it.
struct ColumnWindow<'a> {
    reading: &'a RequestReading,
    part: &'a StepToBind<'a>,
    name: &'a ColumnName<'a>,
    around: Range<usize>,
    /// True if it is the only name: then all words of the step describe it.
    alone: bool,
}

impl ColumnWindow<'_> {
    /// Returns the fields of a record; `None` if a required one is missing.
    fn record(&self, fields: &[ToolField], column: &ToolField) -> Option<Vec<BoundParameter>> {
        let mut all = vec![said(column.clone(), self.name.said.value.clone(), self.name.at)];
        let mut told: Option<MeaningMatch> = None;
        for field in fields.iter().filter(|field| !field.choices.is_empty()) {
            match self.hit(field) {
                Some(hit) => {
                    all.push(told_by(field, &hit));
                    told = Some(hit);
                }
                None if field.required => return None,
                None => {}
            }
        }
        let others =
            fields.iter().filter(|field| field.choices.is_empty() && field.path != column.path);
        for field in others.filter(|field| !is_column(field)) {
            match self.value(told.as_ref()) {
                Some((at, value)) => all.push(said(field.clone(), value, at)),
                None if goes_without(field, told.as_ref()) => {}
                None => return None,
            }
        }
        Some(all)
    }

    /// Finds the choice for a field: after the name, before it, or anywhere if there is no other name.
    fn hit(&self, field: &ToolField) -> Option<MeaningMatch> {
        let own = hits(self.reading, &self.part.pieces, field);
        let name = self.name.said;
        let longest = |range: Range<usize>| {
            let inside = own
                .iter()
                .filter(|hit| range.start <= hit.place.start && hit.place.end <= range.end);
            inside.max_by_key(|hit| (hit.place.len(), usize::MAX - hit.place.start)).cloned()
        };
        let near =
            longest(name.to..self.around.end).or_else(|| longest(self.around.start..name.from));
        let all = 0..self.reading.pieces.len();
        near.or_else(|| own.first().filter(|_| self.alone).cloned()).or_else(|| {
            let may = self.alone && !field.required;
            hits(self.reading, &all, field).into_iter().find(|hit| may && is_phrase(hit))
        })
    }

    /// Returns the first value after the choice.
    fn value(&self, told: Option<&MeaningMatch>) -> Option<(usize, Value)> {
        let from = told.map_or(self.name.said.to, |hit| hit.place.end.max(self.name.said.to));
        let mut behind: Vec<(usize, &FoundValue)> = self
            .reading
            .said
            .iter()
            .enumerate()
            .filter(|(_, said)| from <= said.from && said.to <= self.around.end)
            .filter(|(_, said)| {
                !matches!(
                    said.kind,
                    ValueKind::Label | ValueKind::Unit | ValueKind::Path | ValueKind::Span
                )
            })
            .collect();
        behind.sort_by_key(|(_, said)| (said.from, said.kind));
        behind.first().map(|(at, said)| (*at, said.value.clone()))
    }
}

/// Returns true if a match is long enough (in bytes) to be unambiguous anywhere in the request.
pub fn is_phrase(hit: &MeaningMatch) -> bool {
    hit.place.len() >= 9
}

/// Creates a parameter bound to the choice that words imply.
pub fn told_by(slot: &ToolField, hit: &MeaningMatch) -> BoundParameter {
    let source =
        Some(BindingSource::Said { value: hit.value.clone(), said: usize::MAX, told: true });
    BoundParameter {
        slot: slot.clone(),
        source,
        score: WEIGHTS.step.told_choice,
        place: Some(hit.place.clone()),
    }
}

/// Returns true if an optional field may be left out: no choice was found, or the description of the field names that
/// choice.
fn goes_without(field: &ToolField, told: Option<&MeaningMatch>) -> bool {
    let about = descriptions(&field.schema);
    let choice = told.and_then(|hit| hit.value.as_str()).unwrap_or_default();
    let mut names = about.split(|c: char| !c.is_alphanumeric() && c != '_');
    !field.required && (choice.is_empty() || names.any(|name| name == choice))
}
