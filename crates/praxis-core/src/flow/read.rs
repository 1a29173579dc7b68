//! Reads a flow file: every field strictly, and every mistake with its place and how to mend it.
//!
//! - in: a document
//! - out: a [`Flow`] as written, and what is wrong with its form
//! - never: looks at calls or references; that is [`check`](super::check)'s job

use super::edges;
use super::file::{
    DEEPEST, DEFAULT_PASSES, Flow, Graph, Inside, Item, MOST_NODES, MOST_PASSES, Nested, OUTPUTS,
    Repeated,
};
use super::slip::Slips;
use crate::choice::branch::{Branch, Choice};
use crate::dataflow::near::near;
use crate::execute::node::OnFailure;
use crate::ids::check_name;
use crate::intake::problem::Words;
use crate::payload::shape;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

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
const NODE_KEYS: &[&str] =
    &["id", "name", "call", "known", "params", "input", "output", "fill", "to_user", "description"];
const CHOICE_KEYS: &[&str] = &["branches", "otherwise"];
const NESTED_KEYS: &[&str] = &["nodes", "edges", "start", "outputs", "flow"];
const LOOP_KEYS: &[&str] = &[
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

/// Reads a flow, and says everything that is wrong with its form.
pub fn read(document: &Value, slips: &mut Slips) -> Flow {
    let mut reader = Reader { slips, nodes: 0 };
    let Some(map) = document.as_object() else {
        reader.shape("", ("a flow is a table of fields", "流程是由字段组成的表"), document);
        return Flow::default();
    };
    reader.known_keys(map, &[FLOW_KEYS], "");
    let name = reader.text(map, "flow", "");
    if name.is_empty() && !map.contains_key("flow") {
        reader.slips.blame(
            "flow_shape",
            "flow",
            ("the flow has no name", "流程没有名称"),
            ("begin the file with `flow: NAME`", "在文件开头写 `flow: 名称`"),
        );
    }
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
    if reader.nodes > MOST_NODES {
        reader.slips.blame(
            "flow_size",
            "nodes",
            (
                format!("{} nodes are too many; a flow has at most {MOST_NODES}", reader.nodes),
                format!("{} 个节点太多；流程最多 {MOST_NODES} 个", reader.nodes),
            ),
            (
                "move a part into a flow of its own and call it with `SubFlow`",
                "把一部分移到单独的流程，用 `SubFlow` 调用",
            ),
        );
    }
    flow
}

struct Reader<'a> {
    slips: &'a mut Slips,
    nodes: usize,
}

impl Reader<'_> {
    /// Something else stands where this should.
    fn shape(&mut self, at: &str, wanted: impl Into<Words>, found: &Value) {
        let Words { en, zh } = wanted.into();
        let found = shape(found);
        self.slips.blame(
            "flow_shape",
            at,
            (format!("{en}; here is `{found}`"), format!("{zh}；此处是 `{found}`")),
            ("see docs/guide/flows.md for the form", "格式见 docs/guide/flows.md"),
        );
    }

    fn known_keys(&mut self, map: &Map<String, Value>, known: &[&[&str]], at: &str) {
        let known: Vec<&str> = known.concat();
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            self.slips.blame_near(
                ("unknown_field", at.trim_end_matches(", ")),
                (format!("`{key}` is no field here"), format!("此处没有字段 `{key}`")),
                &near(key, known.iter().copied()),
                (
                    format!("remove it; the fields here are {}", known.join(", ")),
                    format!("去掉它；此处的字段有 {}", known.join("、")),
                ),
            );
        }
    }

    fn text(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> String {
        match map.get(key) {
            None => String::new(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(other) => {
                self.shape(&format!("{at}{key}"), ("a text is needed", "需要文本"), other);
                String::new()
            }
        }
    }

    fn table(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> Map<String, Value> {
        match map.get(key) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(table)) => table.clone(),
            Some(other) => {
                self.shape(&format!("{at}{key}"), ("a table is needed", "需要表"), other);
                Map::new()
            }
        }
    }

    fn flag(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> Option<bool> {
        let value = map.get(key)?;
        if value.as_bool().is_none() {
            let wanted = ("true or false is needed", "需要 true 或 false");
            self.shape(&format!("{at}{key}"), wanted, value);
        }
        value.as_bool()
    }

    fn items(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> Vec<Item> {
        let Some(written) = map.get(key) else { return vec![] };
        let Some(list) = written.as_array() else {
            self.shape(
                &format!("{at}{key}"),
                ("a list of nodes is needed", "需要节点列表"),
                written,
            );
            return vec![];
        };
        let place = |index: usize| format!("{at}{key}[{index}]");
        let read = |(index, item): (usize, &Value)| self.item(item, &place(index), depth_of(at));
        list.iter().enumerate().filter_map(read).collect()
    }

    fn graph(&mut self, map: &Map<String, Value>, at: &str, depth: usize) -> Graph {
        if depth > DEEPEST {
            self.slips.blame(
                "flow_size",
                at.trim_end_matches(", "),
                (
                    format!("nodes lie in nodes more than {DEEPEST} deep"),
                    format!("节点嵌套超过 {DEEPEST} 层"),
                ),
                ("move the inner part into a flow of its own", "把内层移到单独的流程"),
            );
            return Graph::default();
        }
        let nodes = self.items(map, "nodes", at);
        if nodes.is_empty() && map.get("nodes").is_none_or(Value::is_array) {
            self.slips.blame(
                "flow_shape",
                &format!("{at}nodes"),
                ("there are no nodes", "没有节点"),
                (
                    "write at least one node with `id` and `call`",
                    "至少写一个含 `id` 和 `call` 的节点",
                ),
            );
        }
        let edges = edges::read(map.get("edges"), &nodes, at, self.slips);
        let starts = match map.get("start") {
            None => nodes.first().map(|item| item.id.clone()).into_iter().collect(),
            Some(Value::String(id)) => vec![id.clone()],
            Some(Value::Array(ids)) => {
                ids.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Some(other) => {
                self.shape(
                    &format!("{at}start"),
                    ("ids of nodes are needed", "需要节点 id"),
                    other,
                );
                vec![]
            }
        };
        Graph { nodes, edges, starts }
    }

    fn item(&mut self, written: &Value, place: &str, depth: usize) -> Option<Item> {
        self.nodes += 1;
        let Some(map) = written.as_object() else {
            self.shape(place, ("a node is a table of fields", "节点是由字段组成的表"), written);
            return None;
        };
        let id = self.id(map, place)?;
        let at = format!("{}nodes.{id}, ", above(place));
        let call = self.text(map, "call", &at);
        if call.is_empty() {
            self.slips.blame(
                "flow_call",
                at.trim_end_matches(", "),
                ("the node calls nothing", "节点没有调用"),
                (
                    "add `call:` with a tool or one of `praxis flow calls`",
                    "加上 `call:`，写工具名或 `praxis flow calls` 中的调用",
                ),
            );
        }
        let extra: &[&str] = match call.as_str() {
            "Choice" => CHOICE_KEYS,
            "Loop" => LOOP_KEYS,
            "SubFlow" => NESTED_KEYS,
            _ => &[],
        };
        self.known_keys(map, &[NODE_KEYS, extra], &at);
        let inside = match call.as_str() {
            "Choice" => self.choice(map, &at),
            "Loop" => self.repeated(map, &at, depth),
            "SubFlow" => self.nested(map, &at, depth),
            _ => Inside::Nothing,
        };
        Some(Item {
            name: self.text(map, "name", &at),
            description: self.text(map, "description", &at),
            known: self.table(map, "known", &at),
            params: self.table(map, "params", &at),
            input: self.table(map, "input", &at),
            output: self.table(map, "output", &at),
            fill: self.flag(map, "fill", &at),
            to_user: self.flag(map, "to_user", &at),
            id,
            call,
            inside,
        })
    }

    fn id(&mut self, map: &Map<String, Value>, place: &str) -> Option<String> {
        let written = map.get("id").cloned().unwrap_or_default();
        let id = written.as_str().map(str::trim).unwrap_or_default();
        let mend = (
            "give the node a short `id`: letters, digits, `_` or `-`",
            "给节点一个简短的 `id`：字母、数字、`_` 或 `-`",
        );
        if id.is_empty() {
            self.slips.blame("flow_id", place, ("the node has no id", "节点没有 id"), mend);
            return None;
        }
        if let Err(why) = check_name(id) {
            let what =
                (format!("`{id}` cannot be an id: {why}"), format!("`{id}` 不能作 id：{why}"));
            self.slips.blame("flow_id", place, what, mend);
        } else if id.contains('.') || id == OUTPUTS {
            let what = if id == OUTPUTS {
                (
                    format!("`{OUTPUTS}` is what the flow itself gives"),
                    format!("`{OUTPUTS}` 是流程自身的输出"),
                )
            } else {
                (
                    format!("`{id}` has a dot, which separates a node from its branch"),
                    format!("`{id}` 含有点号，点号用于分隔节点与分支"),
                )
            };
            self.slips.blame("flow_id", place, what, mend);
        }
        Some(id.to_owned())
    }

    fn choice(&mut self, map: &Map<String, Value>, at: &str) -> Inside {
        let branches = map.get("branches").cloned().unwrap_or_else(|| json!([]));
        let otherwise = self.text(map, "otherwise", at);
        let mut read = Vec::new();
        let Some(list) = branches.as_array() else {
            self.shape(
                &format!("{at}branches"),
                ("a list of branches is needed", "需要分支列表"),
                &branches,
            );
            return Inside::Nothing;
        };
        for (index, written) in list.iter().enumerate() {
            let place = format!("{at}branches[{index}]");
            read.extend(self.typed::<Branch<Value>>(written, &place, "flow_branch"));
        }
        let choice =
            Choice { branches: read, otherwise: Some(otherwise).filter(|it| !it.is_empty()) };
        for problem in choice.problems() {
            let mend = (
                "give every branch its own `id` and conditions under `all` or `any`",
                "每个分支都要有自己的 `id`，条件写在 `all` 或 `any` 下",
            );
            self.slips.blame("flow_branch", &format!("{at}{}", problem.at), problem.message, mend);
        }
        if choice.otherwise.is_none() {
            self.slips.blame(
                "flow_branch",
                &format!("{at}otherwise"),
                (
                    "nothing says what happens when no branch holds",
                    "没有写明所有分支都不成立时怎么办",
                ),
                (
                    "add `otherwise: BRANCH`, and an edge for that branch",
                    "加上 `otherwise: 分支`，并为它写一条边",
                ),
            );
        }
        Inside::Choice(choice)
    }

    /// A part whose form serde knows; its words tell what is wrong.
    fn typed<T: DeserializeOwned>(&mut self, written: &Value, at: &str, code: &str) -> Option<T> {
        match serde_json::from_value(written.clone()) {
            Ok(read) => Some(read),
            Err(error) => {
                let what = (error.to_string(), format!("格式错误：{error}"));
                let mend = (
                    "see docs/guide/choice-and-loop.md for the form",
                    "格式见 docs/guide/choice-and-loop.md",
                );
                self.slips.blame(code, at, what, mend);
                None
            }
        }
    }

    fn nested(&mut self, map: &Map<String, Value>, at: &str, depth: usize) -> Inside {
        let by_name = self.text(map, "flow", at);
        match (by_name.is_empty(), map.contains_key("nodes")) {
            (false, false) => Inside::Flow(by_name),
            (true, true) => Inside::Nodes(Box::new(Nested {
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
                    "name another flow with `flow`, or write the nodes here",
                    "用 `flow` 引用另一流程，或在此处写节点",
                );
                self.slips.blame("flow_sub", at.trim_end_matches(", "), what, mend);
                Inside::Nothing
            }
        }
    }

    fn repeated(&mut self, map: &Map<String, Value>, at: &str, depth: usize) -> Inside {
        let until = map.get("until").and_then(|written| self.until(written, at));
        let repeated = Repeated {
            nested: Nested {
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
        if repeated.until.is_none() && repeated.over.is_none() && !map.contains_key("max") {
            self.slips.blame(
                "flow_loop",
                at.trim_end_matches(", "),
                ("nothing says when the loop ends", "没有写明循环何时结束"),
                ("add `until`, `over` or `max`", "加上 `until`、`over` 或 `max`"),
            );
        }
        for name in repeated.set.keys().filter(|name| !repeated.variables.contains_key(*name)) {
            self.slips.blame_near(
                ("flow_loop", &format!("{at}set.{name}")),
                (
                    format!("`{name}` is no variable of the loop"),
                    format!("`{name}` 不是循环的变量"),
                ),
                &near(name, repeated.variables.keys().map(String::as_str)),
                (
                    format!("give it a first value: `variables: {{{name}: …}}`"),
                    format!("先给出初值：`variables: {{{name}: …}}`"),
                ),
            );
        }
        Inside::Loop(Box::new(repeated))
    }

    /// A condition without a name of its own.
    fn until(&mut self, written: &Value, at: &str) -> Option<Branch<Value>> {
        let place = format!("{at}until");
        let Some(mut named) = written.as_object().cloned() else {
            self.shape(
                &place,
                ("conditions under `all` or `any` are needed", "需要 `all` 或 `any` 下的条件"),
                written,
            );
            return None;
        };
        named.insert("id".to_owned(), Value::from("until"));
        let branch =
            self.typed::<Branch<Value>>(&Value::Object(named), &place, "flow_condition")?;
        if branch.conditions.is_empty() {
            self.slips.blame(
                "flow_condition",
                &place,
                ("there is no condition, so it never holds", "没有条件，永远不成立"),
                ("write one, or leave `until` out", "写一个条件，或去掉 `until`"),
            );
        }
        Some(branch)
    }

    fn max(&mut self, map: &Map<String, Value>, at: &str) -> u32 {
        // A list is gone through to its end.
        let default = if map.contains_key("over") { MOST_PASSES } else { DEFAULT_PASSES };
        let Some(written) = map.get("max") else { return default };
        let max = written.as_u64().and_then(|max| u32::try_from(max).ok());
        match max.filter(|max| (1..=MOST_PASSES).contains(max)) {
            Some(max) => max,
            None => {
                self.slips.blame(
                    "flow_loop",
                    &format!("{at}max"),
                    (
                        format!("`{written}` is no number of passes"),
                        format!("`{written}` 不是循环次数"),
                    ),
                    (
                        format!("write a whole number from 1 to {MOST_PASSES}"),
                        format!("写 1 到 {MOST_PASSES} 的整数"),
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
            self.slips.blame_near(
                ("flow_loop", &format!("{at}on_failure")),
                (format!("`{written}` is unknown"), format!("未知的 `{written}`")),
                &near(said, ["fail", "continue", "stop"].into_iter()),
                (
                    "`on_failure` is `fail`, `continue` or `stop`",
                    "`on_failure` 是 `fail`、`continue` 或 `stop`",
                ),
            );
            OnFailure::Fail
        })
    }
}

/// The place that a node stands in, from its own: `nodes.each, nodes[2]` stands in `nodes.each, `.
fn above(place: &str) -> &str {
    place.rfind(", ").and_then(|at| place.get(..at + 2)).unwrap_or_default()
}

fn depth_of(at: &str) -> usize {
    1 + at.matches("nodes.").count()
}
