//! Reads the edges of a graph: `a -> b`, `choice.branch -> c`, `a -> b -> c`, or a table.

use super::file::{Edge, FlowItem, NodeBody};
use super::problems::FlowProblems;
use crate::intake::node::EdgeCondition;
use serde_json::Value;

/// Reads all edges. Without an `edges` field, the nodes form a chain in file order.
pub fn read(
    written: Option<&Value>,
    nodes: &[FlowItem],
    at: &str,
    findings: &mut FlowProblems,
) -> Vec<Edge> {
    let place = |index: usize| format!("{at}edges[{index}]");
    let Some(written) = written else { return chain(nodes, at, findings) };
    let Some(list) = written.as_array() else {
        findings.blame(
            "flow_edge",
            &format!("{at}edges"),
            ("`edges` must be a list", "`edges` 必须是列表"),
            ("write one edge per line: `- a -> b`", "每行写一条边：`- a -> b`"),
        );
        return vec![];
    };
    let mut edges = Vec::new();
    for (index, written) in list.iter().enumerate() {
        match written {
            Value::String(text) => edges.extend(arrows(text, &place(index), findings)),
            Value::Object(_) => edges.extend(table(written, &place(index), findings)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                unreadable(&written.to_string(), &place(index), findings);
            }
        }
    }
    edges
}

fn chain(nodes: &[FlowItem], at: &str, findings: &mut FlowProblems) -> Vec<Edge> {
    if let Some(choice) = nodes.iter().find(|item| matches!(item.inside, NodeBody::Choice(_))) {
        findings.blame(
            "flow_edge",
            &format!("{at}edges"),
            (
                format!("missing `edges`, which are required because `{}` has branches", choice.id),
                format!("缺少 `edges`；`{}` 有分支，必须写明边", choice.id),
            ),
            (
                format!("write where each branch leads: `- {}.BRANCH -> NODE`", choice.id),
                format!("写明每个分支的去向：`- {}.分支 -> 节点`", choice.id),
            ),
        );
        return vec![];
    }
    let pairs = nodes.iter().zip(nodes.iter().skip(1));
    pairs
        .map(|(one, next)| Edge {
            from: one.id.clone(),
            on: EdgeCondition::Success,
            to: next.id.clone(),
        })
        .collect()
}

fn unreadable(text: &str, at: &str, findings: &mut FlowProblems) {
    findings.blame(
        "flow_edge",
        at,
        (format!("invalid edge `{text}`"), format!("无效的边 `{text}`")),
        (
            "write `from -> to`, `choice.branch -> to`, or an object with `from`, `to` and `when`",
            "写成 `from -> to`、`choice.branch -> to`，或含 `from`、`to`、`when` 的对象",
        ),
    );
}

fn arrows(text: &str, at: &str, findings: &mut FlowProblems) -> Vec<Edge> {
    let stations: Vec<&str> = text.split("->").map(str::trim).collect();
    if stations.len() < 2 || stations.iter().any(|station| station.is_empty()) {
        unreadable(text, at, findings);
        return vec![];
    }
    stations.last().into_iter().for_each(|last| no_branch(last, at, findings));
    let pairs = stations.iter().zip(stations.iter().skip(1));
    pairs.map(|(from, to)| edge(from, to)).collect()
}

/// Reports an edge that ends at a branch: edges lead to nodes.
fn no_branch(to: &str, at: &str, findings: &mut FlowProblems) {
    let Some((node, branch)) = to.split_once('.') else { return };
    findings.blame(
        "flow_edge",
        at,
        (
            format!("the edge ends at branch `{branch}` of `{node}`, but edges must end at a node"),
            format!("边的终点是 `{node}` 的分支 `{branch}`，但边只能指向节点"),
        ),
        (
            format!("write `… -> {node}`, and a separate edge for the branch: `{to} -> NODE`"),
            format!("写成 `… -> {node}`，并为该分支另写一条边：`{to} -> 节点`"),
        ),
    );
}

/// Builds an edge. The start may name a branch: `node.branch`.
fn edge(from: &str, to: &str) -> Edge {
    let (from, on) = match from.split_once('.') {
        Some((node, branch)) => (node, EdgeCondition::Branch(branch.to_owned())),
        None => (from, EdgeCondition::Success),
    };
    let to = to.split_once('.').map_or(to, |(node, _)| node);
    Edge { from: from.to_owned(), on, to: to.to_owned() }
}

fn table(written: &Value, at: &str, findings: &mut FlowProblems) -> Option<Edge> {
    let text = |key: &str| written.get(key).and_then(Value::as_str).map(str::trim);
    let (Some(from), Some(to)) = (text("from"), text("to")) else {
        unreadable(&written.to_string(), at, findings);
        return None;
    };
    let known = ["from", "to", "when"];
    for key in written.as_object().into_iter().flat_map(|map| map.keys()) {
        if !known.contains(&key.as_str()) {
            findings.blame_near(
                ("unknown_field", at),
                (format!("unknown edge field `{key}`"), format!("未知的边字段 `{key}`")),
                &crate::near::near(key, known.into_iter()),
                ("an edge has `from`, `to` and `when`", "边的字段是 `from`、`to` 和 `when`"),
            );
        }
    }
    no_branch(to, at, findings);
    let mut edge = edge(from, to);
    match (written.get("when").map(|when| when.as_str().unwrap_or_default()), &edge.on) {
        (None, _) | (Some("succeeded"), EdgeCondition::Success) => {}
        (Some("failed"), EdgeCondition::Success) => edge.on = EdgeCondition::Failure,
        (Some("ended"), EdgeCondition::Success) => edge.on = EdgeCondition::End,
        (Some(when), EdgeCondition::Branch(branch)) => findings.blame(
            "flow_edge",
            at,
            (
                format!("an edge from branch `{branch}` cannot have `when: {when}`"),
                format!("从分支 `{branch}` 出发的边不能有 `when: {when}`"),
            ),
            ("remove `when`", "删除 `when`"),
        ),
        (Some(when), _) => findings.blame_near(
            ("flow_edge", at),
            (format!("unknown `when: {when}`"), format!("未知的 `when: {when}`")),
            &crate::near::near(when, ["succeeded", "failed", "ended"].into_iter()),
            (
                "`when` must be `succeeded`, `failed` or `ended`",
                "`when` 必须是 `succeeded`、`failed` 或 `ended`",
            ),
        ),
    }
    Some(edge)
}
