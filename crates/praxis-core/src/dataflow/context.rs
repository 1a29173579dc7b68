//! The three layers of data that a task's steps read: initial metadata, runtime metadata, step results.
//!
//! - in: the caller's metadata once, then one result for each step that ended
//! - out: look-ups by name, by step and field, and the merged view
//! - never: changes initial metadata, or copies a value: runtime metadata points into the results
//!
//! A synced value has two names, `field` and `step_field`. The first is a list of the steps that
//! wrote it, the latest last, so that `why` can say what it shadows; the second is derived.

use crate::ids::{StepId, ToolId};
use crate::payload::{Payload, PayloadValue};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The place of a step in its task, by order of planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StepIndex(pub u32);

/// From here on, indices are those of steps inside frames.
const INNER: u32 = 1 << 31;

impl StepIndex {
    /// The step at a place of the plan.
    pub fn at(place: usize) -> Self {
        Self(u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// Whether this is a step inside a frame.
    pub fn is_inner(self) -> bool {
        self.0 >= INNER
    }
}

/// What a step left behind. Kept complete, for failed steps too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepResult {
    /// The plan's id.
    pub step_id: StepId,
    /// The plan's words.
    pub step_name: Arc<str>,
    /// The tool that ran, which recovery may have chosen.
    pub tool_id: ToolId,
    /// Its output; JSON `null` if there was none.
    pub output: Payload,
    /// Whether the call succeeded.
    pub is_success: bool,
    /// Why it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// From start to end.
    pub duration_ms: u64,
}

/// Why nothing was copied to runtime metadata. The task goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSynced {
    /// Only successful steps are synced.
    #[error("the step did not succeed")]
    Failed,
    /// Only objects have fields.
    #[error("the output is no JSON object")]
    NotAnObject,
    /// What a step inside a frame gave is known there by the step's name.
    #[error("the step is inside a frame")]
    Inside,
}

/// The data of one task. Its order is deterministic everywhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Context {
    initial: BTreeMap<Arc<str>, Payload>,
    ids: BTreeMap<StepId, StepIndex>,
    slots: Vec<ContextSlot>,
    /// Steps inside frames. Their numbers are never used twice.
    #[serde(default, skip_serializing_if = "ContextInner::is_unused")]
    inner: ContextInner,
    /// The variables of open frames, by the path of the frame.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    variables: BTreeMap<Arc<str>, Variables>,
    /// Synced fields: the steps that wrote them, the latest last.
    runtime: BTreeMap<Arc<str>, Vec<StepIndex>>,
    /// Top-level fields of results that were not synced.
    unsynced: BTreeMap<Arc<str>, Vec<StepIndex>>,
}

/// The variables of a frame: objects, of which the later ones hide the earlier.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Variables {
    /// What the frame was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<Payload>,
    /// What its passes made of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<Payload>,
    /// What belongs to this pass alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass: Option<Payload>,
    /// What went wrong in it, under [`FAILURE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Payload>,
}

/// The variable that every frame has: the failure that nothing dealt with, or null.
pub const FAILURE: &str = "failure";
static NO_FAILURE: Value = Value::Null;

impl Variables {
    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<PayloadValue<'_>> {
        let found = self.layers().find_map(|layer| layer.field(name));
        found.or_else(|| (name == FAILURE).then_some(PayloadValue::Value(&NO_FAILURE)))
    }

    /// The names of all variables. One may come twice.
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
    /// Starts from the caller's metadata. What is there does not change afterwards.
    pub fn new(initial: BTreeMap<Arc<str>, Payload>) -> Self {
        Self { initial, ..Self::default() }
    }

    /// Starts from metadata of which no value is large.
    pub fn of_values(initial: &Map<String, Value>) -> Self {
        let small =
            |(key, value): (&String, &Value)| (key.as_str().into(), Payload::json(value.clone()));
        Self::new(initial.iter().map(small).collect())
    }

    /// Adds what a workflow gives to the caller's metadata; what is there stays.
    pub fn complete<'a>(&mut self, more: impl Iterator<Item = (&'a String, &'a Value)>) {
        for (key, value) in more {
            let free = self.initial.entry(key.as_str().into());
            free.or_insert_with(|| Payload::json(value.clone()));
        }
    }

    /// Makes a step known. The same id gives the same index.
    pub fn declare(&mut self, id: &StepId) -> StepIndex {
        if let Some(index) = self.ids.get(id) {
            return *index;
        }
        let index = StepIndex::at(self.slots.len());
        self.ids.insert(id.clone(), index);
        self.slots.push(ContextSlot::of(id));
        index
    }

    /// Makes a step inside a frame known, until it is let go.
    pub fn declare_inner(&mut self, id: &StepId) -> StepIndex {
        let index = StepIndex(INNER.saturating_add(self.inner.next));
        self.inner.next = self.inner.next.saturating_add(1);
        self.ids.insert(id.clone(), index);
        self.inner.slots.insert(index, ContextSlot::of(id));
        index
    }

    /// Lets go of a step inside a frame and of what it left.
    pub fn let_go(&mut self, index: StepIndex) {
        if let Some(slot) = self.inner.slots.remove(&index) {
            self.ids.remove(&slot.id);
        }
    }

    /// Opens the scope of a frame. What its steps name is looked for here first.
    pub fn open_scope(&mut self, path: &str, variables: Variables) {
        self.variables.insert(path.into(), variables);
    }

    /// Closes the scope of a frame.
    pub fn close_scope(&mut self, path: &str) -> Option<Variables> {
        self.variables.remove(path)
    }

    /// The variables of an open frame.
    pub fn variables(&self, path: &str) -> Option<&Variables> {
        self.variables.get(path)
    }

    /// The same, to be changed.
    pub fn variables_mut(&mut self, path: &str) -> Option<&mut Variables> {
        self.variables.get_mut(path)
    }

    /// The index of a known step.
    pub fn index_of(&self, id: &str) -> Option<StepIndex> {
        self.ids.get(id).copied()
    }

    /// The id at an index.
    pub fn id_of(&self, index: StepIndex) -> Option<&StepId> {
        self.slot(index).map(|slot| &slot.id)
    }

    /// All known step ids, sorted.
    pub fn step_ids(&self) -> impl Iterator<Item = &StepId> {
        self.ids.keys()
    }

    /// The result of a step that ended.
    pub fn result(&self, index: StepIndex) -> Option<&StepResult> {
        self.slot(index)?.result.as_ref()
    }

    /// The caller's metadata.
    pub fn initial(&self) -> &BTreeMap<Arc<str>, Payload> {
        &self.initial
    }

    /// Keeps a result and copies its fields to runtime metadata: those that the tool declares, else
    /// all top-level ones. A second result of the same step takes the place of the first.
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

    /// Drops a result and what it wrote: the step will run again.
    pub fn forget(&mut self, index: StepIndex) {
        let Some(slot) = slot_mut(&mut self.slots, &mut self.inner, index) else { return };
        slot.result = None;
        let (synced, unsynced) =
            (std::mem::take(&mut slot.synced), std::mem::take(&mut slot.unsynced));
        remove_writer(&mut self.runtime, &synced, index);
        remove_writer(&mut self.unsynced, &unsynced, index);
    }

    /// The value that a bare name has in runtime metadata, and the step that wrote it last.
    pub fn runtime(&self, name: &str) -> Option<(PayloadValue<'_>, StepIndex)> {
        let (key, writers) = self.runtime.get_key_value(name)?;
        let writer = *writers.last()?;
        Some((self.result(writer)?.output.field(key)?, writer))
    }

    /// The value under `step_field`, if that step wrote that field to runtime metadata.
    pub fn runtime_of(&self, step: StepIndex, field: &str) -> Option<PayloadValue<'_>> {
        let slot = self.slot(step)?;
        let name = slot.synced.iter().find(|name| &***name == field)?;
        slot.result.as_ref()?.output.field(name)
    }

    /// The steps whose results have this top-level field without having synced it.
    pub fn unsynced(&self, field: &str) -> &[StepIndex] {
        self.unsynced.get(field).map_or(&[], Vec::as_slice)
    }

    /// The steps that wrote a bare name before the one that wrote it last, the latest first.
    pub fn shadowed(&self, name: &str) -> Vec<&StepId> {
        let writers = self.runtime.get(name).map_or(&[][..], Vec::as_slice);
        writers.iter().rev().skip(1).filter_map(|index| self.id_of(*index)).collect()
    }

    /// The fields that a step wrote to runtime metadata.
    pub fn synced_fields(&self, step: StepIndex) -> &[Arc<str>] {
        self.slot(step).map_or(&[], |slot| &slot.synced)
    }

    /// The merged view for people: initial metadata, overridden by runtime metadata under both names.
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

    /// Names that a bare placeholder could have meant.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.runtime.keys().map(|key| &**key).chain(self.initial.keys().map(|key| &**key))
    }

    fn slot(&self, index: StepIndex) -> Option<&ContextSlot> {
        if index.is_inner() {
            return self.inner.slots.get(&index);
        }
        self.slots.get(index.0 as usize)
    }

    /// The same field name is one allocation, however many steps write it.
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
