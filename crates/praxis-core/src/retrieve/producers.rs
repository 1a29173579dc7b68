//! Which tools give what others need.
//!
//! - in: the names of what tools need and give
//! - out: for a need, the tools that can bring it
//! - never: takes a tool that needs what it should bring

use super::words::words;
use crate::ids::ToolId;
use std::collections::{BTreeMap, BTreeSet};

/// What names a thing, and is no thing itself.
const ID: &str = "id";
/// What tools are called that find a thing by its name.
const LOOKING: &[&str] = &["search", "find", "lookup", "query"];

/// What tools give, by the words of its names.
#[derive(Clone, Debug, Default)]
pub(super) struct Producers {
    giving: BTreeMap<Vec<String>, BTreeSet<ToolId>>,
    /// Tools that give a bare id, by a word of their own names: `search_movie` gives the id of a movie.
    naming: BTreeMap<String, BTreeSet<ToolId>>,
    known: BTreeMap<ToolId, Facts>,
}

#[derive(Clone, Debug)]
struct Facts {
    needs: Vec<Vec<String>>,
    gives: BTreeSet<Vec<String>>,
    name: Vec<String>,
}

impl Producers {
    pub(super) fn put(&mut self, tool: &ToolId, needs: &[String], gives: &[String]) {
        self.remove(tool);
        let facts = Facts {
            needs: needs.iter().map(|name| words(name)).collect(),
            gives: gives.iter().map(|name| words(name)).collect(),
            name: words(tool.as_str()),
        };
        for given in &facts.gives {
            self.giving.entry(given.clone()).or_default().insert(tool.clone());
            if given.as_slice() == [ID] {
                for word in &facts.name {
                    self.naming.entry(word.clone()).or_default().insert(tool.clone());
                }
            }
        }
        self.known.insert(tool.clone(), facts);
    }

    pub(super) fn remove(&mut self, tool: &ToolId) {
        let Some(facts) = self.known.remove(tool) else { return };
        for given in &facts.gives {
            if let Some(tools) = self.giving.get_mut(given) {
                tools.remove(tool);
            }
        }
        for word in &facts.name {
            if let Some(tools) = self.naming.get_mut(word) {
                tools.remove(tool);
            }
        }
    }

    /// For each id that a tool needs, the tools that bring it.
    pub(super) fn of(&self, tool: &ToolId) -> Vec<Vec<&ToolId>> {
        let Some(facts) = self.known.get(tool) else { return vec![] };
        let ids = facts
            .needs
            .iter()
            .filter(|need| need.len() > 1 && need.last().is_some_and(|it| it == ID));
        ids.map(|need| self.bringing(need, tool)).filter(|found| !found.is_empty()).collect()
    }

    fn bringing(&self, need: &[String], for_tool: &ToolId) -> Vec<&ToolId> {
        let thing = need.split_last().map_or(need, |(_, thing)| thing);
        let by_name = self.giving.get(need).into_iter().flatten();
        let first = thing.first().and_then(|word| self.naming.get(word));
        let by_thing = first.into_iter().flatten().filter(|tool| self.is_about(tool, thing));
        let found: BTreeSet<&ToolId> = by_name.chain(by_thing).collect();
        let usable = found.into_iter().filter(|tool| *tool != for_tool && !self.wants(tool, need));
        usable.collect()
    }

    fn is_about(&self, tool: &ToolId, thing: &[String]) -> bool {
        let name = self.known.get(tool).map(|facts| &facts.name);
        name.is_some_and(|name| thing.iter().all(|word| name.contains(word)))
    }

    fn wants(&self, tool: &ToolId, need: &[String]) -> bool {
        self.known
            .get(tool)
            .is_some_and(|facts| facts.needs.iter().any(|own| own.as_slice() == need))
    }

    /// How far a tool is from what a request says: the ids that must be there before it can be called, then
    /// whether it looks for something that has a name.
    pub(super) fn distance(&self, tool: &ToolId) -> (usize, bool) {
        let Some(facts) = self.known.get(tool) else { return (0, true) };
        let is_id = |need: &&Vec<String>| need.last().is_some_and(|it| it == ID);
        let looks = facts.name.iter().any(|word| LOOKING.contains(&word.as_str()));
        (facts.needs.iter().filter(is_id).count(), !looks)
    }
}
