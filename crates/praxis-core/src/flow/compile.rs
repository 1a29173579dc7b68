//! Compiles a checked flow to a plan: its nodes become steps that start by their incoming edges.
//!
//! - in: a flow that passed [`check`](super::check), and the flows that it calls
//! - out: steps in topological order
//! - never: reports problems

use super::file::{Flow, FlowGraph, FlowItem, LoopSpec, NestedFlow, NodeBody};
use crate::ids::{StepId, ToolId};
use crate::intake::node::{AgentNode, EdgeCondition, FlowEdge, FlowNode, LoopNode, StepBody};
use crate::intake::plan::PlannedStep;
use crate::intake::reserved::OUTPUTS;
use crate::intake::reserved::THINK;
use crate::intake::reserved::{OVER, VARIABLES};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Flows that can be called, by name.
pub type Flows = BTreeMap<String, Flow>;

/// Returns the steps of a flow, plus one for its outputs.
pub fn compile(flow: &Flow, flows: &Flows) -> Vec<PlannedStep> {
    let mut steps = graph_steps(flow, flows);
    if !flow.outputs.is_empty() {
        let body = StepBody { outputs: flow.outputs.clone(), ..StepBody::default() };
        let node =
            FlowNode { ways: last_ways(&flow.graph), body: Some(body), ..FlowNode::default() };
        steps.push(step(OUTPUTS, "SubFlow", Map::new(), node));
    }
    let all: Vec<String> = steps.iter().map(|step| step.id.to_string()).collect();
    steps.extend(around(flow, flows, &all));
    steps
}

/// Returns the steps of the `before` nodes and of the graph.
fn graph_steps(flow: &Flow, flows: &Flows) -> Vec<PlannedStep> {
    let mut steps: Vec<PlannedStep> = Vec::new();
    for item in &flow.before {
        let way = steps.last().map(|last| way(last.id.as_str(), EdgeCondition::Success));
        steps.push(item_step(item, way.into_iter().collect(), flows));
    }
    let first = steps.last().map(|last| way(last.id.as_str(), EdgeCondition::Success));
    steps.extend(inner_steps(&flow.graph, first.as_ref(), flows));
    steps
}

/// Returns the steps of the `on_error` node and the `after` nodes.
fn around(flow: &Flow, flows: &Flows, all: &[String]) -> Vec<PlannedStep> {
    let mut steps = Vec::new();
    let handled = |id: &String| {
        flow.graph.edges.iter().any(|edge| edge.from == *id && edge.on == EdgeCondition::Failure)
    };
    if let Some(item) = &flow.on_error {
        let ways = all.iter().filter(|id| !handled(id)).map(|id| way(id, EdgeCondition::Unhandled));
        steps.push(aside(item, ways.collect(), flows));
    }
    let error = flow.on_error.iter().map(|item| item.id.clone());
    let mut ways: Vec<FlowEdge> =
        all.iter().cloned().chain(error).map(|id| way(&id, EdgeCondition::End)).collect();
    for item in &flow.after {
        steps.push(aside(item, std::mem::take(&mut ways), flows));
        ways = vec![way(&item.id, EdgeCondition::End)];
    }
    steps
}

/// Returns a step whose output is not a result of the flow.
fn aside(item: &FlowItem, ways: Vec<FlowEdge>, flows: &Flows) -> PlannedStep {
    let mut step = item_step(item, ways, flows);
    if let Some(node) = &mut step.node {
        Arc::make_mut(node).aside = true;
    }
    step
}

fn way(from: &str, on: EdgeCondition) -> FlowEdge {
    FlowEdge { from: StepId::from(from), on }
}

fn inner_steps(graph: &FlowGraph, first: Option<&FlowEdge>, flows: &Flows) -> Vec<PlannedStep> {
    let ways = |item: &FlowItem| {
        let edges = graph.edges.iter().filter(|edge| edge.to == item.id);
        let mut ways: Vec<FlowEdge> = edges.map(|edge| way(&edge.from, edge.on.clone())).collect();
        if graph.starts.contains(&item.id) {
            ways.extend(first.cloned());
        }
        ways
    };
    in_order(graph).into_iter().map(|item| item_step(item, ways(item), flows)).collect()
}

/// Returns the nodes of a graph in topological order.
pub fn in_order(graph: &FlowGraph) -> Vec<&FlowItem> {
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut order = Vec::with_capacity(graph.nodes.len());
    while order.len() < graph.nodes.len() {
        let before = order.len();
        for item in &graph.nodes {
            let mut needed = graph.edges.iter().filter(|edge| edge.to == item.id);
            let ready = needed.all(|edge| done.contains(edge.from.as_str()));
            if ready && done.insert(&item.id) {
                order.push(item);
            }
        }
        // A cycle, or an edge from an unknown node: `check` reports it.
        if order.len() == before {
            break;
        }
    }
    order
}

/// Returns the exits of a graph: nodes without an edge on success or on end, and branches without an edge.
pub fn last_ways(graph: &FlowGraph) -> Vec<FlowEdge> {
    let leads = |id: &str, on: &EdgeCondition| {
        graph.edges.iter().any(|edge| edge.from == id && edge.on == *on)
    };
    let mut ways = Vec::new();
    for item in &graph.nodes {
        match &item.inside {
            NodeBody::Choice(choice) => {
                let open = choice.ids().into_iter().map(|id| EdgeCondition::Branch(id.to_owned()));
                let open = open.filter(|on| !leads(&item.id, on));
                ways.extend(open.map(|on| way(&item.id, on)));
            }
            NodeBody::Nothing
            | NodeBody::Loop(_)
            | NodeBody::Nodes(_)
            | NodeBody::Flow(_)
            | NodeBody::Agent(_) => {
                if !leads(&item.id, &EdgeCondition::Success)
                    && !leads(&item.id, &EdgeCondition::End)
                {
                    ways.push(way(&item.id, EdgeCondition::Success));
                }
            }
        }
    }
    ways
}

fn item_step(item: &FlowItem, ways: Vec<FlowEdge>, flows: &Flows) -> PlannedStep {
    let mut node = FlowNode {
        ways,
        known: item.known.clone(),
        input: item.input.clone(),
        output: item.output.clone(),
        fill: item.fill,
        to_user: item.to_user,
        literal: false,
        aside: false,
        approve: item.approve,
        unanswered: item.unanswered.clone(),
        body: None,
    };
    let mut parameters = item.params.clone();
    match &item.inside {
        NodeBody::Nothing => {}
        NodeBody::Choice(choice) => {
            let written = serde_json::to_value(choice).unwrap_or_default();
            parameters = written.as_object().cloned().unwrap_or_default();
        }
        NodeBody::Loop(repeated) => {
            parameters = loop_parameters(repeated);
            node.body =
                Some(StepBody { repeat: Some(repeat(repeated)), ..body(&repeated.nested, flows) });
        }
        NodeBody::Agent(agent) => node.body = Some(agent_body(agent, item)),
        NodeBody::Nodes(nested) => node.body = Some(body(nested, flows)),
        NodeBody::Flow(name) => {
            let called = flows.get(name).cloned().unwrap_or_default();
            for (input, schema) in &called.inputs {
                let default = schema.get("default").cloned().unwrap_or_default();
                node.known.entry(input.clone()).or_insert(default);
            }
            let mut steps = graph_steps(&called, flows);
            let all: Vec<String> = steps.iter().map(|step| step.id.to_string()).collect();
            steps.extend(around(&called, flows, &all));
            node.body =
                Some(StepBody { steps, outputs: called.outputs.clone(), ..StepBody::default() });
        }
    }
    PlannedStep { name: item.name.clone(), ..step(&item.id, &item.call, parameters, node) }
}

fn step(id: &str, call: &str, parameters: Map<String, Value>, node: FlowNode) -> PlannedStep {
    PlannedStep {
        id: StepId::from(id),
        name: String::new(),
        tool: ToolId::from(call),
        parameters: Value::Object(parameters),
        depends_on: vec![],
        actions: vec![],
        expected_ms: None,
        node: Some(Arc::new(node)),
    }
}

fn body(nested: &NestedFlow, flows: &Flows) -> StepBody {
    let steps = inner_steps(&nested.graph, None, flows);
    StepBody { steps, outputs: nested.outputs.clone(), ..StepBody::default() }
}

/// Builds the step in which an agent asks its model. It passes on the parameters of the agent.
fn agent_body(agent: &AgentNode, item: &FlowItem) -> StepBody {
    let task = if agent.gives_result { "question" } else { "task" };
    let names = item.params.keys().chain(item.known.keys()).map(String::as_str);
    let parameter = |name: &str| {
        let own = if name == task { "task" } else { name };
        (own.to_owned(), Value::from(format!("{{{{{name}}}}}")))
    };
    let parameters = names.chain([task]).map(parameter);
    let node = FlowNode { fill: Some(false), ..FlowNode::default() };
    let steps = vec![step(THINK, "Agent", parameters.collect(), node)];
    StepBody { steps, agent: Some(agent.clone()), ..StepBody::default() }
}

fn loop_parameters(repeated: &LoopSpec) -> Map<String, Value> {
    let mut parameters = Map::new();
    parameters.insert(VARIABLES.to_owned(), Value::Object(repeated.variables.clone()));
    parameters.extend(repeated.over.clone().map(|over| (OVER.to_owned(), over)));
    parameters
}

fn repeat(repeated: &LoopSpec) -> LoopNode {
    LoopNode {
        until: repeated.until.clone(),
        max: repeated.max,
        set: repeated.set.clone(),
        collect: repeated.collect.clone(),
        on_failure: repeated.on_failure,
    }
}
