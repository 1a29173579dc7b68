//! The queue of steps that can run next: O(log n) to update, O(slots) to read.

use crate::dataflow::context::StepIndex;
use crate::ids::ToolId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A queued step, ordered by longest chain first, then by plan order.
type QueuedStep = (Reverse<u64>, StepIndex);
type ReadyQueue = BTreeMap<Option<ToolId>, BTreeSet<QueuedStep>>;

/// Open work of a task: ready steps, running calls, timers, doubts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepQueue {
    /// Steps that can start, by tool with a concurrency limit; `None` holds the steps of all other tools.
    #[serde(with = "pairs")]
    ready: ReadyQueue,
    /// Number of running calls.
    running: u32,
    /// Number of running calls by tool with a limit.
    running_by_tool: BTreeMap<ToolId, u32>,
    /// Gathering steps whose actions have all ended.
    pub gather: BTreeSet<StepIndex>,
    /// Steps whose frames can go on.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub frames: BTreeSet<StepIndex>,
    /// Steps whose tool rejected a parameter; a person is asked next.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub complaints: BTreeSet<StepIndex>,
    /// Steps in doubt that nobody was asked about yet.
    pub doubts: BTreeSet<StepIndex>,
    /// Steps that wait for a time: a retry or a `wait`.
    pub timers: BTreeSet<(Timestamp, StepIndex)>,
    /// Number of steps that have not ended.
    pub unfinished: u32,
}

impl StepQueue {
    /// Adds a ready step.
    pub fn queue(&mut self, step: StepIndex, rank: u64, limited: Option<&ToolId>) {
        self.ready.entry(limited.cloned()).or_default().insert((Reverse(rank), step));
    }

    /// Removes a ready step; returns false if it was not queued.
    pub fn unqueue(&mut self, step: StepIndex, rank: u64, limited: Option<&ToolId>) -> bool {
        let key = limited.cloned();
        let Some(queue) = self.ready.get_mut(&key) else { return false };
        let was_there = queue.remove(&(Reverse(rank), step));
        if queue.is_empty() {
            self.ready.remove(&key);
        }
        was_there
    }

    /// Removes all ready steps, because their ranks change.
    pub fn unqueue_all(&mut self) {
        self.ready.clear();
    }

    /// Counts a call that starts.
    pub fn begin(&mut self, limited: Option<&ToolId>) {
        self.running += 1;
        if let Some(tool) = limited {
            *self.running_by_tool.entry(tool.clone()).or_default() += 1;
        }
    }

    /// Counts a call that ended.
    pub fn end(&mut self, limited: Option<&ToolId>) {
        self.running = self.running.saturating_sub(1);
        if let Some(count) = limited.and_then(|tool| self.running_by_tool.get_mut(tool)) {
            *count = count.saturating_sub(1);
        }
    }

    /// Clears all open work at the end of the task, but keeps `unfinished`.
    pub fn clear(&mut self) {
        *self = Self { unfinished: self.unfinished, ..Self::default() };
    }

    /// Returns the number of running calls.
    pub fn running(&self) -> u32 {
        self.running
    }

    /// Returns true if there is work that needs only a free slot.
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
            || !self.gather.is_empty()
            || !self.frames.is_empty()
            || !self.complaints.is_empty()
    }

    /// Returns the steps to start now, most urgent first, within `slots` and the limits of the tools.
    pub fn next(&self, slots: u32, limit_of: impl Fn(&ToolId) -> u32) -> Vec<StepIndex> {
        self.next_of(slots, limit_of, |_| true)
    }

    /// Like [`next`](Self::next), for steps that pass `may_start`.
    pub fn next_of(
        &self,
        slots: u32,
        limit_of: impl Fn(&ToolId) -> u32,
        may_start: impl Fn(StepIndex) -> bool,
    ) -> Vec<StepIndex> {
        let free = slots.saturating_sub(self.running) as usize;
        let mut turns: Vec<QueuedStep> = Vec::new();
        for (limited, queue) in &self.ready {
            let room = limited.as_ref().map_or(free, |tool| {
                let running = self.running_by_tool.get(tool).copied().unwrap_or_default();
                limit_of(tool).saturating_sub(running) as usize
            });
            turns.extend(queue.iter().filter(|(_, step)| may_start(*step)).take(room.min(free)));
        }
        if self.ready.len() > 1 {
            turns.sort_unstable();
        }
        turns.into_iter().take(free).map(|(_, step)| step).collect()
    }

    /// Returns the time of the next timer.
    pub fn next_timer(&self) -> Option<Timestamp> {
        self.timers.first().map(|(at, _)| *at)
    }
}

/// Serializes the map as a list of pairs: JSON has no `None` key.
mod pairs {
    use super::ReadyQueue;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(ready: &ReadyQueue, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(ready)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<ReadyQueue, D::Error> {
        Vec::deserialize(from).map(ReadyQueue::from_iter)
    }
}
