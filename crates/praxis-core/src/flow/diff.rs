//! Compares two flows field by field.
//!
//! - in: two flows with the flows that they call
//! - out: all differences in the order of their places; nodes are matched by their ids
//! - never: reports a different order of nodes or edges

use super::file::{Bundle, Flow};
use super::write::write;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A difference between two flows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowChange {
    /// The place, in the form that problems use.
    pub at: String,
    /// The old value; `None` if the place is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The new value; `None` if the place is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

type NodeLocations = BTreeMap<String, Value>;

/// Returns all differences.
pub fn diff(before: &Bundle, after: &Bundle) -> Vec<FlowChange> {
    let mut changes = Vec::new();
    compare(&places(&before.flow), &places(&after.flow), "", &mut changes);
    let names: std::collections::BTreeSet<&String> =
        before.flows.keys().chain(after.flows.keys()).collect();
    for name in names {
        let at = format!("flow `{name}`, ");
        match (before.flows.get(name), after.flows.get(name)) {
            (Some(one), Some(other)) => compare(&places(one), &places(other), &at, &mut changes),
            (one, other) => {
                let at = at.trim_end_matches(", ").to_owned();
                changes.push(FlowChange { at, before: one.map(write), after: other.map(write) });
            }
        }
    }
    changes
}

fn compare(before: &NodeLocations, after: &NodeLocations, at: &str, changes: &mut Vec<FlowChange>) {
    let gone = before.iter().filter(|(place, _)| !after.contains_key(*place));
    let gone = gone.map(|(place, was)| (place, Some(was), None));
    let now = after.iter().filter(|(place, is)| before.get(*place) != Some(is));
    let now = now.map(|(place, is)| (place, before.get(place), Some(is)));
    let mut all: Vec<(&String, Option<&Value>, Option<&Value>)> = gone.chain(now).collect();
    all.sort_by_key(|(place, _, _)| *place);
    for (place, before, after) in all {
        let at = format!("{at}{place}");
        changes.push(FlowChange { at, before: before.cloned(), after: after.cloned() });
    }
}

/// Returns every field of a flow by its place.
fn places(flow: &Flow) -> NodeLocations {
    let mut found = NodeLocations::new();
    if let Value::Object(map) = write(flow) {
        fields(&map, "", &mut found);
    }
    found
}

fn fields(map: &Map<String, Value>, at: &str, found: &mut NodeLocations) {
    for (key, value) in map {
        match (key.as_str(), value) {
            ("nodes" | "before" | "after" | "branches", Value::Array(items)) => {
                let list = if key == "branches" { "branches" } else { "nodes" };
                let items = items.iter().filter_map(Value::as_object);
                items.for_each(|item| node(item, &format!("{at}{list}"), found));
            }
            ("on_error", Value::Object(item)) => node(item, &format!("{at}nodes"), found),
            ("edges", Value::Array(edges)) => {
                for edge in edges {
                    let told = edge.as_str().map_or_else(|| edge.to_string(), str::to_owned);
                    found.insert(format!("{at}edges, {told}"), edge.clone());
                }
            }
            (
                "inputs" | "outputs" | "params" | "known" | "input" | "output" | "variables"
                | "set",
                Value::Object(table),
            ) => {
                let inner = table.iter();
                found.extend(inner.map(|(name, it)| (format!("{at}{key}.{name}"), it.clone())));
            }
            _ => {
                found.insert(format!("{at}{key}"), value.clone());
            }
        }
    }
}

fn node(item: &Map<String, Value>, list: &str, found: &mut NodeLocations) {
    let id = item.get("id").and_then(Value::as_str).unwrap_or_default();
    let mut rest = item.clone();
    rest.remove("id");
    let at = format!("{list}.{id}");
    // The id is part of the place. A new node shows up at least by its `call`.
    fields(&rest, &format!("{at}, "), found);
}
