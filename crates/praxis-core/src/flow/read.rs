//! Reads a flow file: every field strictly, and every mistake with its place and its fix.
//!
//! - in: a document
//! - out: a [`Flow`] as written, and the problems of its form
//! - never: checks calls or references; that is the job of [`check`](super::check)

use super::file::{DEEPEST, Flow, FlowGraph, FlowItem, MAX_NODES, NestedFlow, NodeBody};
use super::problems::FlowProblems;
use super::{agents, branches, edges, loops, people};
use crate::flow::reader::FlowReader;
use serde_json::{Map, Value};

const FLOW_KEYS: &[&str] = &[
    "flow",
    "description",
    "inputs",
    "outputs",
    "before",
    "nodes",
    "edges",
    "start",
    "on_error",
    "after",
];
const NODE_KEYS: &[&str] = &[
    "id",
    "name",
    "call",
    "known",
    "params",
    "input",
    "output",
    "fill",
    "to_user",
    "approve",
    "unanswered",
    "description",
];
const CHOICE_KEYS: &[&str] = &["branches", "otherwise"];
const NESTED_KEYS: &[&str] = &["nodes", "edges", "start", "outputs", "flow"];

/// Reads a flow and reports all problems of its form.
pub fn read(document: &Value, findings: &mut FlowProblems) -> Flow {
    let mut reader = FlowReader { findings, nodes: 0 };
    let Some(map) = document.as_object() else {
        let wanted = ("a flow must be an object", "流程必须是对象");
        let example = "{flow: NAME, nodes: [{id: a, call: Empty}]}";
        reader.shape("", wanted, example, document);
        return Flow::default();
    };
    if map.contains_key("steps") && !map.contains_key("nodes") {
        reader.findings.blame(
            "flow_shape",
            "steps",
            ("this is a plan, not a flow", "这是计划，不是流程"),
            (
                "run it with `praxis run FILE`, or rewrite it as a flow with `flow: NAME` and `nodes`",
                "用 `praxis run FILE` 执行，或用 `flow: 名称` 和 `nodes` 改写为流程",
            ),
        );
        return Flow::default();
    }
    reader.known_keys(map, &[FLOW_KEYS], "");
    let name = reader.text(map, "flow", "");
    reader.name(&name, map.get("flow"));
    let flow = Flow {
        name,
        description: reader.text(map, "description", ""),
        inputs: reader.table(map, "inputs", ""),
        outputs: reader.table(map, "outputs", ""),
        before: reader.items(map, "before", ""),
        graph: reader.graph(map, "", 1),
        on_error: map.get("on_error").and_then(|it| reader.item(it, "on_error", 1)).map(Box::new),
        after: reader.items(map, "after", ""),
    };
    if reader.nodes > MAX_NODES {
        reader.findings.blame(
            "flow_size",
            "nodes",
            (
                format!("the flow has {} nodes, at most {MAX_NODES} are allowed", reader.nodes),
                format!("流程有 {} 个节点，最多允许 {MAX_NODES} 个", reader.nodes),
            ),
            (
                "move a part into a separate flow and call it with `SubFlow`",
                "把一部分移到单独的流程，用 `SubFlow` 调用",
            ),
        );
    }
    flow
}

impl FlowReader<'_> {
    fn items(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> Vec<FlowItem> {
        let Some(written) = map.get(key) else { return vec![] };
        let Some(list) = written.as_array() else {
            self.shape(
                &format!("{at}{key}"),
                ("expected a list of nodes", "应为节点列表"),
                &format!("{key}: [{{id: a, call: Empty}}]"),
                written,
            );
            return vec![];
        };
        let place = |index: usize| format!("{at}{key}[{index}]");
        let read = |(index, item): (usize, &Value)| self.item(item, &place(index), depth_of(at));
        list.iter().enumerate().filter_map(read).collect()
    }

    /// Reads nodes, the edges between them, and the start nodes.
    pub(super) fn graph(&mut self, map: &Map<String, Value>, at: &str, depth: usize) -> FlowGraph {
        if depth > DEEPEST {
            self.findings.blame(
                "flow_size",
                at.trim_end_matches(", "),
                (
                    format!("nodes are nested more than {DEEPEST} levels deep"),
                    format!("节点嵌套超过 {DEEPEST} 层"),
                ),
                ("move the inner part into a separate flow", "把内层移到单独的流程"),
            );
            return FlowGraph::default();
        }
        let nodes = self.items(map, "nodes", at);
        let is_none = |written: &Value| written.as_array().is_some_and(Vec::is_empty);
        if map.get("nodes").is_none_or(is_none) {
            self.findings.blame(
                "flow_shape",
                &format!("{at}nodes"),
                ("there are no nodes", "没有节点"),
                (
                    "write at least one node with `id` and `call`",
                    "至少写一个含 `id` 和 `call` 的节点",
                ),
            );
        }
        let edges = edges::read(map.get("edges"), &nodes, at, self.findings);
        let starts = self.starts(map, &nodes, at);
        FlowGraph { nodes, edges, starts }
    }

    /// Returns the start nodes: those named in `start`, or else the first node.
    fn starts(&mut self, map: &Map<String, Value>, nodes: &[FlowItem], at: &str) -> Vec<String> {
        let ids = match map.get("start") {
            None => return nodes.first().map(|item| item.id.clone()).into_iter().collect(),
            Some(Value::String(id)) => vec![id.clone()],
            Some(Value::Array(ids)) => {
                ids.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Some(_) => vec![],
        };
        let written = map.get("start").cloned().unwrap_or_default();
        let count = written.as_array().map_or(1, Vec::len);
        if ids.is_empty() || ids.len() < count {
            let wanted = ("expected a node id or a list of node ids", "应为节点 id 或节点 id 列表");
            self.shape(&format!("{at}start"), wanted, "start: [a, b]", &written);
        }
        ids
    }

    fn item(&mut self, written: &Value, place: &str, depth: usize) -> Option<FlowItem> {
        self.nodes += 1;
        let Some(map) = written.as_object() else {
            let wanted = ("a node must be an object", "节点必须是对象");
            self.shape(place, wanted, "{id: a, call: Empty}", written);
            return None;
        };
        let id = self.id(map, place)?;
        let at = format!("{}nodes.{id}, ", above(place));
        let call = self.text(map, "call", &at);
        if call.is_empty() {
            self.findings.blame(
                "flow_call",
                at.trim_end_matches(", "),
                ("missing `call`", "缺少 `call`"),
                (
                    "add `call: NAME` with a tool or a built-in node type (see `praxis flow calls`)",
                    "加上 `call: 名称`，填工具名或内置节点类型（见 `praxis flow calls`）",
                ),
            );
        }
        let extra: &[&str] = match call.as_str() {
            "Choice" => CHOICE_KEYS,
            "Loop" => loops::KEYS,
            "SubFlow" => NESTED_KEYS,
            "Agent" => agents::KEYS,
            "SQL" => agents::QUESTION_KEYS,
            _ => &[],
        };
        self.known_keys(map, &[NODE_KEYS, extra], &at);
        let inside = match call.as_str() {
            "Choice" => NodeBody::Choice(branches::choice(map, &at, self.findings)),
            "Loop" => self.repeated(map, &at, depth),
            "SubFlow" => self.nested(map, &at, depth),
            "Agent" => NodeBody::Agent(agents::read(map, &at, self.findings)),
            "SQL" => NodeBody::Agent(agents::read_question(map, &at, self.findings)),
            _ => NodeBody::Nothing,
        };
        Some(FlowItem {
            name: self.text(map, "name", &at),
            description: self.text(map, "description", &at),
            known: self.table(map, "known", &at),
            params: self.table(map, "params", &at),
            input: self.table(map, "input", &at),
            output: self.table(map, "output", &at),
            fill: self.flag(map, "fill", &at),
            to_user: self.flag(map, "to_user", &at),
            approve: people::approve(map.get("approve"), &call, &at, self.findings),
            unanswered: people::unanswered(map.get("unanswered"), &at, self.findings),
            id,
            call,
            inside,
        })
    }

    fn nested(&mut self, map: &Map<String, Value>, at: &str, depth: usize) -> NodeBody {
        let by_name = self.text(map, "flow", at);
        match (by_name.is_empty(), map.contains_key("nodes")) {
            (false, false) => NodeBody::Flow(by_name),
            (true, true) => NodeBody::Nodes(Box::new(NestedFlow {
                graph: self.graph(map, at, depth + 1),
                outputs: self.table(map, "outputs", at),
            })),
            (both, _) => {
                let what = if both {
                    (
                        "the sub-flow has neither `flow` nor `nodes`",
                        "子流程既没有 `flow` 也没有 `nodes`",
                    )
                } else {
                    ("the sub-flow has both `flow` and `nodes`", "子流程同时有 `flow` 和 `nodes`")
                };
                let mend = (
                    "either name another flow in `flow`, or list the nodes under `nodes`",
                    "用 `flow` 引用另一个流程，或在 `nodes` 下写节点，二选一",
                );
                self.findings.blame("flow_sub", at.trim_end_matches(", "), what, mend);
                NodeBody::Nothing
            }
        }
    }
}

/// Returns the enclosing place of a node: `nodes.each, ` for `nodes.each, nodes[2]`.
fn above(place: &str) -> &str {
    place.rfind(", ").and_then(|at| place.get(..at + 2)).unwrap_or_default()
}

fn depth_of(at: &str) -> usize {
    1 + at.matches("nodes.").count()
}
