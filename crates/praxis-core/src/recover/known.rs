//! Values that a task knows by name.
//!
//! - in: the name of a parameter
//! - out: the only value with this or nearly this name: from metadata, else from the output of an earlier step
//! - never: chooses between two values, or makes one up

use crate::dataflow::context::StepIndex;
use crate::payload::PayloadValue;
use crate::state::State;
use serde_json::Value;

/// Returns the only value with this name, or with a name one word longer or shorter: `city` for `city_name`.
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

/// Returns true if no earlier writer of this name wrote a different value.
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
