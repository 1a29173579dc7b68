//! An index of the tools that produce the ids that other tools need.
//!
//! - in: the names of the required parameters and outputs of tools
//! - out: for each id that a tool needs, the tools that produce it
//! - never: returns a tool that needs the same id itself

use super::words::words;
use crate::lexicon::en;
use praxis_core::ids::ToolId;
use std::collections::{BTreeMap, BTreeSet};

/// The last word of a parameter that takes an id.
const ID: &str = "id";

/// Tools by the words of their output names.
#[derive(Clone, Debug, Default)]
pub(super) struct ProducerIndex {
    giving: BTreeMap<Vec<String>, BTreeSet<ToolId>>,
    /// Tools with an output `id`, by the words of their own names: `search_movie` returns the id of a movie.
    naming: BTreeMap<String, BTreeSet<ToolId>>,
    /// The tools that need an id or have outputs.
    known: BTreeMap<ToolId, ProducerFacts>,
}

#[derive(Clone, Debug)]
struct ProducerFacts {
    /// The ids that the tool needs, as words.
    ids: Vec<Vec<String>>,
    gives: BTreeSet<Vec<String>>,
}

impl ProducerIndex {
    pub(super) fn put(&mut self, tool: &ToolId, needs: &[String], gives: &[String]) {
        self.remove(tool);
        let needs = needs.iter().map(|name| words(name));
        let facts = ProducerFacts {
            ids: needs.filter(|need| need.last().is_some_and(|it| it == ID)).collect(),
            gives: gives.iter().map(|name| words(name)).collect(),
        };
        for given in &facts.gives {
            self.giving.entry(given.clone()).or_default().insert(tool.clone());
            if given.as_slice() == [ID] {
                for word in words(tool.as_str()) {
                    self.naming.entry(word).or_default().insert(tool.clone());
                }
            }
        }
        if !facts.ids.is_empty() || !facts.gives.is_empty() {
            self.known.insert(tool.clone(), facts);
        }
    }

    pub(super) fn remove(&mut self, tool: &ToolId) {
        let Some(facts) = self.known.remove(tool) else { return };
        for given in &facts.gives {
            take(&mut self.giving, given, tool);
        }
        for word in words(tool.as_str()) {
            take(&mut self.naming, &word, tool);
        }
    }

    /// Returns for each id that a tool needs the tools that produce it.
    pub(super) fn of(&self, tool: &ToolId) -> Vec<Vec<&ToolId>> {
        let ids = self.ids(tool).iter().filter(|id| id.len() > 1);
        ids.map(|id| self.bringing(id, tool)).filter(|found| !found.is_empty()).collect()
    }

    fn ids(&self, tool: &ToolId) -> &[Vec<String>] {
        self.known.get(tool).map_or(&[], |facts| &facts.ids)
    }

    fn bringing(&self, need: &[String], for_tool: &ToolId) -> Vec<&ToolId> {
        let thing = need.split_last().map_or(need, |(_, thing)| thing);
        let by_name = self.giving.get(need).into_iter().flatten();
        let first = thing.first().and_then(|word| self.naming.get(word));
        let by_thing = first.into_iter().flatten().filter(|tool| is_about(tool, thing));
        let found: BTreeSet<&ToolId> = by_name.chain(by_thing).collect();
        let wants = |tool: &ToolId| self.ids(tool).iter().any(|own| own.as_slice() == need);
        found.into_iter().filter(|tool| *tool != for_tool && !wants(tool)).collect()
    }

    /// Returns the distance of a tool from the request: the number of ids that it needs, then `false` for a tool that
    /// looks something up (`en::LOOKING`).
    pub(super) fn distance(&self, tool: &ToolId) -> (usize, bool) {
        let name = words(tool.as_str());
        let looks = name.iter().any(|word| en::LOOKING.contains(&word.as_str()));
        (self.ids(tool).len(), !looks)
    }
}

fn is_about(tool: &ToolId, thing: &[String]) -> bool {
    let name = words(tool.as_str());
    thing.iter().all(|word| name.contains(word))
}

/// Removes a tool from the set of a key, and the key if its set becomes empty.
fn take<Key: Ord>(all: &mut BTreeMap<Key, BTreeSet<ToolId>>, key: &Key, tool: &ToolId) {
    if let Some(tools) = all.get_mut(key) {
        tools.remove(tool);
        if tools.is_empty() {
            all.remove(key);
        }
    }
}
