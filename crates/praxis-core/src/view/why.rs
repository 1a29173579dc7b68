//! The origins of a step's arguments: placeholders are resolved again, values come from the journal.
//!
//! If resolving gives another value than the journal, the journal wins and `lookup` shows the other value.

use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::{
    ContextLayer, Hole, LoadedBlobs, MissingValue, OnUnresolved, Origin, blobs_needed, places,
    resolve,
};
use crate::dataflow::template::{ParameterTemplate, PlaceholderTarget};
use crate::ids::{BlobId, StepId, TaskId};
use crate::journal::rung::RecoveryRung;
use crate::journal::selection::SelectionMethod;
use crate::journal::slot::SlotSource;
use crate::mask::{HIDDEN, is_secret_key, masked_under};
use crate::payload::{Payload, StoredField};
use crate::pointer::{first, pointer_to};
use crate::state::State;
use crate::state::step::{SentCall, Step};
use serde::Serialize;
use serde_json::Value;

/// The origin of one value in a step's arguments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArgumentOrigin {
    /// The JSON pointer in the arguments.
    pub pointer: String,
    /// The placeholder or literal as planned.
    pub written: String,
    /// The value; `None` if it is in a blob or missing.
    pub value: Option<Value>,
    /// The blob that holds the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<BlobId>,
    /// The resolved value, if it differs from the recorded one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lookup: Option<Value>,
    /// The origin of the value.
    pub source: ValueOrigin,
}

impl ArgumentOrigin {
    /// Returns true if a rule removed the value: it was planned and not sent.
    pub fn is_left_out(&self) -> bool {
        matches!(self.source, ValueOrigin::Rule { left_out: true, .. })
    }
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum ValueOrigin {
    /// A literal of the plan.
    Literal,
    /// Initial metadata.
    Initial,
    /// Initial metadata, from the defaults of the workflow that the plan follows.
    Default {
        /// The workflow.
        workflow: String,
    },
    /// A value stated in the goal.
    Said,
    /// Runtime metadata.
    Runtime {
        /// The step that wrote it last.
        step: StepId,
        /// The values that it hides: earlier writers, latest first, then initial metadata.
        shadows: Vec<String>,
    },
    /// The result of a step.
    Result {
        /// The step.
        step: StepId,
    },
    /// A variable of a frame.
    Variable {
        /// The path of the frame.
        frame: String,
        /// The variable.
        name: String,
    },
    /// A value that was found for a missing parameter.
    Slot {
        /// The source of the value.
        found: SlotSource,
        /// The confidence in percent.
        confidence: u32,
    },
    /// A person, in answer to a question.
    Person {
        /// The person.
        by: String,
        /// The question.
        question: String,
    },
    /// Corrected by a recovery rule, without a model.
    Rule {
        /// The reason.
        reason: String,
        /// True if the rule removed the planned parameter.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        left_out: bool,
    },
    /// Filled in or changed by a model during recovery.
    Inferred {
        /// The model.
        by: String,
        /// The rung of recovery.
        rung: RecoveryRung,
        /// The reason.
        reason: String,
    },
    /// Set when the task was forked.
    Override {
        /// The person who forked the task.
        by: String,
    },
    /// Sent by the task that this one was forked from.
    Inherited {
        /// The parent task.
        task: TaskId,
    },
    /// Unresolved: the placeholder stayed as written.
    Kept,
    /// Missing: no call was made.
    Missing {
        /// The placeholder and the reason.
        miss: MissingValue,
    },
}

/// Returns the origins of all arguments of a step in the current state.
pub fn reasons(state: &State, step: &Step, blobs: &LoadedBlobs) -> Vec<ArgumentOrigin> {
    let mut reasons = trace(state, step, blobs);
    match &step.sent {
        Some(sent) => reasons.iter_mut().for_each(|reason| fill(reason, sent)),
        None => fill_resolved(&mut reasons, state, step, blobs),
    }
    reasons.iter_mut().for_each(hide);
    reasons
}

/// Returns true if the step belongs to the lexical plan, whose literals come from the goal. A later revision may be
/// written by a person.
fn is_lexical_plan(state: &State, step: &Step) -> bool {
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    step.revision == 1 && chosen.is_some_and(|chosen| chosen.by == SelectionMethod::Offline)
}

/// Returns the origin of every value, without the recorded values.
pub(crate) fn trace(state: &State, step: &Step, blobs: &LoadedBlobs) -> Vec<ArgumentOrigin> {
    let misses = if step.sent.is_none() { misses(state, step, blobs) } else { vec![] };
    let found = places(&step.template, &state.context);
    let placed = found.iter().map(|origin| {
        let written = origin.placeholder.source.to_string();
        let pointer = origin.placeholder.pointer.to_string();
        let is_this = |miss: &&MissingValue| miss.placeholder == written && miss.pointer == pointer;
        let miss = misses.iter().find(is_this).filter(|_| origin.place == ContextLayer::Kept);
        let source = match miss {
            Some(miss) => ValueOrigin::Missing { miss: miss.clone() },
            None => source(origin, state),
        };
        reason(pointer, written, source)
    });
    let mut reasons: Vec<ArgumentOrigin> = placed.collect();
    literals(&step.template, "", &mut reasons);
    if is_lexical_plan(state, step) {
        for reason in reasons.iter_mut().filter(|reason| reason.source == ValueOrigin::Literal) {
            reason.source = ValueOrigin::Said;
        }
    }
    reasons.retain(|reason| !step.given.contains_key(&reason.pointer));
    reasons.extend(given(step));
    reasons.sort_by(|a, b| a.pointer.cmp(&b.pointer));
    note_differences(&mut reasons, state, step, blobs);
    reasons
}

/// Returns the origins of the arguments that the parent of a fork sent.
pub(crate) fn inherited(sent: &SentCall, task: &TaskId) -> Vec<ArgumentOrigin> {
    let names = sent.arguments.field_names().unwrap_or_default();
    let reason = |name: &str| {
        let source = ValueOrigin::Inherited { task: task.clone() };
        reason(pointer_to("", name), String::new(), source)
    };
    names.into_iter().map(reason).collect()
}

fn reason(pointer: String, written: String, source: ValueOrigin) -> ArgumentOrigin {
    ArgumentOrigin { pointer, written, value: None, blob: None, lookup: None, source }
}

fn given(step: &Step) -> impl Iterator<Item = ArgumentOrigin> {
    step.given.iter().map(|(pointer, given)| {
        let by = given.by.clone();
        if let Some((found, confidence)) = &given.slot {
            let source = ValueOrigin::Slot { found: found.clone(), confidence: *confidence };
            return reason(pointer.clone(), String::new(), source);
        }
        let source = match (&given.rung, &given.question) {
            (Some((RecoveryRung::Class, reason)), _) => {
                ValueOrigin::Rule { reason: reason.clone(), left_out: given.left_out }
            }
            (
                Some((
                    rung @ (RecoveryRung::Inference
                    | RecoveryRung::RetryWithParams
                    | RecoveryRung::RetryWithTool
                    | RecoveryRung::Repair),
                    reason,
                )),
                _,
            ) => ValueOrigin::Inferred { by, rung: *rung, reason: reason.clone() },
            (None, Some(question)) => ValueOrigin::Person { by, question: question.to_string() },
            (None, None) => ValueOrigin::Override { by },
        };
        reason(pointer.clone(), String::new(), source)
    })
}

fn misses(state: &State, step: &Step, blobs: &LoadedBlobs) -> Vec<MissingValue> {
    resolve(&step.template, &state.context, blobs, OnUnresolved::Error).err().unwrap_or_default()
}

/// Fills in the recorded value.
pub(crate) fn fill(reason: &mut ArgumentOrigin, sent: &SentCall) {
    let is_here = |hole: &&Hole| *hole.at == *reason.pointer;
    if let Some(hole) = sent.holes.iter().find(is_here) {
        reason.blob = Some(hole.blob.clone());
        return;
    }
    match &sent.arguments {
        Payload::Json(arguments) => reason.value = arguments.pointer(&reason.pointer).cloned(),
        Payload::Blob(stored) => {
            // Small fields are kept next to the reference.
            let (first, rest) = split(&reason.pointer);
            match stored.fields.get(first.as_str()) {
                Some(StoredField::Json(value)) => reason.value = value.pointer(rest).cloned(),
                Some(StoredField::InBlob(_)) | None => reason.blob = Some(stored.blob.clone()),
            }
        }
    }
}

/// Splits a pointer into its first key and the rest.
fn split(pointer: &str) -> (String, &str) {
    first(pointer).unwrap_or_default()
}

/// Fills in the values that a call would send now.
fn fill_resolved(reasons: &mut [ArgumentOrigin], state: &State, step: &Step, blobs: &LoadedBlobs) {
    let resolved = resolve(&step.template, &state.context, blobs, OnUnresolved::Keep);
    let Ok(resolved) = resolved else { return };
    for reason in reasons.iter_mut().filter(|r| !matches!(r.source, ValueOrigin::Missing { .. })) {
        match resolved.holes.iter().find(|hole| *hole.at == *reason.pointer) {
            Some(hole) => reason.blob = Some(hole.blob.clone()),
            None => reason.value = resolved.value.pointer(&reason.pointer).cloned(),
        }
        // A part of a blob that was not loaded has an origin but no value: its placeholder is still in the text.
        let text = reason.value.as_ref().and_then(Value::as_str).unwrap_or_default();
        let unread = !matches!(reason.source, ValueOrigin::Kept | ValueOrigin::Literal)
            && !reason.written.is_empty()
            && text.contains(&reason.written);
        reason.value = reason.value.take().filter(|_| !unread);
    }
}

/// Sets `lookup` for values that resolve differently now. Needs all blobs to be loaded.
fn note_differences(
    reasons: &mut [ArgumentOrigin],
    state: &State,
    step: &Step,
    blobs: &LoadedBlobs,
) {
    let Some(SentCall { arguments: Payload::Json(arguments), holes, .. }) = &step.sent else {
        return;
    };
    let needed = blobs_needed(&step.template, &state.context);
    if needed.iter().any(|id| !blobs.contains_key(id)) {
        return;
    }
    let again = resolve(&step.template, &state.context, blobs, OnUnresolved::Keep);
    let Ok(again) = again else { return };
    for reason in reasons {
        let is_hole = |hole: &Hole| *hole.at == *reason.pointer;
        let (then, now) =
            (arguments.pointer(&reason.pointer), again.value.pointer(&reason.pointer));
        if then != now && !holes.iter().chain(&again.holes).any(is_hole) {
            reason.lookup = Some(now.cloned().unwrap_or_default());
        }
    }
}

/// Masks secrets, and values below a key that names a secret.
pub(crate) fn hide(reason: &mut ArgumentOrigin) {
    let telling = reason.pointer.split('/').find(|key| is_secret_key(key));
    let key = telling.unwrap_or_default();
    for value in [&mut reason.value, &mut reason.lookup].into_iter().flatten() {
        *value = masked_under(key, value).into_owned();
    }
    if matches!(reason.source, ValueOrigin::Literal | ValueOrigin::Said) && telling.is_some() {
        HIDDEN.clone_into(&mut reason.written);
    }
}

/// Returns the origin of initial metadata, which a fork may have replaced.
fn initial(origin: &Origin<'_>, state: &State) -> ValueOrigin {
    let (PlaceholderTarget::Name { name, .. } | PlaceholderTarget::Initial { name, .. }) =
        &origin.placeholder.target
    else {
        return ValueOrigin::Initial;
    };
    let parent = state.submission.as_ref().and_then(|submission| submission.parent.as_ref());
    let set = parent.filter(|parent| parent.set.iter().any(|key| **key == **name));
    let given = || metadata_origin(state, name).unwrap_or(ValueOrigin::Initial);
    set.map_or_else(given, |parent| ValueOrigin::Override { by: parent.by.clone() })
}

/// Returns the origin of metadata that came from the goal or from the workflow defaults.
fn metadata_origin(state: &State, name: &str) -> Option<ValueOrigin> {
    let selection = state.goal.as_deref()?.planning.selection.as_ref()?;
    if selection.said.contains_key(name) {
        return Some(ValueOrigin::Said);
    }
    let workflow = selection.workflow.clone()?;
    selection.defaults.contains_key(name).then_some(ValueOrigin::Default { workflow })
}

/// Collects the largest parts of the parameters that contain no placeholder.
fn literals(template: &ParameterTemplate, pointer: &str, found: &mut Vec<ArgumentOrigin>) {
    let mut below = |key: &str, inner: &ParameterTemplate| {
        literals(inner, &pointer_to(pointer, key), found);
    };
    match template {
        ParameterTemplate::Object(entries) => {
            for (key, inner) in entries {
                below(key, inner);
            }
        }
        ParameterTemplate::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| below(&index.to_string(), item));
        }
        ParameterTemplate::Literal(Value::Object(map)) if pointer.is_empty() => {
            for (key, value) in map {
                found.push(reason(pointer_to("", key), value.to_string(), ValueOrigin::Literal));
            }
        }
        ParameterTemplate::Literal(value) => {
            found.push(reason(pointer.to_owned(), value.to_string(), ValueOrigin::Literal));
        }
        ParameterTemplate::Whole(_) | ParameterTemplate::Text(_) => {}
    }
}

fn source(origin: &Origin<'_>, state: &State) -> ValueOrigin {
    let context = &state.context;
    let id = |step: StepIndex| context.id_of(step).cloned().unwrap_or_else(|| StepId::from("?"));
    match origin.place {
        ContextLayer::Initial => initial(origin, state),
        ContextLayer::Result(step) => ValueOrigin::Result { step: id(step) },
        ContextLayer::Kept => ValueOrigin::Kept,
        ContextLayer::Variable => match &origin.placeholder.target {
            PlaceholderTarget::Variable { frame, name, .. } => {
                ValueOrigin::Variable { frame: frame.to_string(), name: name.to_string() }
            }
            PlaceholderTarget::Name { .. }
            | PlaceholderTarget::Output { .. }
            | PlaceholderTarget::Field { .. }
            | PlaceholderTarget::Initial { .. }
            | PlaceholderTarget::UnknownStep { .. }
            | PlaceholderTarget::Malformed(_) => ValueOrigin::Kept,
        },
        ContextLayer::Runtime(step) => {
            let name = match &origin.placeholder.target {
                PlaceholderTarget::Name { name, prefixed, .. } if prefixed.is_empty() => Some(name),
                PlaceholderTarget::Name { .. }
                | PlaceholderTarget::Output { .. }
                | PlaceholderTarget::Field { .. }
                | PlaceholderTarget::Variable { .. }
                | PlaceholderTarget::Initial { .. }
                | PlaceholderTarget::UnknownStep { .. }
                | PlaceholderTarget::Malformed(_) => None,
            };
            let shadows = name.map_or(vec![], |name| {
                let earlier = context.shadowed(name).into_iter().map(|id| format!("step `{id}`"));
                let initial =
                    context.initial().contains_key(name).then(|| "initial metadata".to_owned());
                earlier.chain(initial).collect()
            });
            ValueOrigin::Runtime { step: id(step), shadows }
        }
    }
}
