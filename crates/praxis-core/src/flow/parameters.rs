//! Checks the parameters of nodes: that their calls accept them and that the values fit.
//!
//! - in: nodes, the schemas of their calls, and the inputs of the flows that they call
//! - out: every parameter that is unknown, cannot fit, has no effect, or is missing and will not be filled
//! - never: checks a value that is known only at run time

use super::file::{Flow, FlowItem, NodeBody};
use super::position::FlowPosition;
use super::problems::FlowProblems;
use super::references::FlowNames;
use super::types::clash;
use crate::call::own_tools::{own, takes_text};
use crate::call::tool::Tool;
use crate::dataflow::template::ParameterTemplate;
use crate::near::near;
use crate::problem::Bilingual;
use crate::schema::{Schema, required};
use crate::slot::merge::merge;
use crate::time::parse_span_ms;
use serde_json::{Map, Value};

impl<'a> FlowNames<'a> {
    /// Reports parameters that the call does not have, that do not fit, or that are missing and will not be filled.
    pub(super) fn parameters(
        &self,
        item: &'a FlowItem,
        here: &FlowPosition<'a>,
        findings: &mut FlowProblems,
    ) {
        let Some(tool) = self.ground.tool(&item.call) else { return };
        match &item.inside {
            NodeBody::Nothing | NodeBody::Agent(_) => self.call(item, tool, here, findings),
            NodeBody::Choice(_) | NodeBody::Loop(_) => without_effect(item, here, findings),
            NodeBody::Flow(name) => {
                if let Some(called) = self.ground.flows.get(name) {
                    self.called(item, called, here, findings);
                }
            }
            NodeBody::Nodes(_) => {}
        }
    }

    fn call(
        &self,
        item: &'a FlowItem,
        tool: &Tool,
        here: &FlowPosition<'a>,
        findings: &mut FlowProblems,
    ) {
        let Some(schema) = overridden(&tool.input_schema, ("input", &item.input), here, findings)
        else {
            return;
        };
        if let Some(output) = &tool.output_schema {
            overridden(output, ("output", &item.output), here, findings);
        }
        let all = given(item);
        let properties = schema.get("properties").and_then(Value::as_object);
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        for (name, value) in &all {
            let field = if item.params.contains_key(name) { "params" } else { "known" };
            let at = here.at_field(&format!("{field}.{name}"));
            match properties.and_then(|them| them.get(name)) {
                Some(_) if takes_text(&tool.id, name) && self.is_placeholder(value, here) => {}
                Some(wanted) => self.fits(value, wanted, &at, findings),
                None if is_closed => no_parameter(item, name, properties, &at, findings),
                None => {}
            }
        }
        missing(item, &schema, here, findings);
        if own(&tool.id).is_some() {
            self.own_call(item, &schema, here, findings);
        }
    }

    /// Checks the number of parameters of one of the engine's own calls, and the duration of a `Wait`.
    fn own_call(
        &self,
        item: &'a FlowItem,
        schema: &Value,
        here: &FlowPosition<'a>,
        findings: &mut FlowProblems,
    ) {
        let all = given(item);
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let count = all.len() as u64;
        let names = schema.get("properties").and_then(Value::as_object);
        let names: Vec<&str> = names.into_iter().flat_map(Map::keys).map(String::as_str).collect();
        let (call, or) = (&item.call, names.join("` or `"));
        if bound("minProperties").is_some_and(|least| count < least) {
            findings.blame(
                "flow_params",
                &here.at,
                (format!("`{call}` needs a parameter"), format!("`{call}` 缺少参数")),
                (
                    format!("write `{or}` under `params`"),
                    format!("在 `params` 下写 `{}`", names.join("` 或 `")),
                ),
            );
        }
        if bound("maxProperties").is_some_and(|most| count > most) {
            findings.blame(
                "flow_params",
                &here.at,
                (
                    format!("`{call}` takes only one of `{}`", names.join("` and `")),
                    format!("`{call}` 只接受 `{}` 之一", names.join("` 和 `")),
                ),
                ("remove the others", "请删除其余的"),
            );
        }
        let span = all.get("for").filter(|_| call == "Wait").and_then(Value::as_str);
        if let Some(span) = span.filter(|it| !it.contains("{{") && parse_span_ms(it).is_none()) {
            findings.blame(
                "flow_params",
                &here.at_field("params.for").at,
                (format!("`{span}` is not a duration"), format!("`{span}` 不是有效的时长")),
                ("write it like `30s`, `5m` or `2h`", "写成 `30s`、`5m` 或 `2h`"),
            );
        }
    }

    /// Reports inputs that a called flow does not take, that do not fit, or that are required and missing.
    fn called(
        &self,
        item: &'a FlowItem,
        called: &'a Flow,
        here: &FlowPosition<'a>,
        findings: &mut FlowProblems,
    ) {
        let (name, all) = (&called.name, given(item));
        for (param, value) in &all {
            let at = here.at_field(&format!("params.{param}"));
            match called.inputs.get(param) {
                Some(wanted) => self.fits(value, wanted, &at, findings),
                None => no_input(called, param, &at, findings),
            }
        }
        let needed = called.inputs.iter().filter(|(input, schema)| {
            schema.get("default").is_none() && !all.contains_key(input.as_str())
        });
        for (input, _) in needed {
            findings.blame(
                "flow_params",
                &here.at,
                (
                    format!("the flow `{name}` needs the input `{input}`, which has no default"),
                    format!("流程 `{name}` 需要输入 `{input}`，该输入没有默认值"),
                ),
                (
                    format!("pass it: `params: {{{input}: …}}`"),
                    format!("请传入：`params: {{{input}: …}}`"),
                ),
            );
        }
    }

    fn is_placeholder(&self, value: &Value, here: &FlowPosition<'_>) -> bool {
        matches!(self.template(value, here), ParameterTemplate::Whole(_))
    }

    /// Reports a value that cannot fit the parameter's schema.
    fn fits(
        &self,
        value: &Value,
        wanted: &Value,
        here: &FlowPosition<'_>,
        findings: &mut FlowProblems,
    ) {
        let found: Option<Bilingual> = match self.template(value, here) {
            ParameterTemplate::Literal(value) => {
                let errors = Schema::with_formats(wanted).map(|schema| schema.errors(&value));
                let first = errors.ok().and_then(|errors| errors.into_iter().next());
                first.map(|it| it.words())
            }
            ParameterTemplate::Whole(placeholder) => {
                self.schema_of(&placeholder).and_then(|given| {
                    let (given, wanted) = clash(&given, wanted)?;
                    let source = &placeholder.source;
                    let en = format!("expected {}, but `{source}` is {}", wanted.en, given.en);
                    Some((en, format!("应为{}，但 `{source}` 是{}", wanted.zh, given.zh)).into())
                })
            }
            ParameterTemplate::Text(_)
            | ParameterTemplate::Array(_)
            | ParameterTemplate::Object(_) => None,
        };
        if let Some(found) = found {
            let mend = (
                "pass a value of the right type; `Convert` with `text` turns any value into a string",
                "请传入类型正确的值；`Convert` 的 `text` 可把任何值转为字符串",
            );
            findings.blame("flow_type", &here.at, found, mend);
        }
    }
}

fn given(item: &FlowItem) -> Map<String, Value> {
    item.known.clone().into_iter().chain(item.params.clone()).collect()
}

/// Reports parameters of a `Choice` or `Loop`. They take none: their values are in their own fields.
fn without_effect(item: &FlowItem, here: &FlowPosition<'_>, findings: &mut FlowProblems) {
    let mend = match &item.inside {
        NodeBody::Loop(_) => (
            "write the initial values of a loop under `variables`",
            "循环的初始值写在 `variables` 下",
        ),
        NodeBody::Choice(_)
        | NodeBody::Nothing
        | NodeBody::Nodes(_)
        | NodeBody::Flow(_)
        | NodeBody::Agent(_) => (
            "remove them; write the values that a Choice compares into its conditions",
            "删除它们；Choice 要比较的值写在条件里",
        ),
    };
    for (field, table) in [("params", &item.params), ("known", &item.known)] {
        if !table.is_empty() {
            let what = (
                format!("`{}` does not take `{field}`; it has no effect", item.call),
                format!("`{}` 不接受 `{field}`，写了也不起作用", item.call),
            );
            findings.blame("flow_params", &here.at_field(field).at, what, mend);
        }
    }
}

/// Returns the schema of a call with the node's overrides.
fn overridden(
    schema: &Value,
    (field, own): (&str, &Map<String, Value>),
    here: &FlowPosition<'_>,
    findings: &mut FlowProblems,
) -> Option<Value> {
    if own.is_empty() {
        return Some(schema.clone());
    }
    let problems = match merge(schema, own) {
        Ok(merged) => return Some(merged),
        Err(problems) => problems,
    };
    for problem in problems {
        let place = problem.pointer.trim_start_matches("/properties/").replace('/', ".");
        let at = here.at_field(&format!("{field}.{place}"));
        findings.blame(
            "flow_params",
            &at.at,
            (
                format!("cannot override the schema: {}", problem.detail),
                format!("无法覆盖原有的 schema：{}", problem.words().zh),
            ),
            (
                format!("write a JSON Schema for each parameter, like `{field}: {{name: {{type: string}}}}`"),
                format!("为每个参数写 JSON Schema，如 `{field}: {{name: {{type: string}}}}`"),
            ),
        );
    }
    None
}

fn no_parameter(
    item: &FlowItem,
    name: &str,
    properties: Option<&Map<String, Value>>,
    here: &FlowPosition<'_>,
    findings: &mut FlowProblems,
) {
    let names = || properties.into_iter().flat_map(Map::keys).map(String::as_str);
    let known: Vec<&str> = names().collect();
    findings.blame_near(
        ("flow_params", &here.at),
        (
            format!("`{}` has no parameter `{name}`", item.call),
            format!("`{}` 没有参数 `{name}`", item.call),
        ),
        &near(name, names()),
        (
            format!("remove it; known parameters: {}", known.join(", ")),
            format!("删除它；可用参数：{}", known.join("、")),
        ),
    );
}

fn missing(item: &FlowItem, schema: &Value, here: &FlowPosition<'_>, findings: &mut FlowProblems) {
    let all = given(item);
    let missing: Vec<&str> = required(schema).filter(|name| !all.contains_key(*name)).collect();
    if item.fill.unwrap_or(true) || missing.is_empty() {
        return;
    }
    let missing = missing.join(", ");
    findings.blame(
        "flow_params",
        &here.at,
        (format!("missing parameters: {missing}"), format!("缺少参数：{missing}")),
        (
            "set them under `params`, or remove `fill: false` to have them filled or asked for at run time",
            "写在 `params` 下，或删除 `fill: false`，改为运行时填充或询问",
        ),
    );
}

fn no_input(called: &Flow, param: &str, here: &FlowPosition<'_>, findings: &mut FlowProblems) {
    let (name, names) = (&called.name, called.inputs.keys().map(String::as_str));
    let known: Vec<&str> = names.clone().collect();
    let mend = if known.is_empty() {
        (
            format!(
                "remove it, or declare it in that flow: `inputs: {{{param}: {{type: string}}}}`"
            ),
            format!("删除它，或在该流程中声明：`inputs: {{{param}: {{type: string}}}}`"),
        )
    } else {
        (format!("its inputs are {}", known.join(", ")), format!("它的输入有 {}", known.join("、")))
    };
    findings.blame_near(
        ("flow_params", &here.at),
        (
            format!("the flow `{name}` has no input `{param}`"),
            format!("流程 `{name}` 没有输入 `{param}`"),
        ),
        &near(param, names),
        mend,
    );
}
