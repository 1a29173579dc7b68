//! Checks the references of a flow: that their targets exist, run before, and fit.
//!
//! - in: a flow whose graphs have no cycles
//! - out: every reference that cannot work, every parameter that cannot fit
//! - never: looks at a value at run time

use super::environment::FlowEnvironment;
use super::file::{Flow, FlowGraph, FlowItem, NodeBody};
use super::position::{FlowPosition, certain};
use super::problems::FlowProblems;
use crate::choice::kind::JsonKind;
use crate::dataflow::context::{Context, Variables};
use crate::dataflow::path::{Segment, print};
use crate::dataflow::scope::{NameScope, joined};
use crate::dataflow::template::{ParameterTemplate, Placeholder, PlaceholderTarget};
use crate::ids::StepId;
use crate::intake::reserved::OUTPUTS;
use crate::intake::reserved::{FIRST_OF, INDEX, ITEM};
use crate::near::near;
use crate::payload::Payload;
use crate::schema::may_have;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// All names of a flow.
pub struct FlowNames<'a> {
    pub(super) flow: &'a Flow,
    pub(super) ground: FlowEnvironment<'a>,
    pub(super) context: Context,
    /// The nodes by their id in the context (with the frame's path).
    pub(super) nodes: BTreeMap<String, &'a FlowItem>,
}

impl<'a> FlowNames<'a> {
    /// Declares every node and variable of a flow.
    pub fn of(flow: &'a Flow, ground: FlowEnvironment<'a>) -> Self {
        let inputs = flow.inputs.keys().map(|name| (name.clone(), Value::Null)).collect();
        let mut names =
            Self { flow, ground, context: Context::of_values(&inputs), nodes: BTreeMap::new() };
        names.context.open_scope("", Variables::default());
        let extra = flow.before.iter().chain(&flow.after).chain(flow.on_error.as_deref());
        for item in extra {
            names.declare("", item);
        }
        names.enter(&flow.graph, "");
        names
    }

    fn declare(&mut self, path: &str, item: &'a FlowItem) {
        let id = joined(path, &item.id);
        self.context.declare(&StepId::from(id.as_str()));
        self.nodes.insert(id, item);
    }

    fn enter(&mut self, graph: &'a FlowGraph, path: &str) {
        for item in &graph.nodes {
            self.declare(path, item);
            let Some(inner) = item.graph() else { continue };
            let path = joined(path, &item.id);
            let given = match &item.inside {
                NodeBody::Loop(repeated) => {
                    let mut given = repeated.variables.clone();
                    given.insert(INDEX.to_owned(), Value::Null);
                    given.extend(repeated.over.as_ref().map(|_| (ITEM.to_owned(), Value::Null)));
                    given
                }
                NodeBody::Nothing
                | NodeBody::Choice(_)
                | NodeBody::Nodes(_)
                | NodeBody::Flow(_)
                | NodeBody::Agent(_) => {
                    item.params.clone().into_iter().chain(item.known.clone()).collect()
                }
            };
            let given = Some(Payload::json(Value::Object(given)));
            self.context.open_scope(&path, Variables { given, ..Variables::default() });
            self.enter(inner, &path);
        }
    }

    /// Checks every text of the flow.
    pub fn check(&self, findings: &mut FlowProblems) {
        let mut before = FlowPosition::nowhere("");
        for item in &self.flow.before {
            self.item(item, &before.at_node(item), findings);
            before.passed(&item.id, true);
        }
        self.graph(&self.flow.graph, &before, findings);
        let mut all = before;
        for item in &self.flow.graph.nodes {
            all.passed(&item.id, false);
        }
        self.outputs(&self.flow.outputs, &all, findings);
        let late = self.flow.on_error.as_deref().into_iter().chain(&self.flow.after);
        for item in late {
            self.item(item, &all.at_node(item), findings);
            all.passed(&item.id, false);
        }
    }

    fn graph(&self, graph: &'a FlowGraph, outer: &FlowPosition<'a>, findings: &mut FlowProblems) {
        for item in &graph.nodes {
            let here = outer.inside(graph, item);
            self.item(item, &here, findings);
            match &item.inside {
                NodeBody::Nodes(nested) => {
                    self.nested((&nested.graph, &nested.outputs), &here, findings)
                }
                NodeBody::Loop(repeated) => {
                    let after = self.nested(
                        (&repeated.nested.graph, &repeated.nested.outputs),
                        &here,
                        findings,
                    );
                    let set =
                        repeated.set.iter().map(|(name, value)| (format!("set.{name}"), value));
                    let collect =
                        repeated.collect.iter().map(|value| ("collect".to_owned(), value));
                    for (field, value) in set.chain(collect) {
                        let here = FlowPosition { strict: true, ..after.at_field(&field) };
                        self.texts(value, &here, findings);
                    }
                    if let Some(until) = &repeated.until {
                        self.branch(until, &after.at_field("until"), findings);
                    }
                    after
                }
                NodeBody::Nothing
                | NodeBody::Choice(_)
                | NodeBody::Flow(_)
                | NodeBody::Agent(_) => {
                    continue;
                }
            };
        }
    }

    /// Checks the nodes inside a node and their outputs, and returns the position after them.
    fn nested(
        &self,
        (graph, outputs): (&'a FlowGraph, &'a Map<String, Value>),
        here: &FlowPosition<'a>,
        findings: &mut FlowProblems,
    ) -> FlowPosition<'a> {
        let Some(item) = here.item else { return FlowPosition::nowhere("") };
        let mut inner = FlowPosition {
            path: joined(&here.path, &item.id),
            at: format!("{}, ", here.at),
            before: here.before.clone(),
            surely: here.surely.clone(),
            item: None,
            strict: false,
        };
        self.graph(graph, &inner, findings);
        let certain = certain(graph);
        for item in &graph.nodes {
            let surely = certain.contains(item.id.as_str());
            inner.passed(&joined(&inner.path.clone(), &item.id), surely);
        }
        self.outputs(outputs, &inner, findings);
        inner
    }

    fn outputs(
        &self,
        outputs: &Map<String, Value>,
        here: &FlowPosition<'a>,
        findings: &mut FlowProblems,
    ) {
        for (name, written) in outputs {
            let here = here.at_field(&format!("{OUTPUTS}.{name}"));
            let several = written.get(FIRST_OF).and_then(Value::as_array);
            if written.get(FIRST_OF).is_some() && several.is_none_or(Vec::is_empty) {
                findings.blame(
                    "flow_shape",
                    &here.at,
                    (
                        "`first_of` must be a list of at least one value",
                        "`first_of` 必须是至少含一个值的列表",
                    ),
                    (
                        "write `first_of: [\"{{a.outputs.x}}\", \"{{b.outputs.x}}\"]`",
                        "写成 `first_of: [\"{{a.outputs.x}}\", \"{{b.outputs.x}}\"]`",
                    ),
                );
            }
            let written: Vec<&Value> =
                several.map_or_else(|| vec![written], |all| all.iter().collect());
            for value in written {
                self.texts(value, &here, findings);
            }
        }
    }

    fn item(&self, item: &'a FlowItem, here: &FlowPosition<'a>, findings: &mut FlowProblems) {
        let given = item.params.iter().map(|(name, value)| (format!("params.{name}"), value));
        let known = item.known.iter().map(|(name, value)| (format!("known.{name}"), value));
        for (field, value) in given.chain(known) {
            self.texts(value, &here.at_field(&field), findings);
        }
        match &item.inside {
            NodeBody::Choice(choice) => {
                for branch in &choice.branches {
                    self.branch(
                        branch,
                        &here.at_field(&format!("branches.{}", branch.id)),
                        findings,
                    );
                }
            }
            NodeBody::Loop(repeated) => {
                let variables = repeated.variables.iter();
                let variables = variables.map(|(name, value)| (format!("variables.{name}"), value));
                let over = repeated.over.iter().map(|value| ("over".to_owned(), value));
                for (field, value) in variables.chain(over) {
                    self.texts(value, &here.at_field(&field), findings);
                }
                if let Some(over) = &repeated.over {
                    self.list(over, &here.at_field("over"), findings);
                }
            }
            NodeBody::Nothing | NodeBody::Nodes(_) | NodeBody::Flow(_) | NodeBody::Agent(_) => {}
        }
        self.parameters(item, here, findings);
    }

    /// Reports an `over` that is not a list.
    fn list(&self, over: &Value, here: &FlowPosition<'_>, findings: &mut FlowProblems) {
        let found = match self.kind_of(over, here) {
            Some(JsonKind::List) | None => return,
            Some(found) => found,
        };
        findings.blame(
            "flow_type",
            &here.at,
            (
                format!("`over` must be a list, got {}", found.tell(crate::lang::Lang::En)),
                format!("`over` 必须是列表，实际为{}", found.tell(crate::lang::Lang::Zh)),
            ),
            ("pass a list, or use `until`", "请传入列表，或改用 `until`"),
        );
    }

    pub(super) fn template(&self, value: &Value, here: &FlowPosition<'_>) -> ParameterTemplate {
        ParameterTemplate::parse_in(value, NameScope::within(&self.context, &here.path))
    }

    pub(super) fn texts(
        &self,
        value: &Value,
        here: &FlowPosition<'_>,
        findings: &mut FlowProblems,
    ) {
        let template = self.template(value, here);
        template.each_placeholder(&mut |placeholder| self.reference(placeholder, here, findings));
    }

    fn reference(
        &self,
        placeholder: &Placeholder,
        here: &FlowPosition<'_>,
        findings: &mut FlowProblems,
    ) {
        let source = &placeholder.source;
        match &placeholder.target {
            PlaceholderTarget::Malformed(_) => findings.blame(
                "flow_reference",
                &here.at,
                (
                    format!("`{source}` is not a valid placeholder"),
                    format!("`{source}` 不是有效的占位符"),
                ),
                (
                    "write `{{node.outputs.field}}`, or `\\{{` for literal braces",
                    "写成 `{{node.outputs.field}}`；若要花括号本身，写 `\\{{`",
                ),
            ),
            PlaceholderTarget::UnknownStep { name } => findings.blame_near(
                ("flow_reference", &here.at),
                (
                    format!("`{source}` refers to an unknown node"),
                    format!("`{source}` 引用的节点不存在"),
                ),
                &near(name, here.before.iter().map(|id| local(id))),
                (
                    format!("nodes that run before: {}", listed(&here.before)),
                    format!("在此之前执行的节点：{}", listed(&here.before)),
                ),
            ),
            PlaceholderTarget::Output { step, path } | PlaceholderTarget::Field { step, path } => {
                let id = self.context.id_of(*step).map(ToString::to_string).unwrap_or_default();
                self.step(&id, path, (source, here), findings);
            }
            PlaceholderTarget::Initial { name, .. } if !placeholder.optional => {
                self.input(name, (source, here), findings);
            }
            PlaceholderTarget::Name { name, path, .. } if !placeholder.optional => {
                self.name((name, path), (source, here), findings);
            }
            PlaceholderTarget::Initial { .. }
            | PlaceholderTarget::Name { .. }
            | PlaceholderTarget::Variable { .. } => {}
        }
    }

    /// Checks a reference to the output of a node.
    fn step(
        &self,
        id: &str,
        path: &[Segment],
        (source, here): (&str, &FlowPosition<'_>),
        findings: &mut FlowProblems,
    ) {
        let name = local(id);
        if here.item.is_some_and(|item| joined(&here.path, &item.id) == id) {
            findings.blame(
                "flow_reference",
                &here.at,
                (
                    format!("`{source}` is the node's own output"),
                    format!("`{source}` 是该节点自身的输出"),
                ),
                ("refer to a node that runs before it", "请引用在它之前执行的节点"),
            );
        } else if !here.before.contains(id) {
            findings.blame(
                "flow_order",
                &here.at,
                (
                    format!("`{name}` does not run before this point"),
                    format!("`{name}` 不会在此之前执行"),
                ),
                if here.before.is_empty() {
                    (
                        format!("add an edge `{name} -> …` to run it first"),
                        format!("加一条边 `{name} -> …`，让它先执行"),
                    )
                } else {
                    (
                        format!(
                            "add an edge to run it first, or refer to one of {}",
                            listed(&here.before)
                        ),
                        format!("加一条边让它先执行，或改为引用 {}", listed(&here.before)),
                    )
                },
            );
        } else if !here.surely.contains(id) && (here.item.is_some() || here.strict) {
            let mend = if here.strict {
                (
                    "the loop would then fail; add a node after all branches and read its output instead",
                    "届时循环会失败；请在所有分支之后加一个节点，改为读取它的输出",
                )
            } else {
                (
                    "a person would then be asked for it; to avoid that, read it only on the branch where the node runs",
                    "届时会询问用户该值；若要避免，请只在该节点所在的分支上读取",
                )
            };
            findings.warn(
                "flow_order",
                &here.at,
                (
                    format!("`{name}` may be skipped, and `{source}` then has no value"),
                    format!("`{name}` 可能被跳过，届时 `{source}` 没有值"),
                ),
                mend,
            );
        }
        self.field(id, path, (source, here), findings);
    }

    fn input(
        &self,
        name: &str,
        (source, here): (&str, &FlowPosition<'_>),
        findings: &mut FlowProblems,
    ) {
        if self.flow.inputs.contains_key(name) {
            return;
        }
        findings.blame_near(
            ("flow_reference", &here.at),
            (
                format!("`{source}`: the flow has no input `{name}`"),
                format!("`{source}`：流程没有输入 `{name}`"),
            ),
            &near(name, self.flow.inputs.keys().map(String::as_str)),
            (
                format!("declare it: `inputs: {{{name}: {{type: string}}}}`"),
                format!("先声明：`inputs: {{{name}: {{type: string}}}}`"),
            ),
        );
    }

    /// Checks a bare name: an input, a variable, or a field that an earlier node may give.
    fn name(
        &self,
        (name, path): (&str, &[Segment]),
        (source, here): (&str, &FlowPosition<'_>),
        findings: &mut FlowProblems,
    ) {
        let may_give = |id: &String| {
            let nested = here.path.is_empty() || !id.starts_with(&here.path);
            nested && self.output_of(id).is_none_or(|schema| may_have(&schema, name))
        };
        if self.flow.inputs.contains_key(name) {
            return;
        }
        let scope = NameScope::within(&self.context, &here.path);
        let known = scope.names().into_iter().chain(self.flow.inputs.keys().cloned());
        let known: Vec<String> = known.collect();
        if here.before.iter().any(may_give) {
            return self.hardly_meant((name, path), &known, (source, here), findings);
        }
        findings.blame_near(
            ("flow_reference", &here.at),
            (
                format!("`{source}` is not an input, a variable, or a field of an earlier node"),
                format!("`{source}` 不是输入、变量，也不是前面节点的字段"),
            ),
            &near(name, known.iter().map(String::as_str)),
            (
                format!("declare it: `inputs: {{{name}: {{type: string}}}}`"),
                format!("先声明：`inputs: {{{name}: {{type: string}}}}`"),
            ),
        );
    }

    /// Warns about a name that no node declares and that resembles a known one. It is no error, because a node
    /// without a declared output could give it.
    fn hardly_meant(
        &self,
        (name, path): (&str, &[Segment]),
        known: &[String],
        (source, here): (&str, &FlowPosition<'_>),
        findings: &mut FlowProblems,
    ) {
        let is_declared = |id: &String| {
            let output = self.output_of(id);
            output.is_some_and(|it| it.get("properties").is_some_and(|p| p.get(name).is_some()))
        };
        let of_a_node = match path {
            [Segment::Key(node), rest @ ..]
                if here.before.iter().any(|id| local(id) == &**node) =>
            {
                Some(format!("{node}.{OUTPUTS}{}", print(rest)))
            }
            _ => None,
        };
        let close = || near(name, known.iter().map(String::as_str)).into_iter().next();
        let Some(meant) = of_a_node.or_else(close) else { return };
        if here.before.iter().any(is_declared) {
            return;
        }
        findings.warn(
            "flow_reference",
            &here.at,
            (
                format!("no earlier node declares the output `{source}`"),
                format!("前面的节点都没有声明输出 `{source}`"),
            ),
            (
                format!("if you mean `{{{{{meant}}}}}`, write that; otherwise declare it in the `output` of the node that returns it"),
                format!("如果想引用的是 `{{{{{meant}}}}}`，请改写成它；否则请在返回该值的节点中声明：`output: {{名称: {{type: …}}}}`"),
            ),
        );
    }
}

/// Returns the id of a node without its frame's path.
pub(super) fn local(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or_default()
}

fn listed(ids: &BTreeSet<String>) -> String {
    if ids.is_empty() {
        return "–".to_owned();
    }
    ids.iter().map(|id| local(id)).collect::<Vec<_>>().join(", ")
}
