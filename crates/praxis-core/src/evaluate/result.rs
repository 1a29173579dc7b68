//! The result of a task: the outputs that no other step reads, prepared for a model or a person.
//!
//! - in: the state, and the blobs that [`blobs`] returned
//! - out: outputs by step: whole if they fit, else their extracts, else cut with their structure kept
//! - never: shows a secret, or more tokens than fit

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

/// Longer texts are estimated and not counted: counting takes a second for every few megabytes.
const COUNTED_BYTES: usize = 1024 * 1024;

/// Returns the steps whose outputs no other step reads. Dependencies are no help here: a step that was planned later
/// does not depend on steps that had already ended.
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

/// Returns the last steps that succeeded, with their outputs.
pub(super) fn given(state: &State) -> impl Iterator<Item = (&Step, &Payload)> {
    let given = |step: &'_ Step| {
        let index = state.context.index_of(step.plan.id.as_str())?;
        Some(&state.context.result(index)?.output)
    };
    let succeeded = last_steps(state).filter(|step| step.status == StepStatus::Success);
    succeeded.filter_map(move |step| Some((step, given(step)?)))
}

/// Returns the blobs that must be loaded to show the result.
pub fn blobs(state: &State) -> Vec<BlobId> {
    let taken = state.goal.iter().flat_map(|goal_state| goal_state.evaluation.extracts.values());
    given(state).map(|(_, output)| output).chain(taken).filter_map(Payload::blob).cloned().collect()
}

/// Returns the whole value with its secrets masked. A blob that is not loaded is replaced by its preview.
pub(super) fn whole(payload: &Payload, blobs: &LoadedBlobs) -> Value {
    match payload {
        Payload::Json(value) => masked(value).into_owned(),
        Payload::Blob(stored) => blobs.get(&stored.blob).map_or_else(
            || Value::from(stored.preview.clone()),
            |value| masked(value).into_owned(),
        ),
    }
}

/// Returns the token counter for a text of this length: `Estimate` above `COUNTED_BYTES`.
pub(super) fn counter<'a>(text: &str, tokens: &'a dyn TokenCounter) -> &'a dyn TokenCounter {
    const GUESS: &Estimate = &Estimate::PLAIN;
    if text.len() > COUNTED_BYTES { GUESS } else { tokens }
}

/// Returns the token limit for one output in the prompt of `purpose`.
pub(super) fn most(state: &State, inputs: &Inputs<'_>, purpose: &Purpose) -> u64 {
    let most = state.goal_spec().map_or(0, |spec| spec.manner.output_tokens);
    u64::from(most).min(compose::room(state, inputs, purpose))
}

/// Returns the result for a model. `hidden` leaves out the outputs that the log shows whole.
pub(super) fn for_model(
    state: &State,
    inputs: &Inputs<'_>,
    (purpose, hidden): (&Purpose, bool),
) -> Value {
    let most = most(state, inputs, purpose);
    let extracts = state.goal.as_deref().map(|goal_state| &goal_state.evaluation.extracts);
    let wanted = given(state).filter(|(_, output)| !hidden || goal_log::shown(output).1);
    let shown = wanted.map(|(step, output)| {
        let taken = extracts.and_then(|extracts| extracts.get(&step.plan.id));
        let value = whole(taken.unwrap_or(output), inputs.blobs);
        (step.plan.id.to_string(), cut(&value, most, inputs.tokens))
    });
    // Outputs that fit one by one may be too long together.
    let all = Value::Object(shown.collect());
    cut(&all, compose::room(state, inputs, purpose), inputs.tokens)
}

/// Returns the result for a person, used if no model writes the answer.
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
