//! Reads the fields of a `Loop` node: its end, its variables, its reaction to failures.

use super::branches;
use super::file::{DEFAULT_PASSES, LoopSpec, MAX_ITERATIONS, NestedFlow, NodeBody};
use super::reader::FlowReader;
use crate::dataflow::context::FAILURE;
use crate::intake::node::OnFailure;
use crate::intake::reserved::{INDEX, ITEM};
use crate::near::near;
use serde_json::{Map, Value};

/// The fields of a `Loop` besides those of every node.
pub(super) const KEYS: &[&str] = &[
    "nodes",
    "edges",
    "start",
    "outputs",
    "variables",
    "over",
    "until",
    "max",
    "set",
    "collect",
    "on_failure",
];

impl FlowReader<'_> {
    /// Reads the nodes of a loop and its settings.
    pub(super) fn repeated(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> NodeBody {
        let until = map.get("until").and_then(|it| branches::until(it, at, self.findings));
        let repeated = LoopSpec {
            nested: NestedFlow {
                graph: self.graph(map, at, depth + 1),
                outputs: self.table(map, "outputs", at),
            },
            variables: self.table(map, "variables", at),
            over: map.get("over").cloned(),
            max: self.max(map, at),
            set: self.table(map, "set", at),
            collect: map.get("collect").cloned(),
            on_failure: self.on_failure(map, at),
            until,
        };
        if !["until", "over", "max"].iter().any(|key| map.contains_key(*key)) {
            self.findings.blame(
                "flow_loop",
                at.trim_end_matches(", "),
                ("the loop has no end condition", "循环没有结束条件"),
                ("add `until`, `over` or `max`", "加上 `until`、`over` 或 `max`"),
            );
        }
        for name in repeated.set.keys().filter(|name| !repeated.variables.contains_key(*name)) {
            self.findings.blame_near(
                ("flow_loop", &format!("{at}set.{name}")),
                (
                    format!("`{name}` is not a variable of the loop"),
                    format!("`{name}` 不是循环的变量"),
                ),
                &near(name, repeated.variables.keys().map(String::as_str)),
                (
                    format!("declare it with an initial value: `variables: {{{name}: …}}`"),
                    format!("声明它并给出初值：`variables: {{{name}: …}}`"),
                ),
            );
        }
        self.own_names(&repeated, at);
        NodeBody::Loop(Box::new(repeated))
    }

    /// Reports variables whose names have another meaning inside the loop.
    fn own_names(&mut self, repeated: &LoopSpec, at: &str) {
        for name in repeated.variables.keys() {
            let is_own = [INDEX, ITEM, FAILURE].contains(&name.as_str());
            let is_node = repeated.nested.graph.nodes.iter().any(|item| item.id == *name);
            let what = match (is_own, is_node) {
                (false, false) => continue,
                (true, _) => (
                    format!("`{name}` is a reserved name inside loops"),
                    format!("`{name}` 是循环内的保留名称"),
                ),
                (false, true) => (
                    format!("`{name}` is also the id of a node inside the loop"),
                    format!("`{name}` 也是循环内节点的 id"),
                ),
            };
            let mend = ("rename the variable", "重命名该变量");
            self.findings.blame("flow_loop", &format!("{at}variables.{name}"), what, mend);
        }
    }

    fn max(&mut self, map: &Map<String, Value>, at: &str) -> u32 {
        // A list is processed to its end.
        let default = if map.contains_key("over") { MAX_ITERATIONS } else { DEFAULT_PASSES };
        let Some(written) = map.get("max") else { return default };
        let max = written.as_u64().and_then(|max| u32::try_from(max).ok());
        match max.filter(|max| (1..=MAX_ITERATIONS).contains(max)) {
            Some(max) => max,
            None => {
                self.findings.blame(
                    "flow_loop",
                    &format!("{at}max"),
                    (
                        format!("invalid number of iterations `{written}`"),
                        format!("无效的循环次数 `{written}`"),
                    ),
                    (
                        format!("write a whole number from 1 to {MAX_ITERATIONS}"),
                        format!("写 1 到 {MAX_ITERATIONS} 的整数"),
                    ),
                );
                default
            }
        }
    }

    fn on_failure(&mut self, map: &Map<String, Value>, at: &str) -> OnFailure {
        let Some(written) = map.get("on_failure") else { return OnFailure::Fail };
        serde_json::from_value(written.clone()).unwrap_or_else(|_| {
            let said = written.as_str().unwrap_or_default();
            self.findings.blame_near(
                ("flow_loop", &format!("{at}on_failure")),
                (
                    format!("unknown `on_failure` value `{written}`"),
                    format!("未知的 `on_failure` 值 `{written}`"),
                ),
                &near(said, ["fail", "continue", "stop"].into_iter()),
                (
                    "`on_failure` must be `fail`, `continue` or `stop`",
                    "`on_failure` 必须是 `fail`、`continue` 或 `stop`",
                ),
            );
            OnFailure::Fail
        })
    }
}
