//! The three layers of data that the steps of a task read: initial metadata, runtime metadata, step results.
//!
//! - in: the caller's metadata once, then the result of each step that ended
//! - out: look-ups by name, by step and field, and the merged view
//! - never: changes initial metadata, or copies a value: runtime metadata points into the results
//!
//! A synced value has two names, `field` and `step_field`. The first maps to the steps that wrote it, the latest
//! last, so that `why` can show the shadowed values; the second is derived.

use crate::ids::{StepId, ToolId};
use crate::payload::{Payload, PayloadValue};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The index of a step in its task, in order of planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StepIndex(pub u32);

/// The first index of steps inside frames.
const INNER: u32 = 1 << 31;

impl StepIndex {
    /// Returns the index of the step at a position of the plan.
    pub fn at(place: usize) -> Self {
        Self(u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// Returns true for a step inside a frame.
    pub fn is_inner(self) -> bool {
        self.0 >= INNER
    }
}

/// The result of a step. Kept whole, for failed steps too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepResult {
    /// The id of the step in the plan.
    pub step_id: StepId,
    /// The name of the step in the plan.
    pub step_name: Arc<str>,
    /// The tool that ran; recovery may have replaced the planned one.
    pub tool_id: ToolId,
    /// The output; JSON `null` if there was none.
    pub output: Payload,
    /// True if the call succeeded.
    pub is_success: bool,
    /// The error of a failed call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The duration from start to end.
    pub duration_ms: u64,
}

/// The reason for which no field was copied to runtime metadata. The task goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSynced {
    /// The step failed; only successful steps are synced.
    #[error("the step did not succeed")]
    Failed,
    /// The output has no fields because it is not an object.
    #[error("the output is not a JSON object")]
    NotAnObject,
    /// The step is inside a frame, where its result is read by the name of the step.
    #[error("the step runs inside a loop, a sub-flow or an agent")]
    Inside,
}

/// The data of one task. All iteration orders are deterministic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Context {
    initial: BTreeMap<Arc<str>, Payload>,
    ids: BTreeMap<StepId, StepIndex>,
    slots: Vec<ContextSlot>,
    /// Steps inside frames. Their indices are never reused.
    #[serde(default, skip_serializing_if = "ContextInner::is_unused")]
    inner: ContextInner,
    /// The variables of open frames, by the path of the frame.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    variables: BTreeMap<Arc<str>, Variables>,
    /// The steps that wrote each synced field, the latest last.
    runtime: BTreeMap<Arc<str>, Vec<StepIndex>>,
    /// The steps that have each unsynced top-level field in their results.
    unsynced: BTreeMap<Arc<str>, Vec<StepIndex>>,
}

/// The variables of a frame, in layers of objects: `failure` hides `pass`, which hides `set`, which hides `given`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Variables {
    /// Variables that the frame was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<Payload>,
    /// Variables that its passes set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<Payload>,
    /// Variables of the current pass only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass: Option<Payload>,
    /// The failure in the frame, under [`FAILURE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Payload>,
}

/// The variable that every frame has: its first unhandled failure, else its last handled one, else `null`.
pub const FAILURE: &str = "failure";
static NO_FAILURE: Value = Value::Null;

impl Variables {
    /// Returns the value of a variable.
    pub fn get(&self, name: &str) -> Option<PayloadValue<'_>> {
        let found = self.layers().find_map(|layer| layer.field(name));
        found.or_else(|| (name == FAILURE).then_some(PayloadValue::Value(&NO_FAILURE)))
    }

    /// Returns the names of all variables. A name may occur more than once.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.layers().flat_map(|layer| layer.field_names().unwrap_or_default());
        named.chain([FAILURE])
    }

    fn layers(&self) -> impl Iterator<Item = &Payload> {
        [&self.failure, &self.pass, &self.set, &self.given].into_iter().flatten()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ContextInner {
    next: u32,
    slots: BTreeMap<StepIndex, ContextSlot>,
}

impl ContextInner {
    fn is_unused(&self) -> bool {
        self.next == 0
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ContextSlot {
    id: StepId,
    result: Option<StepResult>,
    synced: Vec<Arc<str>>,
    unsynced: Vec<Arc<str>>,
}

impl Context {
    /// Creates a context from the caller's metadata, whose values never change afterwards.
    pub fn new(initial: BTreeMap<Arc<str>, Payload>) -> Self {
        Self { initial, ..Self::default() }
    }

    /// Creates a context from metadata without large values.
    pub fn of_values(initial: &Map<String, Value>) -> Self {
        let small =
            |(key, value): (&String, &Value)| (key.as_str().into(), Payload::json(value.clone()));
        Self::new(initial.iter().map(small).collect())
    }

    /// Adds the workflow's default metadata. Existing values stay.
    pub fn complete<'a>(&mut self, more: impl Iterator<Item = (&'a String, &'a Value)>) {
        for (key, value) in more {
            let free = self.initial.entry(key.as_str().into());
            free.or_insert_with(|| Payload::json(value.clone()));
        }
    }

    /// Registers a step. The same id always gets the same index.
    pub fn declare(&mut self, id: &StepId) -> StepIndex {
        if let Some(index) = self.ids.get(id) {
            return *index;
        }
        let index = StepIndex::at(self.slots.len());
        self.ids.insert(id.clone(), index);
        self.slots.push(ContextSlot::of(id));
        index
    }

    /// Registers a step inside a frame, until [`Context::let_go`].
    pub fn declare_inner(&mut self, id: &StepId) -> StepIndex {
        let index = StepIndex(INNER.saturating_add(self.inner.next));
        self.inner.next = self.inner.next.saturating_add(1);
        self.ids.insert(id.clone(), index);
        self.inner.slots.insert(index, ContextSlot::of(id));
        index
    }

    /// Removes a step inside a frame together with its result.
    pub fn let_go(&mut self, index: StepIndex) {
        if let Some(slot) = self.inner.slots.remove(&index) {
            self.ids.remove(&slot.id);
        }
    }

    /// Opens the scope of a frame, in which its steps look up names first.
    pub fn open_scope(&mut self, path: &str, variables: Variables) {
        self.variables.insert(path.into(), variables);
    }

    /// Closes the scope of a frame and returns its variables.
    pub fn close_scope(&mut self, path: &str) -> Option<Variables> {
        self.variables.remove(path)
    }

    /// Returns the variables of an open frame.
    pub fn variables(&self, path: &str) -> Option<&Variables> {
        self.variables.get(path)
    }

    /// Returns the variables of an open frame, mutable.
    pub fn variables_mut(&mut self, path: &str) -> Option<&mut Variables> {
        self.variables.get_mut(path)
    }

    /// Returns the index of a known step.
    pub fn index_of(&self, id: &str) -> Option<StepIndex> {
        self.ids.get(id).copied()
    }

    /// Returns the id at an index.
    pub fn id_of(&self, index: StepIndex) -> Option<&StepId> {
        self.slot(index).map(|slot| &slot.id)
    }

    /// Returns all known step ids, sorted.
    pub fn step_ids(&self) -> impl Iterator<Item = &StepId> {
        self.ids.keys()
    }

    /// Returns the result of a step that ended.
    pub fn result(&self, index: StepIndex) -> Option<&StepResult> {
        self.slot(index)?.result.as_ref()
    }

    /// Returns the caller's metadata.
    pub fn initial(&self) -> &BTreeMap<Arc<str>, Payload> {
        &self.initial
    }

    /// Stores a result and syncs its fields to runtime metadata: the `declared` ones, or all top-level fields if none
    /// are declared. Returns the number of synced fields. A second result of the same step replaces the first.
    pub fn record(
        &mut self,
        index: StepIndex,
        result: StepResult,
        declared: &[Arc<str>],
    ) -> Result<usize, NotSynced> {
        self.forget(index);
        let names: Vec<Arc<str>> = result
            .output
            .field_names()
            .unwrap_or_default()
            .into_iter()
            .map(|name| self.interned(name))
            .collect();
        let (success, is_object) = (result.is_success, result.output.field_names().is_some());
        let Some(slot) = slot_mut(&mut self.slots, &mut self.inner, index) else {
            return Err(NotSynced::Failed);
        };
        slot.result = Some(result);
        if !success {
            return Err(NotSynced::Failed);
        }
        if index.is_inner() {
            return Err(NotSynced::Inside);
        }
        let wanted = |name: &Arc<str>| declared.is_empty() || declared.contains(name);
        (slot.synced, slot.unsynced) = names.into_iter().partition(wanted);
        for name in &slot.synced {
            self.runtime.entry(Arc::clone(name)).or_default().push(index);
        }
        for name in &slot.unsynced {
            self.unsynced.entry(Arc::clone(name)).or_default().push(index);
        }
        if is_object { Ok(slot.synced.len()) } else { Err(NotSynced::NotAnObject) }
    }

    /// Drops the result of a step that will run again, and everything it wrote.
    pub fn forget(&mut self, index: StepIndex) {
        let Some(slot) = slot_mut(&mut self.slots, &mut self.inner, index) else { return };
        slot.result = None;
        let (synced, unsynced) =
            (std::mem::take(&mut slot.synced), std::mem::take(&mut slot.unsynced));
        remove_writer(&mut self.runtime, &synced, index);
        remove_writer(&mut self.unsynced, &unsynced, index);
    }

    /// Returns the value of a bare name in runtime metadata, and the step that wrote it last.
    pub fn runtime(&self, name: &str) -> Option<(PayloadValue<'_>, StepIndex)> {
        let (key, writers) = self.runtime.get_key_value(name)?;
        let writer = *writers.last()?;
        Some((self.result(writer)?.output.field(key)?, writer))
    }

    /// Returns the value of `step_field`, if that step synced that field.
    pub fn runtime_of(&self, step: StepIndex, field: &str) -> Option<PayloadValue<'_>> {
        let slot = self.slot(step)?;
        let name = slot.synced.iter().find(|name| &***name == field)?;
        slot.result.as_ref()?.output.field(name)
    }

    /// Returns the steps whose results have this top-level field without having synced it.
    pub fn unsynced(&self, field: &str) -> &[StepIndex] {
        self.unsynced.get(field).map_or(&[], Vec::as_slice)
    }

    /// Returns the steps that wrote a bare name before the last writer, the latest first.
    pub fn shadowed(&self, name: &str) -> Vec<&StepId> {
        let writers = self.runtime.get(name).map_or(&[][..], Vec::as_slice);
        writers.iter().rev().skip(1).filter_map(|index| self.id_of(*index)).collect()
    }

    /// Returns the fields that a step synced to runtime metadata.
    pub fn synced_fields(&self, step: StepIndex) -> &[Arc<str>] {
        self.slot(step).map_or(&[], |slot| &slot.synced)
    }

    /// Returns the merged view for people: initial metadata, overridden by runtime metadata under both names.
    pub fn all_metadata(&self) -> BTreeMap<String, PayloadValue<'_>> {
        let initial = self.initial.iter().map(|(key, value)| (key.to_string(), value.whole()));
        let mut merged: BTreeMap<String, PayloadValue<'_>> = initial.collect();
        for name in self.runtime.keys() {
            merged.extend(self.runtime(name).map(|(datum, _)| (name.to_string(), datum)));
        }
        for slot in &self.slots {
            let Some(result) = &slot.result else { continue };
            let prefixed = |name| Some((format!("{}_{name}", slot.id), result.output.field(name)?));
            merged.extend(slot.synced.iter().filter_map(|name| prefixed(&**name)));
        }
        merged
    }

    /// Returns the names that a bare placeholder can refer to.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.runtime.keys().map(|key| &**key).chain(self.initial.keys().map(|key| &**key))
    }

    fn slot(&self, index: StepIndex) -> Option<&ContextSlot> {
        if index.is_inner() {
            return self.inner.slots.get(&index);
        }
        self.slots.get(index.0 as usize)
    }

    /// Returns the shared allocation of a field name, however many steps write it.
    fn interned(&self, name: &str) -> Arc<str> {
        let known = self.runtime.get_key_value(name).or_else(|| self.unsynced.get_key_value(name));
        known.map_or_else(|| Arc::from(name), |(key, _)| Arc::clone(key))
    }
}

impl ContextSlot {
    fn of(id: &StepId) -> Self {
        Self { id: id.clone(), result: None, synced: vec![], unsynced: vec![] }
    }
}

fn slot_mut<'a>(
    slots: &'a mut [ContextSlot],
    inner: &'a mut ContextInner,
    index: StepIndex,
) -> Option<&'a mut ContextSlot> {
    if index.is_inner() { inner.slots.get_mut(&index) } else { slots.get_mut(index.0 as usize) }
}

fn remove_writer(
    writers: &mut BTreeMap<Arc<str>, Vec<StepIndex>>,
    names: &[Arc<str>],
    index: StepIndex,
) {
    for name in names {
        if let Some(list) = writers.get_mut(name) {
            list.retain(|writer| *writer != index);
            if list.is_empty() {
                writers.remove(name);
            }
        }
    }
}
