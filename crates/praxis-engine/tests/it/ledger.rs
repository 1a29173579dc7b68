//! The outside world: what reached the tools and what it changed. A crash does not undo it.

use praxis_core::journal::event::{Entry, Event};
use praxis_engine::seams::Invocation;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// A call that reached a tool.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) key: String,
    pub(crate) step: String,
    pub(crate) attempt: u32,
    pub(crate) arguments: Value,
    /// What it changed in the world, by the output that says so.
    pub(crate) effect: Option<Value>,
    /// It was there before the engine of now started.
    old: bool,
}

/// What a crash does to the calls that were under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InFlight {
    /// They had not reached their tools yet.
    Unsent,
    /// They had done what they would do, and only the answer was lost.
    Acted,
}

/// All calls that reached the world, in order.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<Vec<Seen>>>);

impl Ledger {
    fn seen(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.0.lock().unwrap()
    }

    /// Notes a call; gives its place and how many with the same key were there before it.
    pub(crate) fn reach(&self, call: &Invocation) -> (usize, usize) {
        let mut seen = self.seen();
        let before = seen.iter().filter(|seen| seen.key == call.key).count();
        seen.push(Seen {
            key: call.key.clone(),
            step: call.step.to_string(),
            attempt: call.attempt,
            arguments: call.arguments.clone(),
            effect: None,
            old: false,
        });
        (seen.len() - 1, before)
    }

    /// How often the tool of a call was called for its step.
    pub(crate) fn calls_of(&self, call: &Invocation) -> usize {
        self.seen().iter().filter(|seen| *seen.step == *call.step.as_str()).count()
    }

    /// The call at `place` changes the world.
    pub(crate) fn act(&self, place: usize, output: &Value) {
        self.seen()[place].effect = Some(output.clone());
    }

    /// What was done under a key, if anything was.
    pub(crate) fn done(&self, key: &str) -> Option<Value> {
        let seen = self.seen();
        seen.iter().filter(|seen| seen.key == key).find_map(|seen| seen.effect.clone())
    }

    /// How often the world was changed, by key.
    pub(crate) fn effects(&self) -> BTreeMap<String, usize> {
        let mut effects = BTreeMap::new();
        for seen in self.seen().iter().filter(|seen| seen.effect.is_some()) {
            *effects.entry(seen.key.clone()).or_default() += 1;
        }
        effects
    }

    /// Keys whose calls did not all send the same.
    pub(crate) fn keys_with_two_meanings(&self) -> Vec<String> {
        let seen = self.seen();
        let differs = |one: &&Seen| {
            seen.iter().any(|other| other.key == one.key && other.arguments != one.arguments)
        };
        seen.iter().filter(differs).map(|seen| seen.key.clone()).collect()
    }

    /// Steps whose tools were called since the last crash.
    pub(crate) fn called_since(&self) -> BTreeSet<String> {
        self.seen().iter().filter(|seen| !seen.old).map(|seen| seen.step.clone()).collect()
    }

    /// The world as it is when a crash leaves only these entries.
    pub(crate) fn crashed(&self, left: &[Entry], in_flight: InFlight) -> Self {
        let mut started = BTreeSet::new();
        let mut ended = BTreeSet::new();
        for entry in left {
            match &entry.event {
                Event::StepStarted { step, attempt, .. } => {
                    started.insert((step.to_string(), *attempt));
                }
                Event::StepFinished { step, attempt, .. } => {
                    ended.insert((step.to_string(), *attempt));
                }
                _ => {}
            }
        }
        let happened = |seen: &&Seen| {
            let call = (seen.step.clone(), seen.attempt);
            let acted = in_flight == InFlight::Acted && started.contains(&call);
            seen.old || ended.contains(&call) || acted
        };
        let seen = self.seen();
        let kept = seen.iter().filter(happened).cloned();
        let kept = kept.map(|seen| Seen { old: true, ..seen }).collect();
        Self(Arc::new(Mutex::new(kept)))
    }
}
