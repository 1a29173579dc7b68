//! Extracts the passages that the goal needs from an output that is too long for a prompt.
//!
//! - in: an output, and the passages that a model quoted from it
//! - out: passages of the output, verbatim
//! - never: keeps a passage that does not occur in the output

use super::result::{self, counter, given, whole};
use crate::ask::purpose::Purpose;
use crate::ask::request::ModelRequest;
use crate::ids::{BlobId, StepId};
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::payload::{Payload, text_is_within};
use crate::problem::Problem;
use crate::prompt::schema;
use crate::stage::compose::{self, StageTexts, request};
use crate::stage::reading::{ReadAnswer, texts, unfit};
use crate::state::State;
use serde_json::Value;

/// The largest number of passages that are kept.
const MOST_EXCERPTS: usize = 1000;

/// Returns the extraction that must run before the model is asked for `before`: its output is too long to be shown
/// there, but fits the context of the extracting model.
pub fn due(state: &State, inputs: &Inputs<'_>, before: &Purpose) -> Option<Purpose> {
    if !matches!(before, Purpose::Evaluate | Purpose::Report) {
        return None;
    }
    let (spec, goal_state) = (state.goal_spec()?, state.goal.as_deref()?);
    let most = result::most(state, inputs, before);
    given(state).find_map(|(step, output)| {
        let purpose = Purpose::Extract { step: step.plan.id.clone() };
        spec.model_for(&purpose)?;
        let open = !goal_state.evaluation.extracts.contains_key(&step.plan.id)
            && !goal_state.is_unanswered(&purpose);
        let length = (open && may_exceed(output, most)).then(|| tokens(output, inputs))?;
        (length > most && length <= compose::room(state, inputs, &purpose)).then_some(purpose)
    })
}

/// Returns true if the output may have more than `most` tokens. A token has at least one byte, so most outputs need
/// not be counted.
fn may_exceed(output: &Payload, most: u64) -> bool {
    match output {
        Payload::Json(value) => !text_is_within(value, usize::try_from(most).unwrap_or(usize::MAX)),
        Payload::Blob(stored) => stored.bytes > most,
    }
}

fn tokens(output: &Payload, inputs: &Inputs<'_>) -> u64 {
    let text = plain(&whole(output, inputs.blobs));
    counter(&text, inputs.tokens).count(&text)
}

/// Returns the text that the model reads: a string as it is, any other value as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn output<'a>(state: &'a State, step: &StepId) -> Option<&'a Payload> {
    given(state).find(|(last, _)| last.plan.id == *step).map(|(_, output)| output)
}

/// Returns the request for the passages.
pub fn ask(state: &State, inputs: &Inputs<'_>, step: &StepId) -> Option<ModelRequest> {
    let purpose = Purpose::Extract { step: step.clone() };
    let text = plain(&whole(output(state, step)?, inputs.blobs));
    let length = length(state, inputs, &purpose).to_string();
    let holes = [("step", step.as_str()), ("length", &*length), ("text", &*text)];
    let wanted = schema("extraction")?;
    let stage = StageTexts { purpose: &purpose, part: "extraction", holes: &holes, schema: wanted };
    request(state, inputs.library?, inputs.tokens, &stage)
}

/// Returns the token limit of all passages together: no more than can be shown in a report, and no more than three
/// quarters of the model's output limit, because the JSON of the reply takes room too.
fn length(state: &State, inputs: &Inputs<'_>, purpose: &Purpose) -> u64 {
    let pinned_model = state.goal_spec().and_then(|spec| spec.model_for(purpose));
    let answer = pinned_model.map_or(0, |pinned_model| u64::from(pinned_model.max_output) * 3 / 4);
    answer.min(result::most(state, inputs, &Purpose::Report))
}

/// Reads the passages from the reply. Those that do not occur in the output are left out.
pub fn read(state: &State, found: &ReadAnswer, step: &StepId, inputs: &Inputs<'_>) -> Event {
    let purpose = Purpose::Extract { step: step.clone() };
    let source = output(state, step).map(|output| whole(output, inputs.blobs)).unwrap_or_default();
    let places = places(&source);
    let stands = |excerpt: &String| {
        let excerpt = spaced(excerpt);
        !excerpt.is_empty() && places.iter().any(|place| place.contains(&excerpt))
    };
    let said = texts(&found.value, "excerpts");
    let count = said.len();
    let kept: Vec<String> = said.into_iter().filter(stands).take(MOST_EXCERPTS).collect();
    if kept.is_empty() {
        let (en, zh) = ("no passage occurs verbatim in the text", "没有任何摘录与原文逐字一致");
        return unfit(found, &purpose, vec![Problem::new("not_verbatim", "/excerpts", (en, zh))]);
    }
    let left_out = u32::try_from(count - kept.len()).unwrap_or(u32::MAX);
    let text = plain(&source);
    let of = counter(&text, inputs.tokens).count(&text);
    let excerpts = Payload::json(Value::from(kept));
    Event::OutputExtracted { step: step.clone(), excerpts, of, left_out }
}

/// Returns the texts that a passage may be found in: the text as it was sent, and every string inside it. A model
/// quotes such a string with its real line breaks and quotes, not with their JSON escapes.
fn places(source: &Value) -> Vec<String> {
    fn leaves(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => out.push(spaced(text)),
            Value::Array(items) => items.iter().for_each(|item| leaves(item, out)),
            Value::Object(map) => map.values().for_each(|value| leaves(value, out)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut places = vec![spaced(&plain(source))];
    leaves(source, &mut places);
    places
}

/// Collapses whitespace, because models break lines freely.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the blobs that must be loaded to read an answer.
pub fn needs(state: &State, ask: u32) -> Vec<BlobId> {
    let asking = state.goal.as_deref().and_then(|goal_state| goal_state.asks.under_way.get(&ask));
    let Some(Purpose::Extract { step }) = asking.map(|asking| &asking.purpose) else {
        return vec![];
    };
    output(state, step).and_then(Payload::blob).cloned().into_iter().collect()
}
