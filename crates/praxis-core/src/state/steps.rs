//! The steps of a task: plan steps by position, frame steps only while their frame needs them.

use super::step::Step;
use crate::dataflow::context::StepIndex;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// All steps of a task. Derefs to a slice of the plan steps in plan order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    plan: Vec<Step>,
    inner: BTreeMap<StepIndex, Step>,
}

impl Steps {
    /// Returns a step by its index.
    pub fn get(&self, index: StepIndex) -> Option<&Step> {
        if index.is_inner() { self.inner.get(&index) } else { self.plan.get(index.0 as usize) }
    }

    /// Returns a step by its index, mutably.
    pub fn get_mut(&mut self, index: StepIndex) -> Option<&mut Step> {
        if index.is_inner() {
            self.inner.get_mut(&index)
        } else {
            self.plan.get_mut(index.0 as usize)
        }
    }

    /// Adds a step under the index that the context assigned.
    pub fn add(&mut self, index: StepIndex, step: Step) {
        if index.is_inner() {
            self.inner.insert(index, step);
        } else {
            self.plan.push(step);
        }
    }

    /// Removes a step inside a frame.
    pub fn remove(&mut self, index: StepIndex) {
        self.inner.remove(&index);
    }

    /// Returns the steps inside frames.
    pub fn inner(&self) -> impl Iterator<Item = (StepIndex, &Step)> {
        self.inner.iter().map(|(index, step)| (*index, step))
    }

    /// Returns all steps, plan steps first.
    pub fn everywhere(&self) -> impl Iterator<Item = (StepIndex, &Step)> {
        let numbered = |(place, step)| (StepIndex::at(place), step);
        self.plan.iter().enumerate().map(numbered).chain(self.inner())
    }

    /// Returns all steps mutably, plan steps first.
    pub fn everywhere_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        self.plan.iter_mut().chain(self.inner.values_mut())
    }
}

impl Deref for Steps {
    type Target = [Step];

    fn deref(&self) -> &[Step] {
        &self.plan
    }
}

impl DerefMut for Steps {
    fn deref_mut(&mut self) -> &mut [Step] {
        &mut self.plan
    }
}

impl<'a> IntoIterator for &'a Steps {
    type Item = &'a Step;
    type IntoIter = std::slice::Iter<'a, Step>;

    fn into_iter(self) -> Self::IntoIter {
        self.plan.iter()
    }
}

/// Writes a task without frame steps as a plain list, the format of older snapshots.
impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.inner.is_empty() {
            return self.plan.serialize(to);
        }
        let mut both = to.serialize_struct("Steps", 2)?;
        both.serialize_field("plan", &self.plan)?;
        both.serialize_field("inner", &self.inner.iter().collect::<Vec<_>>())?;
        both.end()
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StepListJson {
    Plan(Vec<Step>),
    Both { plan: Vec<Step>, inner: Vec<(StepIndex, Step)> },
}

impl<'a> Deserialize<'a> for Steps {
    fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
        Ok(match StepListJson::deserialize(from)? {
            StepListJson::Plan(plan) => Self { plan, inner: BTreeMap::new() },
            StepListJson::Both { plan, inner } => Self { plan, inner: inner.into_iter().collect() },
        })
    }
}
