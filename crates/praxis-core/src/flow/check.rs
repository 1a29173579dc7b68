//! Checks a flow before it runs: calls, edges, order, references, types.
//!
//! - in: a flow as read, the tools, the flows that it may call
//! - out: all problems, each with its place and its fix
//! - never: runs or calls anything

use super::agents;
use super::compile::{Flows, in_order};
use super::file::{Edge, Flow, FlowGraph, FlowItem, NodeBody};
use super::location::FlowLocation;
use super::problems::FlowProblems;
use super::references::FlowNames;
use crate::call::own_tools::calls;
use crate::flow::environment::FlowEnvironment;
use crate::ids::{ToolId, check_name};
use crate::intake::node::EdgeCondition;
use crate::intake::reserved::OUTPUTS;
use crate::near::near;
use crate::schema::Schema;
use serde_json::Value;
use std::collections::BTreeSet;

/// The largest number of nodes that a message names.
const MOST_NAMED: usize = 10;

/// Reports all problems of a flow.
pub fn check(flow: &Flow, ground: FlowEnvironment<'_>, findings: &mut FlowProblems) {
    let before = findings.problems.len();
    let extra = flow.before.iter().chain(&flow.after).chain(flow.on_error.as_deref());
    let beside: Vec<&str> = extra.map(|item| item.id.as_str()).collect();
    for (at, graph) in flow.graphs() {
        let beside = if at.is_empty() { beside.as_slice() } else { &[] };
        GraphCheck { graph, at: &at, beside, ground, findings }.through();
    }
    extra_nodes(flow, ground, findings);
    for (name, schema) in &flow.inputs {
        input(flow, (name, schema), findings);
    }
    called_flows(flow, ground, findings);
    // References depend on the order of the nodes, which a broken graph does not have.
    if findings.problems.len() == before {
        FlowNames::of(flow, ground).check(findings);
    }
}

/// Checks one input: its schema, its default, its name.
fn input(flow: &Flow, (name, schema): (&str, &Value), findings: &mut FlowProblems) {
    let at = format!("inputs.{name}");
    match Schema::compile(schema) {
        Err(why) => findings.blame(
            "flow_input",
            &at,
            (format!("invalid JSON Schema: {why}"), format!("无效的 JSON Schema：{why}")),
            ("write a schema like `{type: string}`", "写成 `{type: string}` 这样的 schema"),
        ),
        Ok(schema_of) => {
            let errors = schema.get("default").map(|default| schema_of.errors(default));
            if let Some(error) = errors.and_then(|errors| errors.into_iter().next()) {
                let detail = error.detail;
                findings.blame(
                    "flow_input",
                    &format!("{at}.default"),
                    (
                        format!("the default does not match the schema: {detail}"),
                        format!("默认值不符合 schema：{detail}"),
                    ),
                    ("fix the default or the schema", "修正默认值或 schema"),
                );
            }
        }
    }
    let extra = flow.before.iter().chain(&flow.after).chain(flow.on_error.as_deref());
    let mut nodes = flow.graph.nodes.iter().chain(extra);
    let is_node = nodes.any(|item| item.id == name);
    if is_node || name == OUTPUTS || check_name(name).is_err() {
        let what = if is_node {
            (format!("`{name}` is also the id of a node"), format!("`{name}` 也是节点的 id"))
        } else {
            (
                format!("`{name}` cannot be used in a placeholder"),
                format!("占位符无法引用 `{name}`"),
            )
        };
        let mend =
            ("rename the input; use letters, digits and `_`", "重命名该输入；使用字母、数字和 `_`");
        findings.blame("flow_input", &at, what, mend);
    }
}

/// Checks the nodes outside the graph (`before`, `after`, `on_error`): their ids and their calls.
fn extra_nodes(flow: &Flow, ground: FlowEnvironment<'_>, findings: &mut FlowProblems) {
    let mut seen: BTreeSet<&str> = flow.graph.nodes.iter().map(|item| item.id.as_str()).collect();
    let extra = flow.before.iter().chain(&flow.after).chain(flow.on_error.as_deref());
    for item in extra {
        let at = FlowLocation::item("", item);
        if !seen.insert(&item.id) {
            twice(item, &at, findings);
        }
        call(item, &at, ground, findings);
        if !matches!(item.inside, NodeBody::Nothing | NodeBody::Flow(_) | NodeBody::Agent(_)) {
            findings.blame(
                "flow_call",
                &at,
                (
                    "a node in `before`, `after` or `on_error` must be a single call",
                    "`before`、`after` 和 `on_error` 中只能放普通调用节点，不能放分支或循环",
                ),
                (
                    "move the branches or loops into a separate flow and call it with `SubFlow`",
                    "把分支或循环移到单独的流程中，用 `SubFlow` 调用",
                ),
            );
        }
    }
}

fn twice(item: &FlowItem, at: &str, findings: &mut FlowProblems) {
    findings.blame(
        "flow_id",
        at,
        (format!("duplicate node id `{}`", item.id), format!("节点 id `{}` 重复", item.id)),
        ("rename one of them", "重命名其中一个"),
    );
}

fn call(item: &FlowItem, at: &str, ground: FlowEnvironment<'_>, findings: &mut FlowProblems) {
    if let NodeBody::Agent(agent) = &item.inside {
        agents::check(agent, at, ground, findings);
    }
    if item.call.is_empty() || ground.tool(&item.call).is_some() {
        return;
    }
    let known = calls().keys().chain(ground.toolbox.keys()).map(ToolId::as_str);
    findings.blame_near(
        ("flow_call", at),
        (
            format!("unknown tool or node type `{}`", item.call),
            format!("未知的工具或节点类型 `{}`", item.call),
        ),
        &near(&item.call, known),
        (
            "pass its manifest with `--tools`; `praxis flow calls` lists the built-in node types",
            "用 `--tools` 提供其清单；`praxis flow calls` 列出内置节点类型",
        ),
    );
}

/// Checks the flows that are called by name: they must exist and must not call this flow in turn.
fn called_flows(flow: &Flow, ground: FlowEnvironment<'_>, findings: &mut FlowProblems) {
    for (at, name) in calls_of(flow) {
        let Some(called) = ground.flows.get(&name) else {
            findings.blame_near(
                ("flow_sub", &at),
                (format!("flow `{name}` not found"), format!("找不到流程 `{name}`")),
                &near(&name, ground.flows.keys().map(String::as_str)),
                (
                    format!("put it into `{name}.yaml` in the same folder"),
                    format!("在同一文件夹中创建 `{name}.yaml`"),
                ),
            );
            continue;
        };
        let mut path = vec![flow.name.clone()];
        if let Some(circle) = leads_back(called, ground.flows, &mut path) {
            findings.blame(
                "flow_sub",
                &at,
                (format!("the flow calls itself: {circle}"), format!("流程调用了自身：{circle}")),
                ("use a `Loop` to repeat nodes", "重复执行的节点请用 `Loop`"),
            );
        }
    }
}

/// Returns the flows that a flow calls, each with the place of the call.
pub fn calls_of(flow: &Flow) -> Vec<(String, String)> {
    let inner = flow.graphs().into_iter().flat_map(|(at, graph)| {
        graph
            .nodes
            .iter()
            .map(move |item| (FlowLocation::item(&at, item), item))
            .collect::<Vec<_>>()
    });
    let extra = flow.before.iter().chain(&flow.after).chain(flow.on_error.as_deref());
    let extra = extra.map(|item| (FlowLocation::item("", item), item));
    let called = |(at, item): (String, &FlowItem)| match &item.inside {
        NodeBody::Flow(name) => Some((at, name.clone())),
        NodeBody::Nothing | NodeBody::Choice(_) | NodeBody::Loop(_) | NodeBody::Nodes(_) => None,
        NodeBody::Agent(_) => None,
    };
    inner.chain(extra).filter_map(called).collect()
}

fn leads_back(flow: &Flow, flows: &Flows, path: &mut Vec<String>) -> Option<String> {
    path.push(flow.name.clone());
    let first = path.first().cloned().unwrap_or_default();
    if flow.name == first || path.len() > super::file::DEEPEST {
        return Some(path.join(" -> "));
    }
    for (_, name) in calls_of(flow) {
        let found = flows.get(&name).and_then(|called| leads_back(called, flows, path));
        if found.is_some() {
            return found;
        }
    }
    path.pop();
    None
}

/// The check of one graph.
struct GraphCheck<'a, 's> {
    graph: &'a FlowGraph,
    at: &'a str,
    /// Ids of the nodes that run before or after the whole graph.
    beside: &'a [&'a str],
    ground: FlowEnvironment<'a>,
    findings: &'s mut FlowProblems,
}

impl GraphCheck<'_, '_> {
    fn through(&mut self) {
        let mut seen = BTreeSet::new();
        for item in &self.graph.nodes {
            let at = FlowLocation::item(self.at, item);
            if !seen.insert(item.id.as_str()) {
                twice(item, &at, self.findings);
            }
            call(item, &at, self.ground, self.findings);
        }
        // With duplicate ids, edges are ambiguous.
        if seen.len() < self.graph.nodes.len() {
            return;
        }
        let mut known = BTreeSet::new();
        for edge in &self.graph.edges {
            self.edge(edge, !known.insert(shown(edge)));
        }
        for start in &self.graph.starts {
            self.start(start);
        }
        if !self.circle() {
            self.unreached();
        }
    }

    fn node(&self, id: &str) -> Option<&FlowItem> {
        self.graph.nodes.iter().find(|item| item.id == id)
    }

    fn edge(&mut self, edge: &Edge, again: bool) {
        let at = format!("{}edges, {}", self.at, shown(edge));
        for id in [&edge.from, &edge.to] {
            self.known(id, &at);
        }
        if edge.from == edge.to {
            self.findings.blame(
                "flow_cycle",
                &at,
                ("the node has an edge to itself", "节点有指向自身的边"),
                ("use a `Loop` to repeat nodes", "重复执行的节点请用 `Loop`"),
            );
        }
        if again {
            self.findings.blame(
                "flow_edge",
                &at,
                ("duplicate edge", "边重复"),
                ("remove one of them", "删除其中一条"),
            );
        }
        self.branch(edge, &at);
    }

    /// Checks the branch of an edge: an edge from a `Choice` names one, any other edge does not.
    fn branch(&mut self, edge: &Edge, at: &str) {
        let Some(from) = self.node(&edge.from) else { return };
        match (&from.inside, &edge.on) {
            (NodeBody::Choice(choice), EdgeCondition::Branch(branch)) => {
                let ids: Vec<String> = choice.ids().into_iter().map(str::to_owned).collect();
                if !ids.contains(branch) {
                    self.findings.blame_near(
                        ("flow_branch", at),
                        (
                            format!("`{}` has no branch `{branch}`", edge.from),
                            format!("`{}` 没有分支 `{branch}`", edge.from),
                        ),
                        &near(branch, ids.iter().map(String::as_str)),
                        (
                            format!("its branches are {}", ids.join(", ")),
                            format!("它的分支有 {}", ids.join("、")),
                        ),
                    );
                }
            }
            (NodeBody::Choice(_), EdgeCondition::Success) => self.findings.blame(
                "flow_branch",
                at,
                (
                    format!("`{}` has branches, but the edge names none", edge.from),
                    format!("`{}` 有分支，但边没有写明分支", edge.from),
                ),
                (
                    format!(
                        "write `{}.BRANCH -> {}`, or add `when: ended` to follow any branch",
                        edge.from, edge.to
                    ),
                    format!(
                        "写成 `{}.分支 -> {}`，或加上 `when: ended` 表示任意分支",
                        edge.from, edge.to
                    ),
                ),
            ),
            (_, EdgeCondition::Branch(branch)) => self.findings.blame(
                "flow_branch",
                at,
                (
                    format!("`{}` is not a `Choice`, so it has no branch `{branch}`", edge.from),
                    format!("`{}` 不是 `Choice`，没有分支 `{branch}`", edge.from),
                ),
                (
                    format!("write `{} -> {}`", edge.from, edge.to),
                    format!("写成 `{} -> {}`", edge.from, edge.to),
                ),
            ),
            (
                _,
                EdgeCondition::Success
                | EdgeCondition::Failure
                | EdgeCondition::Unhandled
                | EdgeCondition::End,
            ) => {}
        }
    }

    fn known(&mut self, id: &str, at: &str) {
        if self.node(id).is_some() {
            return;
        }
        if self.beside.contains(&id) {
            let what = (
                format!("`{id}` is in `before`, `after` or `on_error`, where nodes have no edges"),
                format!("`{id}` 位于 `before`、`after` 或 `on_error` 中，不能用边连接"),
            );
            let mend = (
                "remove the edge, or move the node under `nodes`",
                "删除该边，或把该节点移到 `nodes` 下",
            );
            return self.findings.blame("flow_edge", at, what, mend);
        }
        let ids = self.graph.nodes.iter().map(|item| item.id.as_str());
        let known: Vec<&str> = ids.clone().take(MOST_NAMED).collect();
        self.findings.blame_near(
            ("flow_edge", at),
            (format!("unknown node `{id}`"), format!("未知节点 `{id}`")),
            &near(id, ids),
            (
                format!("use a node at the same level: {}", known.join(", ")),
                format!("请使用同一层的节点：{}", known.join("、")),
            ),
        );
    }

    fn start(&mut self, start: &str) {
        let at = format!("{}start", self.at);
        self.known(start, &at);
        if let Some(edge) = self.graph.edges.iter().find(|edge| edge.to == start) {
            self.findings.blame(
                "flow_edge",
                &at,
                (
                    format!(
                        "`{start}` is a start node, but an edge from `{}` leads to it",
                        edge.from
                    ),
                    format!("`{start}` 是起点，但有边从 `{}` 指向它", edge.from),
                ),
                (
                    "choose another start with `start: NODE`, or remove the edge",
                    "用 `start: 节点` 另选起点，或删除该边",
                ),
            );
        }
    }

    /// Reports a cycle and returns true if there is one.
    fn circle(&mut self) -> bool {
        let ordered: BTreeSet<&str> =
            in_order(self.graph).into_iter().map(|item| item.id.as_str()).collect();
        let known = |id: &str| self.node(id).is_some();
        let stuck = |id: &&str| !ordered.contains(id) && known(id);
        let Some(mut here) = self.graph.nodes.iter().map(|item| item.id.as_str()).find(stuck)
        else {
            return false;
        };
        let mut path = vec![here];
        loop {
            let next =
                self.graph.edges.iter().find(|edge| edge.to == here && stuck(&edge.from.as_str()));
            let Some(next) = next else { return false };
            here = next.from.as_str();
            let met = path.iter().position(|id| *id == here);
            path.push(here);
            if let Some(met) = met {
                let circle: Vec<&str> = path.drain(met..).rev().collect();
                // An edge from a node to itself is already reported.
                if circle.len() <= 2 {
                    return true;
                }
                let circle = circle.join(" -> ");
                self.findings.blame(
                    "flow_cycle",
                    &format!("{}edges", self.at),
                    (format!("the edges form a cycle: {circle}"), format!("边形成环：{circle}")),
                    (
                        "use a `Loop` to repeat nodes, or remove an edge",
                        "重复执行的节点请用 `Loop`，或删除一条边",
                    ),
                );
                return true;
            }
        }
    }

    fn unreached(&mut self) {
        let mut reached: BTreeSet<&str> = self.graph.starts.iter().map(String::as_str).collect();
        for item in in_order(self.graph) {
            let leads = |edge: &&Edge| edge.to == item.id && reached.contains(edge.from.as_str());
            if self.graph.edges.iter().any(|edge| leads(&edge)) {
                reached.insert(&item.id);
            }
        }
        for item in self.graph.nodes.iter().filter(|item| !reached.contains(item.id.as_str())) {
            self.findings.blame(
                "flow_unreachable",
                &FlowLocation::item(self.at, item),
                (
                    "no edge leads to this node, so it never runs",
                    "没有边指向该节点，它永远不会执行",
                ),
                (
                    format!("add an edge `… -> {0}`, or list it in `start`", item.id),
                    format!("加一条边 `… -> {0}`，或把它写进 `start`", item.id),
                ),
            );
        }
    }
}

/// Returns an edge as one line of text.
pub fn shown(edge: &Edge) -> String {
    match &edge.on {
        EdgeCondition::Success => format!("{} -> {}", edge.from, edge.to),
        EdgeCondition::Branch(branch) => format!("{}.{branch} -> {}", edge.from, edge.to),
        EdgeCondition::Failure | EdgeCondition::Unhandled => {
            format!("{} -> {} (failed)", edge.from, edge.to)
        }
        EdgeCondition::End => format!("{} -> {} (ended)", edge.from, edge.to),
    }
}
