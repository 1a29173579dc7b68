//! Positions in a flow: the place of a text, and the nodes that have run before it.
//!
//! - in: a graph without cycles, and a node of it
//! - out: the nodes that may have ended before, and those that certainly ran
//! - never: looks at the text itself

use super::compile::in_order;
use super::file::{Edge, FlowGraph, FlowItem, NodeBody};
use super::location::FlowLocation;
use crate::dataflow::scope::joined;
use crate::intake::node::EdgeCondition;
use std::collections::BTreeSet;

/// The position of a text: its frame, its node, and the nodes that may have run before.
pub(super) struct FlowPosition<'a> {
    pub(super) path: String,
    pub(super) at: String,
    /// Ids (with their frame's path) of all nodes that may have ended before.
    pub(super) before: BTreeSet<String>,
    /// Those of them that certainly ran.
    pub(super) surely: BTreeSet<String>,
    pub(super) item: Option<&'a FlowItem>,
    /// True if the value must exist: no person is asked for it.
    pub(super) strict: bool,
}

impl<'a> FlowPosition<'a> {
    pub(super) fn nowhere(at: &str) -> Self {
        let (before, surely) = (BTreeSet::new(), BTreeSet::new());
        let (path, at) = (String::new(), at.to_owned());
        Self { path, at, before, surely, item: None, strict: false }
    }

    pub(super) fn passed(&mut self, id: &str, surely: bool) {
        self.before.insert(id.to_owned());
        if surely {
            self.surely.insert(id.to_owned());
        }
    }

    pub(super) fn at_node(&self, item: &'a FlowItem) -> Self {
        Self {
            path: self.path.clone(),
            at: FlowLocation::item(&self.at, item),
            before: self.before.clone(),
            surely: self.surely.clone(),
            item: Some(item),
            strict: false,
        }
    }

    pub(super) fn at_field(&self, field: &str) -> Self {
        let at = if self.at.is_empty() || self.at.ends_with(", ") {
            format!("{}{field}", self.at)
        } else {
            format!("{}, {field}", self.at)
        };
        Self { at, ..self.copied() }
    }

    pub(super) fn at_more(&self, more: &str) -> Self {
        Self { at: format!("{}{more}", self.at), ..self.copied() }
    }

    fn copied(&self) -> Self {
        Self {
            path: self.path.clone(),
            at: self.at.clone(),
            before: self.before.clone(),
            surely: self.surely.clone(),
            item: self.item,
            strict: self.strict,
        }
    }

    /// Returns the position of a node of a graph, with the nodes before it.
    pub(super) fn inside(&self, graph: &FlowGraph, item: &'a FlowItem) -> Self {
        let mut here = self.at_node(item);
        let (ancestors, certain) = (ancestors(graph, &item.id), certain(graph));
        for id in &ancestors {
            let full = joined(&self.path, id);
            let surely = certain.contains(id) || !reaches(graph, &item.id, id);
            here.passed(&full, surely);
        }
        here
    }
}

/// Returns the nodes from which a path leads to this one.
fn ancestors<'g>(graph: &'g FlowGraph, id: &str) -> BTreeSet<&'g str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec![id];
    while let Some(here) = open.pop() {
        for edge in graph.edges.iter().filter(|edge| edge.to == here) {
            if found.insert(&edge.from) {
                open.push(&edge.from);
            }
        }
    }
    found
}

/// Returns the nodes that run on every branch: the start nodes, their successors, and the nodes where all branches of
/// a choice meet again.
pub(super) fn certain(graph: &FlowGraph) -> BTreeSet<&str> {
    let mut certain: BTreeSet<&str> = graph.starts.iter().map(String::as_str).collect();
    for item in in_order(graph) {
        let comes = |edge: &&Edge| {
            let is_choice = |item: &&FlowItem| matches!(item.inside, NodeBody::Choice(_));
            let from = graph.nodes.iter().find(|item| item.id == edge.from);
            match edge.on {
                EdgeCondition::Success => from.is_some_and(|from| !is_choice(&from)),
                EdgeCondition::End => true,
                EdgeCondition::Branch(_) | EdgeCondition::Failure | EdgeCondition::Unhandled => {
                    false
                }
            }
        };
        let mut ways = graph.edges.iter().filter(|edge| edge.to == item.id).filter(comes);
        if ways.any(|edge| certain.contains(edge.from.as_str())) || meets(graph, item, &certain) {
            certain.insert(&item.id);
        }
    }
    certain
}

/// Returns true if all branches of some choice that certainly runs lead here.
fn meets(graph: &FlowGraph, here: &FlowItem, certain: &BTreeSet<&str>) -> bool {
    let leads = |from: &str, branch: &str| {
        let mut open: Vec<&str> = Vec::new();
        let first =
            |edge: &&Edge| edge.from == from && edge.on == EdgeCondition::Branch(branch.to_owned());
        open.extend(graph.edges.iter().filter(first).map(|edge| edge.to.as_str()));
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(id) = open.pop() {
            if id == here.id {
                return true;
            }
            if seen.insert(id) {
                let next = |edge: &&Edge| edge.from == id && edge.on == EdgeCondition::Success;
                open.extend(graph.edges.iter().filter(next).map(|edge| edge.to.as_str()));
            }
        }
        false
    };
    graph.nodes.iter().filter(|item| certain.contains(item.id.as_str())).any(|item| {
        let NodeBody::Choice(choice) = &item.inside else { return false };
        choice.ids().into_iter().all(|branch| leads(&item.id, branch))
    })
}

/// Returns true if the node can be reached without passing `without`.
fn reaches(graph: &FlowGraph, id: &str, without: &str) -> bool {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&str> =
        graph.starts.iter().map(String::as_str).filter(|it| *it != without).collect();
    while let Some(here) = open.pop() {
        if here == id {
            return true;
        }
        if seen.insert(here) {
            let next = graph.edges.iter().filter(|edge| edge.from == here && edge.to != without);
            open.extend(next.map(|edge| edge.to.as_str()));
        }
    }
    false
}
