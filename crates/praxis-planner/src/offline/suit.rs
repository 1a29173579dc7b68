//! Matches kinds of values with the sense of a parameter: a file, a column, a unit, a text, rows.

use super::fit::overlap;
use super::hints;
use super::needs::{ToolField, ValueShape, named};
use super::sense;
use super::values::{FoundValue, ValueKind};
use crate::weights::WEIGHTS;
use serde_json::Value;

/// Returns true for dates and times.
pub(super) fn is_moment(kind: ValueKind) -> bool {
    matches!(kind, ValueKind::Date | ValueKind::DateTime | ValueKind::Time)
}

/// Returns the score of a value's kind for the sense of a parameter; `None` if the parameter cannot take it.
pub(super) fn of_sense(said: &FoundValue, slot: &ToolField) -> Option<f32> {
    let senses = WEIGHTS.senses;
    let of_key = said.key.as_ref().map(|key| overlap(&slot.name, &named(key)));
    let is_keyed = of_key.is_some_and(|share| share > senses.keyed);
    if is_keyed {
        return Some(0.0);
    }
    if matches!(said.kind, ValueKind::Name | ValueKind::Word) && sense::is_moment(slot) {
        return None;
    }
    match said.kind {
        ValueKind::Label => sense::is_column(slot).then_some(senses.column),
        ValueKind::Unit => sense::is_unit(slot).then(|| of_unit(said, slot)),
        ValueKind::Path if sense::is_file(slot) => Some(senses.file),
        ValueKind::Path => {
            (!sense::is_content(slot) && !sense::is_column(slot)).then_some(senses.stray_path)
        }
        ValueKind::Quote if sense::is_file(slot) => {
            Some(if looks_like_a_path(said) { 0.0 } else { senses.quoted_file })
        }
        ValueKind::Quote | ValueKind::Json => Some(0.0),
        ValueKind::List => (!is_made_up(slot) || holds_records(&said.value)).then_some(0.0),
        ValueKind::Number
        | ValueKind::Money
        | ValueKind::Percent
        | ValueKind::Span
        | ValueKind::Date
        | ValueKind::DateTime
            if sense::is_file(slot)
                || sense::is_unit(slot)
                || names_columns(slot)
                || !is_moment(said.kind) && is_text(slot) =>
        {
            None
        }
        ValueKind::Name if is_text(slot) => Some(senses.name_as_text),
        ValueKind::Url
        | ValueKind::Email
        | ValueKind::DateTime
        | ValueKind::Date
        | ValueKind::Time
        | ValueKind::Span
        | ValueKind::Phone
        | ValueKind::Money
        | ValueKind::Percent
        | ValueKind::Boolean
        | ValueKind::Number
        | ValueKind::Id
        | ValueKind::Name
        | ValueKind::Word => (!is_made_up(slot)).then_some(0.0),
    }
}

/// Returns true if it takes a text to process, and no number.
pub(super) fn is_text(slot: &ToolField) -> bool {
    slot.shape == ValueShape::Text && sense::is_content(slot) && !slot.takes(ValueShape::Number)
}

/// Returns true if it takes rows or records, which no single word can state.
fn is_made_up(slot: &ToolField) -> bool {
    let holds = |items: &ToolField| matches!(items.shape, ValueShape::Object | ValueShape::List);
    let is_rows = slot.shape != ValueShape::Any
        && slot.takes(ValueShape::List)
        && (slot.takes(ValueShape::Text) || slot.items.as_deref().is_some_and(holds));
    let is_any = slot.shape == ValueShape::Any && slot.path.len() == 1 && slot.required;
    slot.choices.is_empty() && (is_rows || is_any && sense::is_data(slot))
}

fn holds_records(value: &Value) -> bool {
    value.as_array().is_some_and(|all| all.iter().all(|one| one.is_object() || one.is_array()))
}

/// Returns true if it takes column names and no numbers.
fn names_columns(slot: &ToolField) -> bool {
    sense::is_column(slot) && !slot.takes(ValueShape::Number)
}

fn looks_like_a_path(said: &FoundValue) -> bool {
    let text = said.value.as_str().unwrap_or_default();
    text.contains(['/', '\\', '.']) && !text.contains(char::is_whitespace)
}

/// Returns the score of a unit: the unit of a number is the source unit, a unit without a number the target unit.
fn of_unit(said: &FoundValue, slot: &ToolField) -> f32 {
    let wants = hints::role("to", slot) > 0.0;
    let has = said.unit.is_some();
    if wants == has { WEIGHTS.senses.other_unit } else { WEIGHTS.senses.unit }
}
