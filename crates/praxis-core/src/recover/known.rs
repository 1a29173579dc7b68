//! Values that a task knows by name.
//!
//! - in: the name of a parameter
//! - out: the only value that has this name, or nearly: from metadata, else from what an earlier step gave
//! - never: picks one of two values, or makes one up

use crate::dataflow::context::StepIndex;
use crate::payload::PayloadValue;
use crate::state::State;
use serde_json::Value;

/// The only value with this name, or with one that has a word more or less: `city` for `city_name`.
pub fn known_as(state: &State, name: &str) -> Option<Value> {
    let all = state.context.all_metadata();
    if let Some(datum) = all.get(name) {
        return value(datum).filter(|found| is_alone(state, name, found));
    }
    if let [step] = state.context.unsynced(name) {
        return value(&output(state, *step, name)?);
    }
    let own: Vec<&str> = name.split('_').collect();
    let alike = |other: &str| {
        let theirs: Vec<&str> = other.split('_').collect();
        let (short, long) =
            if own.len() < theirs.len() { (&own, &theirs) } else { (&theirs, &own) };
        short.len() + 1 == long.len() && (long.starts_with(short) || long.ends_with(short))
    };
    let mut found = all.iter().filter(|(other, _)| alike(other));
    let (other, datum) = found.next()?;
    let only = found.next().is_none();
    value(datum).filter(|found| only && is_alone(state, other, found))
}

/// Whether no other step gave another value under this name.
fn is_alone(state: &State, name: &str, found: &Value) -> bool {
    let writers = state.context.shadowed(name).into_iter();
    let mut writers = writers.filter_map(|id| state.context.index_of(id.as_str()));
    writers
        .all(|step| matches!(output(state, step, name), Some(PayloadValue::Value(v)) if v == found))
}

fn output<'a>(state: &'a State, step: StepIndex, field: &str) -> Option<PayloadValue<'a>> {
    state.context.result(step)?.output.field(field)
}

fn value(datum: &PayloadValue<'_>) -> Option<Value> {
    match datum {
        PayloadValue::Value(value) => Some((*value).clone()),
        PayloadValue::InBlob { .. } => None,
    }
}
