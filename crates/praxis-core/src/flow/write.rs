//! Writes a flow in its canonical form, without default values.
//!
//! - in: a flow as it was read
//! - out: a document that reads as the same flow, and the order of its keys
//! - never: adds anything that the flow does not say

use super::agents::{DEFAULT_QUERIES, DEFAULT_TURNS};
use super::check::shown;
use super::file::{
    DEFAULT_PASSES, Edge, Flow, FlowGraph, FlowItem, LoopSpec, MAX_ITERATIONS, NestedFlow, NodeBody,
};
use super::people;
use crate::intake::node::{EdgeCondition, OnFailure};
use serde_json::{Map, Value, json};

/// The keys of a flow file in canonical order. Keys of the user's own data follow in their own order.
pub const KEYS: [&str; 43] = [
    "flow",
    "id",
    "name",
    "call",
    "description",
    "from",
    "to",
    "when",
    "left",
    "is",
    "right",
    "inputs",
    "known",
    "params",
    "input",
    "output",
    "fill",
    "to_user",
    "approve",
    "unanswered",
    "within",
    "then",
    "values",
    "all",
    "any",
    "branches",
    "otherwise",
    "variables",
    "over",
    "until",
    "max",
    "before",
    "start",
    "nodes",
    "edges",
    "set",
    "collect",
    "on_failure",
    "outputs",
    "on_error",
    "after",
    "type",
    "default",
];

/// Returns the flow as a document.
pub fn write(flow: &Flow) -> Value {
    let mut out = Map::new();
    out.insert("flow".to_owned(), json!(flow.name));
    text(&mut out, "description", &flow.description);
    table(&mut out, "inputs", &flow.inputs);
    table(&mut out, "outputs", &flow.outputs);
    items(&mut out, "before", &flow.before);
    graph(&mut out, &flow.graph);
    out.extend(flow.on_error.as_deref().map(|it| ("on_error".to_owned(), item(it))));
    items(&mut out, "after", &flow.after);
    Value::Object(out)
}

fn text(out: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        out.insert(key.to_owned(), json!(text));
    }
}

fn table(out: &mut Map<String, Value>, key: &str, table: &Map<String, Value>) {
    if !table.is_empty() {
        out.insert(key.to_owned(), Value::Object(table.clone()));
    }
}

fn items(out: &mut Map<String, Value>, key: &str, nodes: &[FlowItem]) {
    if !nodes.is_empty() {
        out.insert(key.to_owned(), nodes.iter().map(item).collect());
    }
}

fn graph(out: &mut Map<String, Value>, graph: &FlowGraph) {
    items(out, "nodes", &graph.nodes);
    let first: Vec<&str> = graph.nodes.iter().take(1).map(|item| item.id.as_str()).collect();
    match graph.starts.as_slice() {
        starts if starts == first => {}
        [one] => text(out, "start", one),
        several => {
            out.insert("start".to_owned(), json!(several));
        }
    }
    if !is_chain(graph) {
        out.insert("edges".to_owned(), Value::Array(edges(&graph.edges)));
    }
}

/// Returns true if the nodes follow each other in file order, which is the meaning of a missing `edges` field.
fn is_chain(graph: &FlowGraph) -> bool {
    let pairs = graph.nodes.iter().zip(graph.nodes.iter().skip(1));
    let chain =
        pairs.map(|(one, next)| (one.id.as_str(), &EdgeCondition::Success, next.id.as_str()));
    let has_choice = graph.nodes.iter().any(|item| matches!(item.inside, NodeBody::Choice(_)));
    let written = graph.edges.iter().map(|edge| (edge.from.as_str(), &edge.on, edge.to.as_str()));
    !has_choice && chain.eq(written)
}

/// Writes edges as arrows. Consecutive edges share a line: `a -> b -> c`.
fn edges(edges: &[Edge]) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    let mut open: Option<(String, &str)> = None;
    for edge in edges {
        let when = match &edge.on {
            EdgeCondition::Success | EdgeCondition::Branch(_) => {
                let line = match open.take() {
                    Some((line, end)) if end == edge.from => joined(&line, edge, &mut lines),
                    Some((line, _)) => {
                        lines.push(Value::from(line));
                        shown(edge)
                    }
                    None => shown(edge),
                };
                open = Some((line, &edge.to));
                continue;
            }
            EdgeCondition::Failure | EdgeCondition::Unhandled => "failed",
            EdgeCondition::End => "ended",
        };
        lines.extend(open.take().map(|(line, _)| Value::from(line)));
        lines.push(json!({"from": edge.from, "to": edge.to, "when": when}));
    }
    lines.extend(open.map(|(line, _)| Value::from(line)));
    lines
}

/// Appends the edge to the line. A branch starts a new line, so that it is easier to find.
fn joined(line: &str, edge: &Edge, lines: &mut Vec<Value>) -> String {
    match edge.on {
        EdgeCondition::Success => format!("{line} -> {}", edge.to),
        EdgeCondition::Branch(_)
        | EdgeCondition::Failure
        | EdgeCondition::Unhandled
        | EdgeCondition::End => {
            lines.push(Value::from(line));
            shown(edge)
        }
    }
}

/// Returns a node as a document.
pub fn item(item: &FlowItem) -> Value {
    let mut out = Map::new();
    out.insert("id".to_owned(), json!(item.id));
    out.insert("call".to_owned(), json!(item.call));
    text(&mut out, "name", &item.name);
    text(&mut out, "description", &item.description);
    table(&mut out, "known", &item.known);
    table(&mut out, "params", &item.params);
    table(&mut out, "input", &item.input);
    table(&mut out, "output", &item.output);
    out.extend(item.fill.map(|fill| ("fill".to_owned(), json!(fill))));
    out.extend(item.to_user.map(|to_user| ("to_user".to_owned(), json!(to_user))));
    out.extend(item.approve.map(|approve| ("approve".to_owned(), json!(approve.word()))));
    let unanswered = item.unanswered.as_ref().map(people::written);
    out.extend(unanswered.map(|written| ("unanswered".to_owned(), written)));
    match &item.inside {
        NodeBody::Nothing => {}
        NodeBody::Choice(choice) => {
            let written = serde_json::to_value(choice).unwrap_or_default();
            out.extend(written.as_object().cloned().unwrap_or_default());
        }
        NodeBody::Loop(it) => repeated(&mut out, it),
        NodeBody::Nodes(inner) => nested(&mut out, inner),
        NodeBody::Flow(name) => text(&mut out, "flow", name),
        NodeBody::Agent(agent) => {
            let usual = if agent.gives_result {
                out.insert("database".to_owned(), json!(agent.tools.first()));
                DEFAULT_QUERIES
            } else {
                out.insert("tools".to_owned(), json!(agent.tools));
                DEFAULT_TURNS
            };
            out.extend((agent.max != usual).then(|| ("max".to_owned(), json!(agent.max))));
        }
    }
    Value::Object(out)
}

fn nested(out: &mut Map<String, Value>, nested: &NestedFlow) {
    graph(out, &nested.graph);
    table(out, "outputs", &nested.outputs);
}

fn repeated(out: &mut Map<String, Value>, repeated: &LoopSpec) {
    nested(out, &repeated.nested);
    table(out, "variables", &repeated.variables);
    out.extend(repeated.over.clone().map(|over| ("over".to_owned(), over)));
    if let Some(until) = &repeated.until {
        let mut written = serde_json::to_value(until).unwrap_or_default();
        // The condition of a loop has no id in the file.
        written.as_object_mut().and_then(|map| map.remove("id"));
        out.insert("until".to_owned(), written);
    }
    let usual = if repeated.over.is_some() { MAX_ITERATIONS } else { DEFAULT_PASSES };
    let ends = repeated.over.is_some() || repeated.until.is_some();
    if repeated.max != usual || !ends {
        out.insert("max".to_owned(), json!(repeated.max));
    }
    table(out, "set", &repeated.set);
    out.extend(repeated.collect.clone().map(|collect| ("collect".to_owned(), collect)));
    if repeated.on_failure != OnFailure::Fail {
        out.insert("on_failure".to_owned(), json!(repeated.on_failure));
    }
}
