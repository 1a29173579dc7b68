//! Reads a flow file: every field strictly, and every mistake with its place and how to mend it.
//!
//! - in: a document
//! - out: a [`Flow`] as written, and what is wrong with its form
//! - never: looks at calls or references; that is [`check`](super::check)'s job

use super::file::{
    DEEPEST, DEFAULT_PASSES, Flow, Graph, Inside, Item, MOST_NODES, MOST_PASSES, Nested, OUTPUTS,
    Repeated,
};
use super::slip::Slips;
use super::{agents, branches, edges, people};
use crate::dataflow::context::FAILURE;
use crate::dataflow::near::near;
use crate::execute::frame::{INDEX, ITEM};
use crate::execute::node::OnFailure;
use crate::ids::{BadName, LONGEST_NAME, check_name};
use crate::intake::problem::Words;
use crate::payload::shape;
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
        let wanted = ("a flow is a table of fields", "流程是由字段组成的表");
        let example = "{flow: NAME, nodes: [{id: a, call: Empty}]}";
        reader.shape("", wanted, example, document);
        return Flow::default();
    };
    if map.contains_key("steps") && !map.contains_key("nodes") {
        reader.slips.blame(
            "flow_shape",
            "steps",
            ("this is a plan, not a flow", "这是计划，不是流程"),
            (
                "run it with `praxis run FILE`, or write `flow: NAME` and `nodes`",
                "用 `praxis run FILE` 执行，或写成 `flow: 名称` 和 `nodes`",
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

/// Something else stands where a form like the example should.
pub(super) fn misshapen(
    slips: &mut Slips,
    at: &str,
    wanted: impl Into<Words>,
    (example, found): (&str, &Value),
) {
    let Words { en, zh } = wanted.into();
    let found = shape(found);
    slips.blame(
        "flow_shape",
        at,
        (format!("{en}; here is `{found}`"), format!("{zh}；此处是 `{found}`")),
        (format!("write it like `{example}`"), format!("写成 `{example}` 的形式")),
    );
}

impl Reader<'_> {
    /// Something else stands where this should.
    fn shape(&mut self, at: &str, wanted: impl Into<Words>, example: &str, found: &Value) {
        misshapen(self.slips, at, wanted, (example, found));
    }

    /// A flow is found by its name, so it has one that a file can have.
    fn name(&mut self, name: &str, written: Option<&Value>) {
        let mend = ("begin the file with `flow: NAME`", "在文件开头写 `flow: 名称`");
        match (check_name(name), written) {
            (Ok(()), _) => {}
            // That it is no text was told.
            (Err(_), Some(Value::Null | Value::Bool(_) | Value::Number(_))) => {}
            (Err(_), Some(Value::Array(_) | Value::Object(_))) => {}
            (Err(BadName::Empty), _) => self.slips.blame(
                "flow_shape",
                "flow",
                ("the flow has no name", "流程没有名称"),
                mend,
            ),
            (Err(why), _) => {
                let why = told(&why);
                let (en, zh) = (&why.en, &why.zh);
                let what = (
                    format!("`{name}` cannot be a name: {en}"),
                    format!("`{name}` 不能作名称：{zh}"),
                );
                let mend = (
                    "use letters, digits, `_`, `-` or `.`; words for people go into `description`",
                    "只用字母、数字、`_`、`-` 或 `.`；给人看的文字写在 `description`",
                );
                self.slips.blame("flow_shape", "flow", what, mend);
            }
        }
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
                let example = format!("{key}: \"…\"");
                self.shape(
                    &format!("{at}{key}"),
                    ("a text is needed", "需要文本"),
                    &example,
                    other,
                );
                String::new()
            }
        }
    }

    fn table(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> Map<String, Value> {
        match map.get(key) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(table)) => table.clone(),
            Some(other) => {
                let value = if key == "inputs" { "{type: string}" } else { "value" };
                let example = format!("{key}: {{name: {value}}}");
                self.shape(&format!("{at}{key}"), ("a table is needed", "需要表"), &example, other);
                Map::new()
            }
        }
    }

    fn flag(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> Option<bool> {
        let value = map.get(key)?;
        if value.as_bool().is_none() {
            let wanted = ("true or false is needed", "需要 true 或 false");
            self.shape(&format!("{at}{key}"), wanted, &format!("{key}: true"), value);
        }
        value.as_bool()
    }

    fn items(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> Vec<Item> {
        let Some(written) = map.get(key) else { return vec![] };
        let Some(list) = written.as_array() else {
            self.shape(
                &format!("{at}{key}"),
                ("a list of nodes is needed", "需要节点列表"),
                &format!("{key}: [{{id: a, call: Empty}}]"),
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
        let is_none = |written: &Value| written.as_array().is_some_and(Vec::is_empty);
        if map.get("nodes").is_none_or(is_none) {
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
        let starts = self.starts(map, &nodes, at);
        Graph { nodes, edges, starts }
    }

    /// The nodes whose turn comes at once: those that are named, else the first.
    fn starts(&mut self, map: &Map<String, Value>, nodes: &[Item], at: &str) -> Vec<String> {
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
            let wanted = ("ids of nodes are needed", "需要节点 id");
            self.shape(&format!("{at}start"), wanted, "start: [a, b]", &written);
        }
        ids
    }

    fn item(&mut self, written: &Value, place: &str, depth: usize) -> Option<Item> {
        self.nodes += 1;
        let Some(map) = written.as_object() else {
            let wanted = ("a node is a table of fields", "节点是由字段组成的表");
            self.shape(place, wanted, "{id: a, call: Empty}", written);
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
            "Agent" => agents::KEYS,
            "SQL" => agents::QUESTION_KEYS,
            _ => &[],
        };
        self.known_keys(map, &[NODE_KEYS, extra], &at);
        let inside = match call.as_str() {
            "Choice" => Inside::Choice(branches::choice(map, &at, self.slips)),
            "Loop" => self.repeated(map, &at, depth),
            "SubFlow" => self.nested(map, &at, depth),
            "Agent" => Inside::Agent(agents::read(map, &at, self.slips)),
            "SQL" => Inside::Agent(agents::read_question(map, &at, self.slips)),
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
            approve: people::approve(map.get("approve"), &call, &at, self.slips),
            unanswered: people::unanswered(map.get("unanswered"), &at, self.slips),
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
            let Words { en, zh } = told(&why);
            let what = (format!("`{id}` cannot be an id: {en}"), format!("`{id}` 不能作 id：{zh}"));
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
        let until = map.get("until").and_then(|it| branches::until(it, at, self.slips));
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
        if !["until", "over", "max"].iter().any(|key| map.contains_key(*key)) {
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
        self.own_names(&repeated, at);
        Inside::Loop(Box::new(repeated))
    }

    /// Variables whose names mean something else inside the loop.
    fn own_names(&mut self, repeated: &Repeated, at: &str) {
        for name in repeated.variables.keys() {
            let is_own = [INDEX, ITEM, FAILURE].contains(&name.as_str());
            let is_node = repeated.nested.graph.nodes.iter().any(|item| item.id == *name);
            let what = match (is_own, is_node) {
                (false, false) => continue,
                (true, _) => (
                    format!("`{name}` is given by the loop itself"),
                    format!("`{name}` 由循环自身给出"),
                ),
                (false, true) => (
                    format!("`{name}` is a node inside the loop too"),
                    format!("`{name}` 也是循环内节点的 id"),
                ),
            };
            let mend = ("give the variable another name", "给变量换一个名称");
            self.slips.blame("flow_loop", &format!("{at}variables.{name}"), what, mend);
        }
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

/// Why a name is none.
fn told(why: &BadName) -> Words {
    let zh = match why {
        BadName::Empty => "为空".to_owned(),
        BadName::Long(found) => format!("有 {found} 个字符，最多 {LONGEST_NAME} 个"),
        BadName::Forbidden(c) => format!("含有 id 中不能使用的 {c:?}"),
    };
    (why.to_string(), zh).into()
}

/// The place that a node stands in, from its own: `nodes.each, nodes[2]` stands in `nodes.each, `.
fn above(place: &str) -> &str {
    place.rfind(", ").and_then(|at| place.get(..at + 2)).unwrap_or_default()
}

fn depth_of(at: &str) -> usize {
    1 + at.matches("nodes.").count()
}
