//! Finds units as values of their own: `1500 kWh to MWh`, `等于多少兆瓦`.

use super::text::WordToken;
use super::values::{FoundValue, ValueKind, leading_unit};
use crate::lexicon::zh;
use serde_json::Value;

/// Returns the units of the numbers in a text, and the units without a number.
pub fn units(text: &str, tokens: &[WordToken], said: &[FoundValue]) -> Vec<FoundValue> {
    let mut found: Vec<FoundValue> = said.iter().filter_map(of_number).collect();
    let taken = |from: usize, to: usize| {
        let counts = |kind: ValueKind| {
            matches!(kind, ValueKind::Number | ValueKind::Quote | ValueKind::Path | ValueKind::Json)
        };
        said.iter().any(|one| counts(one.kind) && one.from < to && from < one.to)
    };
    for token in tokens {
        let word = text.get(token.place.clone()).unwrap_or_default();
        let marks =
            zh::BEFORE_UNITS.iter().filter_map(|mark| word.find(mark).map(|at| at + mark.len()));
        for at in std::iter::once(0).chain(marks) {
            let lone = leading_unit(word.get(at..).unwrap_or_default());
            let from = token.place.start + at;
            found.extend(lone.filter(|it| !taken(from, from + it.len())).map(|it| unit(from, it)));
        }
    }
    found.dedup_by_key(|one| one.from);
    found
}

fn unit(from: usize, word: &str) -> FoundValue {
    let value = Value::String(word.to_owned());
    FoundValue { from, to: from + word.len(), kind: ValueKind::Unit, value, key: None, unit: None }
}

/// Returns the unit at the end of a number. Its `unit` field is set, which distinguishes it from a unit without a
/// number.
fn of_number(said: &FoundValue) -> Option<FoundValue> {
    let word = said.unit.as_ref().filter(|_| said.kind == ValueKind::Number)?;
    let found = unit(said.to.checked_sub(word.len())?, word);
    Some(FoundValue { unit: Some(word.clone()), ..found })
}
