//! The result: what the steps gave that nothing else reads, as a model or a person is shown it.
//!
//! - in: the state, and the blobs that [`blobs`] names
//! - out: outputs by step: whole where they fit, else what was taken out of them, else cut with their structure kept
//! - never: shows a secret, or more than there is room for

use crate::ask::purpose::Purpose;
use crate::ask::tokens::{Estimate, TokenCounter};
use crate::ask::trim;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::LoadedBlobs;
use crate::ids::BlobId;
use crate::inputs::Inputs;
use crate::mask::masked;
use crate::payload::Payload;
use crate::stage::compose;
use crate::state::State;
use crate::state::goal_log;
use crate::state::step::{Step, StepStatus};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A text that is longer is not counted but guessed: counting takes a second for every few megabytes.
const COUNTED_BYTES: usize = 1024 * 1024;

/// The steps whose outputs no other one reads. That one waits for another says nothing here: what has ended before a
/// step was planned is not waited for.
pub(super) fn last_steps(state: &State) -> impl Iterator<Item = &Step> {
    let there = || state.steps.iter().filter(|step| !step.dropped);
    let mut needed: BTreeSet<StepIndex> = BTreeSet::new();
    for step in there() {
        let gathered = step.plan.actions.iter();
        needed.extend(gathered.filter_map(|id| state.context.index_of(id.as_str())));
        needed.extend(step.template.steps_read());
    }
    let is_needed = move |step: &&Step| {
        state.context.index_of(step.plan.id.as_str()).is_some_and(|index| needed.contains(&index))
    };
    there().filter(move |step| !is_needed(step))
}

/// The last steps that gave something, and what.
pub(super) fn given(state: &State) -> impl Iterator<Item = (&Step, &Payload)> {
    let given = |step: &'_ Step| {
        let index = state.context.index_of(step.plan.id.as_str())?;
        Some(&state.context.result(index)?.output)
    };
    let succeeded = last_steps(state).filter(|step| step.status == StepStatus::Success);
    succeeded.filter_map(move |step| Some((step, given(step)?)))
}

/// The blobs that must be at hand to show the result.
pub fn blobs(state: &State) -> Vec<BlobId> {
    let taken = state.goal.iter().flat_map(|goal_state| goal_state.evaluation.extracts.values());
    given(state).map(|(_, output)| output).chain(taken).filter_map(Payload::blob).cloned().collect()
}

/// A value as it is, without its secrets. A blob that is not at hand shows how it begins.
pub(super) fn whole(payload: &Payload, blobs: &LoadedBlobs) -> Value {
    match payload {
        Payload::Json(value) => masked(value).into_owned(),
        Payload::Blob(stored) => blobs.get(&stored.blob).map_or_else(
            || Value::from(stored.preview.clone()),
            |value| masked(value).into_owned(),
        ),
    }
}

/// Who counts a text of this length.
pub(super) fn counter<'a>(text: &str, tokens: &'a dyn TokenCounter) -> &'a dyn TokenCounter {
    const GUESS: &Estimate = &Estimate::PLAIN;
    if text.len() > COUNTED_BYTES { GUESS } else { tokens }
}

/// How many tokens one output may have when it is shown for an errand.
pub(super) fn most(state: &State, inputs: &Inputs<'_>, errand: &Purpose) -> u64 {
    let most = state.brief().map_or(0, |brief| brief.manner.output_tokens);
    u64::from(most).min(compose::room(state, inputs, errand))
}

/// The result for a model. `hidden` leaves out what the log shows whole.
pub(super) fn for_model(
    state: &State,
    inputs: &Inputs<'_>,
    (errand, hidden): (&Purpose, bool),
) -> Value {
    let most = most(state, inputs, errand);
    let extracts = state.goal.as_deref().map(|goal_state| &goal_state.evaluation.extracts);
    let wanted = given(state).filter(|(_, output)| !hidden || goal_log::shown(output).1);
    let shown = wanted.map(|(step, output)| {
        let taken = extracts.and_then(|extracts| extracts.get(&step.plan.id));
        let value = whole(taken.unwrap_or(output), inputs.blobs);
        (step.plan.id.to_string(), cut(&value, most, inputs.tokens))
    });
    // Many that fit one by one may be too much together.
    let all = Value::Object(shown.collect());
    cut(&all, compose::room(state, inputs, errand), inputs.tokens)
}

/// The result as a person gets it where no model puts it into words.
pub(super) fn for_person(state: &State, blobs: &LoadedBlobs, most: u64) -> Value {
    let shown = given(state).map(|(step, output)| {
        let value = cut(&whole(output, blobs), most, &Estimate::PLAIN);
        (step.plan.id.to_string(), value)
    });
    Value::Object(shown.collect::<Map<_, _>>())
}

fn cut(value: &Value, most: u64, tokens: &dyn TokenCounter) -> Value {
    trim::value(value, most, counter(&value.to_string(), tokens))
}
