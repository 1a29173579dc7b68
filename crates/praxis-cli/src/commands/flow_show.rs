//! `praxis flow show`: prints a flow as text, as a drawing or as JSON.

use super::flow::{nodes, short_version};
use crate::args_flow::FlowShow;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::flow_files;
use crate::view::text::{Paint, counted, cut, pad, sanitize, short};
use praxis_core::choice::branch::{Branch, Logic};
use praxis_core::choice::condition::FlowCondition;
use praxis_core::flow::check::shown;
use praxis_core::flow::compile::in_order;
use praxis_core::flow::file::{Bundle, Flow, FlowGraph, FlowItem, LoopSpec, NodeBody};
use praxis_core::flow::write::write;
use praxis_core::ids::ToolId;
use praxis_drawing::draw::draw;
use praxis_drawing::mermaid::mermaid;
use praxis_drawing::svg::svg;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// Maximum columns of a printed value.
const MOST_COLUMNS: usize = 100;

pub(crate) fn run(context: &CliContext, wanted: &FlowShow) -> Result<ExitCode, CommandFailure> {
    let files = flow_files::read(&wanted.file, &wanted.flows)?.well_formed()?;
    let bundle = files.bundle();
    if wanted.mermaid {
        crate::say::print_out(&mermaid(&draw(&bundle)));
    } else if wanted.svg {
        crate::say::print_out(&svg(&draw(&bundle)));
    } else if context.json {
        let flows: Map<String, Value> =
            bundle.flows.iter().map(|(name, flow)| (name.clone(), write(flow))).collect();
        let version = bundle.version();
        out!("{}", json!({"version": version, "flow": write(&bundle.flow), "flows": flows}));
    } else {
        FlowText { context, paint: Paint(context.colors) }.bundle(&bundle);
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a flow as lines of text.
struct FlowText<'a> {
    context: &'a CliContext,
    paint: Paint,
}

impl FlowText<'_> {
    fn bundle(&self, bundle: &Bundle) {
        let count = nodes(bundle);
        let count = self.context.say(counted(count, "node"), format!("{count} 个节点"));
        let name = self.paint.bold(&cut(&bundle.flow.name, 80));
        out!("{name}  {}  {count}", short_version(bundle));
        self.flow(&bundle.flow, 0);
        for (name, flow) in &bundle.flows {
            out!("{} {}", self.context.say("flow", "流程"), self.paint.bold(&cut(name, 80)));
            self.flow(flow, 1);
        }
    }

    fn flow(&self, flow: &Flow, depth: usize) {
        let indent = "  ".repeat(depth);
        if !flow.description.is_empty() {
            out!("{indent}  {}", sanitize(&flow.description, 1000));
        }
        self.inputs(&flow.inputs, &indent);
        let title = |en: &str, zh: &str| out!("{indent}{}", self.context.say(en, zh));
        if !flow.before.is_empty() {
            title("before", "之前");
            flow.before.iter().for_each(|item| self.item(item, depth + 1));
        }
        title("nodes", "节点");
        self.graph(&flow.graph, depth + 1);
        if let Some(item) = &flow.on_error {
            title("on error", "出错时");
            self.item(item, depth + 1);
        }
        if !flow.after.is_empty() {
            title("after", "之后");
            flow.after.iter().for_each(|item| self.item(item, depth + 1));
        }
        if !flow.outputs.is_empty() {
            title("outputs", "输出");
            self.table(&flow.outputs, depth + 1);
        }
    }

    fn inputs(&self, inputs: &Map<String, Value>, indent: &str) {
        if inputs.is_empty() {
            return;
        }
        out!("{indent}{}", self.context.say("inputs", "输入"));
        for (name, schema) in inputs {
            let kind = schema.get("type").map_or_else(|| "any".to_owned(), |it| short(it, 30));
            let default = schema.get("default").map(|it| format!("= {}", short(it, 40)));
            let words = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let kind = pad(kind.trim_matches('"'), 8);
            let name = pad(&cut(name, 20), 20);
            let line = format!("{name} {kind} {} {}", default.unwrap_or_default(), cut(words, 80));
            out!("{indent}  {}", line.trim_end());
        }
    }

    fn graph(&self, graph: &FlowGraph, depth: usize) {
        let ordered = in_order(graph);
        let left = graph.nodes.iter().filter(|item| !ordered.iter().any(|it| it.id == item.id));
        ordered.iter().copied().chain(left).for_each(|item| self.item(item, depth));
        let indent = "  ".repeat(depth);
        for edge in &graph.edges {
            out!("{indent}{}", self.paint.faint(&cut(&shown(edge), MOST_COLUMNS)));
        }
    }

    fn item(&self, item: &FlowItem, depth: usize) {
        let indent = "  ".repeat(depth);
        let (id, call) = (pad(&cut(&item.id, 20), 20), pad(&cut(&item.call, 18), 18));
        let given: Map<String, Value> =
            item.known.clone().into_iter().chain(item.params.clone()).collect();
        let given = if given.is_empty() { String::new() } else { short(&Value::Object(given), 80) };
        let named = match &item.inside {
            NodeBody::Flow(name) => cut(name, 40),
            _ => cut(&item.name, 40),
        };
        let line = format!(
            "{indent}{id} {call} {named}{}{given}",
            if named.is_empty() { "" } else { "  " }
        );
        out!("{}", line.trim_end());
        match &item.inside {
            NodeBody::Nothing | NodeBody::Flow(_) => {}
            NodeBody::Agent(agent) => {
                let tools: Vec<&str> = agent.tools.iter().map(ToolId::as_str).collect();
                let turns = self.context.say("max turns", "最多轮数");
                out!("{indent}  {} ({turns} {})", cut(&tools.join(", "), MOST_COLUMNS), agent.max);
            }
            NodeBody::Choice(choice) => {
                for branch in &choice.branches {
                    out!("{indent}  {}: {}", cut(&branch.id, 40), self.conditions(branch));
                }
                let otherwise = choice.otherwise.as_deref().unwrap_or_default();
                out!("{indent}  {}: {}", cut(otherwise, 40), self.context.say("otherwise", "否则"));
            }
            NodeBody::Loop(repeated) => self.repeated(repeated, depth + 1),
            NodeBody::Nodes(nested) => {
                self.graph(&nested.graph, depth + 1);
                self.table(&nested.outputs, depth + 1);
            }
        }
    }

    fn repeated(&self, repeated: &LoopSpec, depth: usize) {
        let indent = "  ".repeat(depth);
        let say =
            |en: &str, zh: &str, words: &str| out!("{indent}{} {words}", self.context.say(en, zh));
        if let Some(over) = &repeated.over {
            say("over", "遍历", &short(over, MOST_COLUMNS));
        }
        if let Some(until) = &repeated.until {
            say("until", "直到", &self.conditions(until));
        }
        say("at most", "最多", &repeated.max.to_string());
        if !repeated.variables.is_empty() {
            say(
                "variables",
                "变量",
                &short(&Value::Object(repeated.variables.clone()), MOST_COLUMNS),
            );
        }
        self.graph(&repeated.nested.graph, depth);
        if !repeated.set.is_empty() {
            say("set", "更新", &short(&Value::Object(repeated.set.clone()), MOST_COLUMNS));
        }
        if let Some(collect) = &repeated.collect {
            say("collect", "收集", &short(collect, MOST_COLUMNS));
        }
        self.table(&repeated.nested.outputs, depth);
    }

    fn conditions(&self, branch: &Branch<Value>) -> String {
        let word = match branch.logic {
            Logic::All => self.context.say(" and ", " 且 "),
            Logic::Any => self.context.say(" or ", " 或 "),
        };
        let side =
            |value: &Value| value.as_str().map_or_else(|| short(value, 40), |text| cut(text, 40));
        let told = |it: &FlowCondition<Value>| {
            let right = it.right.as_ref().map(|right| format!(" {}", side(right)));
            format!("{} {}{}", side(&it.left), it.is, right.unwrap_or_default())
        };
        branch.conditions.iter().map(told).collect::<Vec<_>>().join(&word)
    }

    fn table(&self, table: &Map<String, Value>, depth: usize) {
        let indent = "  ".repeat(depth);
        for (name, value) in table {
            out!("{indent}{} = {}", pad(&cut(name, 20), 20), short(value, MOST_COLUMNS));
        }
    }
}
