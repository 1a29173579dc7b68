//! What the texts of a flow refer to: whether it is there, comes before, and fits.
//!
//! - in: a flow whose graphs have an order
//! - out: every reference that cannot work, every parameter that cannot fit
//! - never: looks at a value

use super::check::Ground;
use super::compile::Flows;
use super::file::{Flow, Graph, Inside, Item, OUTPUTS};
use super::slip::Slips;
use super::types::{clash, kind, part};
use crate::call::own::{Own, own};
use crate::call::schema::{Schema, may_have, required};
use crate::choice::branch::Branch;
use crate::choice::check::{Right, check_operator};
use crate::choice::condition::Condition;
use crate::choice::kind::Kind;
use crate::dataflow::context::{Context, Variables};
use crate::dataflow::near::near;
use crate::dataflow::path::{Segment, print};
use crate::dataflow::scope::{Scope, joined};
use crate::dataflow::template::{Placeholder, Target, Template};
use crate::execute::frame::{FIRST_OF, INDEX, ITEM};
use crate::ids::StepId;
use crate::payload::Payload;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Places in a flow file, as messages name them.
pub struct Place;

impl Place {
    /// The place of a node.
    pub fn item(at: &str, item: &Item) -> String {
        format!("{at}nodes.{}", item.id)
    }
}

/// All names of a flow.
pub struct Names<'a> {
    flow: &'a Flow,
    ground: Ground<'a>,
    context: Context,
    /// The nodes by the id that they have in the context.
    nodes: BTreeMap<String, &'a Item>,
}

/// Where a text stands: in which frame, at which node, and what may have run before.
struct Here<'a> {
    path: String,
    at: String,
    /// Ids in the context of all nodes that can have ended before.
    before: BTreeSet<String>,
    /// Of these, those that surely ran.
    surely: BTreeSet<String>,
    item: Option<&'a Item>,
}

impl<'a> Names<'a> {
    /// Makes every node and variable of a flow known.
    pub fn of(flow: &'a Flow, ground: Ground<'a>) -> Self {
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

    fn declare(&mut self, path: &str, item: &'a Item) {
        let id = joined(path, &item.id);
        self.context.declare(&StepId::from(id.as_str()));
        self.nodes.insert(id, item);
    }

    fn enter(&mut self, graph: &'a Graph, path: &str) {
        for item in &graph.nodes {
            self.declare(path, item);
            let Some(inner) = item.graph() else { continue };
            let path = joined(path, &item.id);
            let given = match &item.inside {
                Inside::Loop(repeated) => {
                    let mut given = repeated.variables.clone();
                    given.insert(INDEX.to_owned(), Value::Null);
                    given.extend(repeated.over.as_ref().map(|_| (ITEM.to_owned(), Value::Null)));
                    given
                }
                Inside::Nothing | Inside::Choice(_) | Inside::Nodes(_) | Inside::Flow(_) => {
                    item.params.clone().into_iter().chain(item.known.clone()).collect()
                }
            };
            let given = Some(Payload::json(Value::Object(given)));
            self.context.open_scope(&path, Variables { given, ..Variables::default() });
            self.enter(inner, &path);
        }
    }

    /// Looks at every text of the flow.
    pub fn check(&self, slips: &mut Slips) {
        let mut before = Here::nowhere("");
        for item in &self.flow.before {
            self.item(item, &before.at_node(item), slips);
            before.passed(&item.id, true);
        }
        self.graph(&self.flow.graph, &before, slips);
        let mut all = before;
        for item in &self.flow.graph.nodes {
            all.passed(&item.id, false);
        }
        self.outputs(&self.flow.outputs, &all, slips);
        let late = self.flow.on_error.as_deref().into_iter().chain(&self.flow.after);
        for item in late {
            self.item(item, &all.at_node(item), slips);
            all.passed(&item.id, false);
        }
    }

    fn graph(&self, graph: &'a Graph, outer: &Here<'a>, slips: &mut Slips) {
        for item in &graph.nodes {
            let here = outer.inside(graph, item);
            self.item(item, &here, slips);
            match &item.inside {
                Inside::Nodes(nested) => {
                    self.nested((&nested.graph, &nested.outputs), &here, slips)
                }
                Inside::Loop(repeated) => {
                    let after = self.nested(
                        (&repeated.nested.graph, &repeated.nested.outputs),
                        &here,
                        slips,
                    );
                    let set =
                        repeated.set.iter().map(|(name, value)| (format!("set.{name}"), value));
                    let collect =
                        repeated.collect.iter().map(|value| ("collect".to_owned(), value));
                    for (field, value) in set.chain(collect) {
                        self.texts(value, &after.at_field(&field), slips);
                    }
                    if let Some(until) = &repeated.until {
                        self.branch(until, &after.at_field("until"), slips);
                    }
                    after
                }
                Inside::Nothing | Inside::Choice(_) | Inside::Flow(_) => continue,
            };
        }
    }

    /// Nodes inside a node, and what they give.
    fn nested(
        &self,
        (graph, outputs): (&'a Graph, &'a Map<String, Value>),
        here: &Here<'a>,
        slips: &mut Slips,
    ) -> Here<'a> {
        let Some(item) = here.item else { return Here::nowhere("") };
        let mut inner = Here {
            path: joined(&here.path, &item.id),
            at: format!("{}, ", here.at),
            before: here.before.clone(),
            surely: here.surely.clone(),
            item: None,
        };
        self.graph(graph, &inner, slips);
        for item in &graph.nodes {
            inner.passed(&joined(&inner.path.clone(), &item.id), false);
        }
        self.outputs(outputs, &inner, slips);
        inner
    }

    fn outputs(&self, outputs: &Map<String, Value>, here: &Here<'a>, slips: &mut Slips) {
        for (name, written) in outputs {
            let several = written.get(FIRST_OF).and_then(Value::as_array);
            let written: Vec<&Value> =
                several.map_or_else(|| vec![written], |all| all.iter().collect());
            for value in written {
                self.texts(value, &here.at_field(&format!("{OUTPUTS}.{name}")), slips);
            }
        }
    }

    fn item(&self, item: &'a Item, here: &Here<'a>, slips: &mut Slips) {
        let given = item.params.iter().map(|(name, value)| (format!("params.{name}"), value));
        let known = item.known.iter().map(|(name, value)| (format!("known.{name}"), value));
        for (field, value) in given.chain(known) {
            self.texts(value, &here.at_field(&field), slips);
        }
        match &item.inside {
            Inside::Choice(choice) => {
                for branch in &choice.branches {
                    self.branch(branch, &here.at_field(&format!("branches.{}", branch.id)), slips);
                }
            }
            Inside::Loop(repeated) => {
                let variables = repeated.variables.iter();
                let variables = variables.map(|(name, value)| (format!("variables.{name}"), value));
                let over = repeated.over.iter().map(|value| ("over".to_owned(), value));
                for (field, value) in variables.chain(over) {
                    self.texts(value, &here.at_field(&field), slips);
                }
                if let Some(over) = &repeated.over {
                    self.list(over, &here.at_field("over"), slips);
                }
            }
            Inside::Nothing | Inside::Nodes(_) | Inside::Flow(_) => {}
        }
        self.parameters(item, here, slips);
    }

    /// What a loop goes through has to be a list.
    fn list(&self, over: &Value, here: &Here<'_>, slips: &mut Slips) {
        let found = match self.kind_of(over, here) {
            Some(Kind::List) | None => return,
            Some(found) => found,
        };
        slips.blame(
            "flow_type",
            &here.at,
            (
                format!(
                    "a loop goes through a list, and this is {}",
                    found.tell(crate::fault::Lang::En)
                ),
                format!("循环遍历的应为列表，此处是{}", found.tell(crate::fault::Lang::Zh)),
            ),
            ("name a list, or use `until`", "写一个列表，或使用 `until`"),
        );
    }

    fn template(&self, value: &Value, here: &Here<'_>) -> Template {
        Template::parse_in(value, Scope::within(&self.context, &here.path))
    }

    fn texts(&self, value: &Value, here: &Here<'_>, slips: &mut Slips) {
        let template = self.template(value, here);
        template.each_placeholder(&mut |placeholder| self.reference(placeholder, here, slips));
    }

    fn reference(&self, placeholder: &Placeholder, here: &Here<'_>, slips: &mut Slips) {
        let source = &placeholder.source;
        match &placeholder.target {
            Target::Malformed(_) => slips.blame(
                "flow_reference",
                &here.at,
                (format!("`{source}` is no placeholder"), format!("`{source}` 不是占位符")),
                (
                    "write `{{node.outputs.field}}`, or `\\{{` for braces that are text",
                    "写成 `{{node.outputs.field}}`；花括号本身写 `\\{{`",
                ),
            ),
            Target::UnknownStep { name } => slips.blame_near(
                ("flow_reference", &here.at),
                (format!("`{source}` names no node"), format!("`{source}` 没有对应的节点")),
                &near(name, here.before.iter().map(|id| local(id))),
                (
                    format!("nodes that have run by then: {}", listed(&here.before)),
                    format!("此时已执行的节点：{}", listed(&here.before)),
                ),
            ),
            Target::Output { step, path } | Target::Field { step, path } => {
                let id = self.context.id_of(*step).map(ToString::to_string).unwrap_or_default();
                self.step(&id, path, (source, here), slips);
            }
            Target::Initial { name, .. } if !placeholder.optional => {
                self.input(name, (source, here), slips);
            }
            Target::Name { name, .. } if !placeholder.optional => {
                self.name(name, (source, here), slips);
            }
            Target::Initial { .. } | Target::Name { .. } | Target::Variable { .. } => {}
        }
    }

    /// A reference to what a node gave.
    fn step(
        &self,
        id: &str,
        path: &[Segment],
        (source, here): (&str, &Here<'_>),
        slips: &mut Slips,
    ) {
        let name = local(id);
        if here.item.is_some_and(|item| joined(&here.path, &item.id) == id) {
            slips.blame(
                "flow_reference",
                &here.at,
                (
                    format!("`{source}` is what this node itself gives"),
                    format!("`{source}` 是该节点自身的输出"),
                ),
                ("name a node that runs before", "写在它之前执行的节点"),
            );
        } else if !here.before.contains(id) {
            slips.blame(
                "flow_order",
                &here.at,
                (format!("`{name}` does not run before this"), format!("`{name}` 不在此之前执行")),
                (
                    format!(
                        "add an edge so that it does, or name one of: {}",
                        listed(&here.before)
                    ),
                    format!("加一条边使其先执行，或改用：{}", listed(&here.before)),
                ),
            );
        } else if !here.surely.contains(id) && here.item.is_some() {
            slips.warn(
                "flow_order",
                &here.at,
                (
                    format!("`{name}` may have been skipped; then `{source}` has no value"),
                    format!("`{name}` 可能被跳过；那时 `{source}` 没有值"),
                ),
                (
                    "a person is asked then; or read it on the branch where it runs",
                    "届时会询问人；或只在其所在分支上读取",
                ),
            );
        }
        self.field(id, path, (source, here), slips);
    }

    /// A field that the declared output cannot have.
    fn field(
        &self,
        id: &str,
        path: &[Segment],
        (source, here): (&str, &Here<'_>),
        slips: &mut Slips,
    ) {
        let Some(mut schema) = self.output_of(id) else { return };
        for (walked, segment) in path.iter().enumerate() {
            let (Segment::Key(name) | Segment::Quoted(name)) = segment else { return };
            if !may_have(schema, name) {
                let fields = schema.get("properties").and_then(Value::as_object);
                let fields: Vec<&str> =
                    fields.into_iter().flat_map(Map::keys).map(String::as_str).collect();
                let reached = print(path.get(..walked).unwrap_or_default());
                slips.blame_near(
                    ("flow_reference", &here.at),
                    (
                        format!("`{source}`: `{}`{reached} has no field `{name}`", local(id)),
                        format!("`{source}`：`{}`{reached} 没有字段 `{name}`", local(id)),
                    ),
                    &near(name, fields.iter().copied()),
                    (
                        format!("its fields are {}", fields.join(", ")),
                        format!("它的字段有 {}", fields.join("、")),
                    ),
                );
                return;
            }
            match part(schema, std::slice::from_ref(segment)) {
                Some(inner) => schema = inner,
                None => return,
            }
        }
    }

    fn input(&self, name: &str, (source, here): (&str, &Here<'_>), slips: &mut Slips) {
        if self.flow.inputs.contains_key(name) {
            return;
        }
        slips.blame_near(
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

    /// A bare name: an input, or a field that some node before may give.
    fn name(&self, name: &str, (source, here): (&str, &Here<'_>), slips: &mut Slips) {
        let may_give = |id: &String| {
            let nested = here.path.is_empty() || !id.starts_with(&here.path);
            nested && self.output_of(id).is_none_or(|schema| may_have(schema, name))
        };
        if self.flow.inputs.contains_key(name) || here.before.iter().any(may_give) {
            return;
        }
        let scope = Scope::within(&self.context, &here.path);
        let known = scope.names().into_iter().chain(self.flow.inputs.keys().cloned());
        let known: Vec<String> = known.collect();
        slips.blame_near(
            ("flow_reference", &here.at),
            (
                format!("`{source}` is no input, no variable, and no field of a node before"),
                format!("`{source}` 不是输入、变量，也不是前面节点的字段"),
            ),
            &near(name, known.iter().map(String::as_str)),
            (
                format!("declare it: `inputs: {{{name}: {{type: string}}}}`"),
                format!("先声明：`inputs: {{{name}: {{type: string}}}}`"),
            ),
        );
    }

    /// The declared output of a node.
    fn output_of(&self, id: &str) -> Option<&'a Value> {
        let item = self.nodes.get(id)?;
        if !item.output.is_empty()
            || item.graph().is_some()
            || matches!(item.inside, Inside::Flow(_))
        {
            return None;
        }
        let tool = self.ground.tool(&item.call)?;
        // What these give is known when they run.
        match own(&tool.id) {
            Some(Own::Convert | Own::Empty | Own::SubFlow | Own::Loop) => None,
            Some(Own::Choice | Own::Reply | Own::Wait | Own::Approve) | None => {
                tool.output_schema.as_ref()
            }
        }
    }

    /// The kind of a value, if that is declared.
    fn kind_of(&self, value: &Value, here: &Here<'_>) -> Option<Kind> {
        match self.template(value, here) {
            Template::Literal(value) => Some(Kind::of(&value)),
            Template::Whole(placeholder) => self.schema_of(&placeholder).and_then(|it| kind(&it)),
            Template::Text(_) => Some(Kind::String),
            Template::Array(_) => Some(Kind::List),
            Template::Object(_) => Some(Kind::Object),
        }
    }

    /// The declared schema of what a placeholder names.
    fn schema_of(&self, placeholder: &Placeholder) -> Option<Value> {
        match &placeholder.target {
            Target::Output { step, path } | Target::Field { step, path } => {
                let id = self.context.id_of(*step)?;
                part(self.output_of(id.as_str())?, path).cloned()
            }
            Target::Name { name, path, .. } | Target::Initial { name, path } => {
                part(self.flow.inputs.get(&**name)?, path).cloned()
            }
            Target::Variable { .. } | Target::UnknownStep { .. } | Target::Malformed(_) => None,
        }
    }

    fn branch(&self, branch: &Branch<Value>, here: &Here<'_>, slips: &mut Slips) {
        for (index, condition) in branch.conditions.iter().enumerate() {
            let here = here.at_more(&format!("[{index}]"));
            for side in [&condition.left].into_iter().chain(&condition.right) {
                self.texts(side, &here, slips);
            }
            self.condition(condition, &here, slips);
        }
    }

    fn condition(&self, condition: &Condition<Value>, here: &Here<'_>, slips: &mut Slips) {
        let left = self.kind_of(&condition.left, here);
        let literal = condition.right.as_ref().map(|right| self.template(right, here));
        let right = match &literal {
            None => Right::Nothing,
            Some(Template::Literal(value)) => Right::Value(value),
            Some(_) => Right::Later(condition.right.as_ref().and_then(|it| self.kind_of(it, here))),
        };
        if let Err(fault) = check_operator(left, condition.is, right) {
            let mend = (
                "see docs/guide/choice-and-loop.md for what each operator compares",
                "各运算符比较什么，见 docs/guide/choice-and-loop.md",
            );
            slips.blame("flow_condition", &here.at, fault.words(), mend);
        }
    }

    /// Parameters that the call does not have, that do not fit, or that are missing for good.
    fn parameters(&self, item: &'a Item, here: &Here<'a>, slips: &mut Slips) {
        let Some(tool) = self.ground.tool(&item.call).filter(|_| item.inside == Inside::Nothing)
        else {
            return self.called(item, here, slips);
        };
        let mut schema = tool.input_schema.clone();
        if let (Some(Value::Object(properties)), false) =
            (schema.get_mut("properties"), item.input.is_empty())
        {
            properties.extend(item.input.clone());
        }
        let all: Map<String, Value> =
            item.known.clone().into_iter().chain(item.params.clone()).collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, value) in &all {
            let at = here.at_field(&format!("params.{name}"));
            match properties.map(|them| them.get(name)) {
                Some(None) if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                    slips.blame_near(
                        ("flow_params", &at.at),
                        (
                            format!("`{}` has no parameter `{name}`", item.call),
                            format!("`{}` 没有参数 `{name}`", item.call),
                        ),
                        &near(name, properties.into_iter().flat_map(Map::keys).map(String::as_str)),
                        (
                            "remove it, or see the parameters with `praxis tool show`",
                            "去掉它，或用 `praxis tool show` 查看参数",
                        ),
                    );
                }
                Some(Some(wanted)) => self.fits(value, wanted, &at, slips),
                Some(None) | None => {}
            }
        }
        let asks = item.fill.unwrap_or(true);
        let missing: Vec<&str> =
            required(&schema).filter(|name| !all.contains_key(*name)).collect();
        if !asks && !missing.is_empty() {
            let missing = missing.join(", ");
            slips.blame(
                "flow_params",
                &here.at,
                (format!("parameters are missing: {missing}"), format!("缺少参数：{missing}")),
                ("give them under `params`, or leave `fill: false` out so that they are asked for", "写在 `params` 下，或去掉 `fill: false` 以便询问"),
            );
        }
    }

    /// Variables that a called flow does not take.
    fn called(&self, item: &'a Item, here: &Here<'a>, slips: &mut Slips) {
        let Inside::Flow(name) = &item.inside else { return };
        let flows: &Flows = self.ground.flows;
        let Some(called) = flows.get(name) else { return };
        for param in item.params.keys().filter(|param| !called.inputs.contains_key(*param)) {
            slips.blame_near(
                ("flow_params", &here.at_field(&format!("params.{param}")).at),
                (
                    format!("the flow `{name}` has no input `{param}`"),
                    format!("流程 `{name}` 没有输入 `{param}`"),
                ),
                &near(param, called.inputs.keys().map(String::as_str)),
                (
                    format!(
                        "its inputs are {}",
                        called.inputs.keys().cloned().collect::<Vec<_>>().join(", ")
                    ),
                    format!(
                        "它的输入有 {}",
                        called.inputs.keys().cloned().collect::<Vec<_>>().join("、")
                    ),
                ),
            );
        }
    }

    /// Whether a value can be what a parameter wants.
    fn fits(&self, value: &Value, wanted: &Value, here: &Here<'_>, slips: &mut Slips) {
        let found = match self.template(value, here) {
            Template::Literal(value) => {
                let errors = Schema::compile(wanted).map(|schema| schema.errors(&value));
                errors.ok().and_then(|errors| errors.first().map(|error| error.detail.clone()))
            }
            Template::Whole(placeholder) => self.schema_of(&placeholder).and_then(|given| {
                let (given, wanted) = clash(&given, wanted)?;
                Some(format!("`{}` is {given}, and {wanted} is wanted", placeholder.source))
            }),
            Template::Text(_) | Template::Array(_) | Template::Object(_) => None,
        };
        if let Some(found) = found {
            let mend = (
                "give a value of the right kind; `Convert` can put one together",
                "给出类型正确的值；可用 `Convert` 拼出",
            );
            slips.blame("flow_type", &here.at, (found.clone(), format!("类型不符：{found}")), mend);
        }
    }
}

impl<'a> Here<'a> {
    fn nowhere(at: &str) -> Self {
        let (before, surely) = (BTreeSet::new(), BTreeSet::new());
        Self { path: String::new(), at: at.to_owned(), before, surely, item: None }
    }

    fn passed(&mut self, id: &str, surely: bool) {
        self.before.insert(id.to_owned());
        if surely {
            self.surely.insert(id.to_owned());
        }
    }

    fn at_node(&self, item: &'a Item) -> Self {
        Self {
            path: self.path.clone(),
            at: Place::item(&self.at, item),
            before: self.before.clone(),
            surely: self.surely.clone(),
            item: Some(item),
        }
    }

    fn at_field(&self, field: &str) -> Self {
        let at = if self.at.is_empty() || self.at.ends_with(", ") {
            format!("{}{field}", self.at)
        } else {
            format!("{}, {field}", self.at)
        };
        Self { at, ..self.copied() }
    }

    fn at_more(&self, more: &str) -> Self {
        Self { at: format!("{}{more}", self.at), ..self.copied() }
    }

    fn copied(&self) -> Self {
        Self {
            path: self.path.clone(),
            at: self.at.clone(),
            before: self.before.clone(),
            surely: self.surely.clone(),
            item: self.item,
        }
    }

    /// A node of a graph, with the nodes of it that come before.
    fn inside(&self, graph: &Graph, item: &'a Item) -> Self {
        let mut here = self.at_node(item);
        let ancestors = ancestors(graph, &item.id);
        for id in &ancestors {
            let full = joined(&self.path, id);
            let surely = !reaches(graph, &item.id, id);
            here.passed(&full, surely);
        }
        here
    }
}

/// The nodes from which edges lead to one.
fn ancestors<'g>(graph: &'g Graph, id: &str) -> BTreeSet<&'g str> {
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

/// Whether one can come to a node without passing another.
fn reaches(graph: &Graph, id: &str, without: &str) -> bool {
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

fn local(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or_default()
}

fn listed(ids: &BTreeSet<String>) -> String {
    if ids.is_empty() {
        return "–".to_owned();
    }
    ids.iter().map(|id| local(id)).collect::<Vec<_>>().join(", ")
}
