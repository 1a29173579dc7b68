//! Which tools give what others need.
//!
//! - in: the names of what tools need and give
//! - out: for a need, the tools that can bring it
//! - never: takes a tool that needs what it should bring

use super::words::words;
use crate::lexicon::en;
use praxis_core::ids::ToolId;
use std::collections::{BTreeMap, BTreeSet};

/// What names a thing, and is no thing itself.
const ID: &str = "id";

/// What tools give, by the words of its names.
#[derive(Clone, Debug, Default)]
pub(super) struct ProducerIndex {
    giving: BTreeMap<Vec<String>, BTreeSet<ToolId>>,
    /// Tools that give a bare id, by a word of their own names: `search_movie` gives the id of a movie.
    naming: BTreeMap<String, BTreeSet<ToolId>>,
    /// The tools that need an id or give something; of the others nothing has to be known.
    known: BTreeMap<ToolId, ProducerFacts>,
}

#[derive(Clone, Debug)]
struct ProducerFacts {
    /// The ids that it needs.
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

    /// For each id that a tool needs, the tools that bring it.
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

    /// How far a tool is from what a request says: the ids that must be there before it can be called, then
    /// whether it looks for something that has a name.
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

/// Takes a tool out of those of a key; a key without tools is forgotten.
fn take<Key: Ord>(all: &mut BTreeMap<Key, BTreeSet<ToolId>>, key: &Key, tool: &ToolId) {
    if let Some(tools) = all.get_mut(key) {
        tools.remove(tool);
        if tools.is_empty() {
            all.remove(key);
        }
    }
}
