//! Which kinds of values a parameter takes, by what it is about: a file, a column, a unit, a text, rows.

use super::fit::overlap;
use super::hints;
use super::needs::{Shape, Slot, named};
use super::sense;
use super::values::{Kind, Said};
use crate::weights::WEIGHTS;
use serde_json::Value;

/// Whether it is a moment in time.
pub(super) fn is_moment(kind: Kind) -> bool {
    matches!(kind, Kind::Date | Kind::DateTime | Kind::Time)
}

/// What the sense of a parameter says for a kind of value; none if it must not be given there.
pub(super) fn of_sense(said: &Said, slot: &Slot) -> Option<f32> {
    let senses = WEIGHTS.senses;
    let of_key = said.key.as_ref().map(|key| overlap(&slot.name, &named(key)));
    let is_keyed = of_key.is_some_and(|share| share > senses.keyed);
    if is_keyed {
        return Some(0.0);
    }
    if matches!(said.kind, Kind::Name | Kind::Word) && sense::is_moment(slot) {
        return None;
    }
    match said.kind {
        Kind::Label => sense::is_column(slot).then_some(senses.column),
        Kind::Unit => sense::is_unit(slot).then(|| of_unit(said, slot)),
        Kind::Path if sense::is_file(slot) => Some(senses.file),
        Kind::Path => {
            (!sense::is_content(slot) && !sense::is_column(slot)).then_some(senses.stray_path)
        }
        Kind::Quote if sense::is_file(slot) => {
            Some(if looks_like_a_path(said) { 0.0 } else { senses.quoted_file })
        }
        Kind::Quote | Kind::Json => Some(0.0),
        Kind::List => (!is_made_up(slot) || holds_records(&said.value)).then_some(0.0),
        Kind::Number | Kind::Money | Kind::Percent | Kind::Span | Kind::Date | Kind::DateTime
            if sense::is_file(slot)
                || sense::is_unit(slot)
                || names_columns(slot)
                || !is_moment(said.kind) && is_text(slot) =>
        {
            None
        }
        Kind::Name if is_text(slot) => Some(senses.name_as_text),
        Kind::Url
        | Kind::Email
        | Kind::DateTime
        | Kind::Date
        | Kind::Time
        | Kind::Span
        | Kind::Phone
        | Kind::Money
        | Kind::Percent
        | Kind::Boolean
        | Kind::Number
        | Kind::Id
        | Kind::Name
        | Kind::Word => (!is_made_up(slot)).then_some(0.0),
    }
}

/// Whether it takes a text that is worked on: a number is none.
pub(super) fn is_text(slot: &Slot) -> bool {
    slot.shape == Shape::Text && sense::is_content(slot) && !slot.takes(Shape::Number)
}

/// Whether it takes rows or records, which nobody says in a word.
fn is_made_up(slot: &Slot) -> bool {
    let holds = |items: &Slot| matches!(items.shape, Shape::Object | Shape::List);
    let is_rows = slot.shape != Shape::Any
        && slot.takes(Shape::List)
        && (slot.takes(Shape::Text) || slot.items.as_deref().is_some_and(holds));
    let is_any = slot.shape == Shape::Any && slot.path.len() == 1 && slot.required;
    slot.choices.is_empty() && (is_rows || is_any && sense::is_data(slot))
}

fn holds_records(value: &Value) -> bool {
    value.as_array().is_some_and(|all| all.iter().all(|one| one.is_object() || one.is_array()))
}

/// Whether it names columns and takes no number beside.
fn names_columns(slot: &Slot) -> bool {
    sense::is_column(slot) && !slot.takes(Shape::Number)
}

fn looks_like_a_path(said: &Said) -> bool {
    let text = said.value.as_str().unwrap_or_default();
    text.contains(['/', '\\', '.']) && !text.contains(char::is_whitespace)
}

/// The unit of a number is the one that it has; a unit by itself is the one that is wanted.
fn of_unit(said: &Said, slot: &Slot) -> f32 {
    let wants = hints::role("to", slot) > 0.0;
    let has = said.unit.is_some();
    if wants == has { WEIGHTS.senses.other_unit } else { WEIGHTS.senses.unit }
}
