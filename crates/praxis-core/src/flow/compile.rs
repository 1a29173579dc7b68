//! Makes a checked flow a plan: its nodes become steps whose turn comes by ways.
//!
//! - in: a flow that [`check`](super::check) found sound, and the flows that it calls
//! - out: steps, each after those that its ways begin at
//! - never: finds fault

use super::file::{Flow, Graph, Inside, Item, Nested, Repeated};
use crate::ids::{StepId, ToolId};
use crate::intake::node::{Agent, Body, Node, On, Repeat, Way};
use crate::intake::plan::PlannedStep;
use crate::intake::reserved::OUTPUTS;
use crate::intake::reserved::THINK;
use crate::intake::reserved::{OVER, VARIABLES};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The flows that can be called by name.
pub type Flows = BTreeMap<String, Flow>;

/// The steps of a flow, with one that gives its outputs.
pub fn compile(flow: &Flow, flows: &Flows) -> Vec<PlannedStep> {
    let mut steps = graph_steps(flow, flows);
    if !flow.outputs.is_empty() {
        let body = Body { outputs: flow.outputs.clone(), ..Body::default() };
        let node = Node { ways: last_ways(&flow.graph), body: Some(body), ..Node::default() };
        steps.push(step(OUTPUTS, "SubFlow", Map::new(), node));
    }
    let all: Vec<String> = steps.iter().map(|step| step.id.to_string()).collect();
    steps.extend(around(flow, flows, &all));
    steps
}

/// The nodes that run before all others, and those of the graph.
fn graph_steps(flow: &Flow, flows: &Flows) -> Vec<PlannedStep> {
    let mut steps: Vec<PlannedStep> = Vec::new();
    for item in &flow.before {
        let way = steps.last().map(|last| way(last.id.as_str(), On::Success));
        steps.push(item_step(item, way.into_iter().collect(), flows));
    }
    let first = steps.last().map(|last| way(last.id.as_str(), On::Success));
    steps.extend(inner_steps(&flow.graph, first.as_ref(), flows));
    steps
}

/// The node for failures, and those that run after all others.
fn around(flow: &Flow, flows: &Flows, all: &[String]) -> Vec<PlannedStep> {
    let mut steps = Vec::new();
    let handled = |id: &String| {
        flow.graph.edges.iter().any(|edge| edge.from == *id && edge.on == On::Failure)
    };
    if let Some(item) = &flow.on_error {
        let ways = all.iter().filter(|id| !handled(id)).map(|id| way(id, On::Unhandled));
        steps.push(aside(item, ways.collect(), flows));
    }
    let error = flow.on_error.iter().map(|item| item.id.clone());
    let mut ways: Vec<Way> = all.iter().cloned().chain(error).map(|id| way(&id, On::End)).collect();
    for item in &flow.after {
        steps.push(aside(item, std::mem::take(&mut ways), flows));
        ways = vec![way(&item.id, On::End)];
    }
    steps
}

/// A step whose output is no result of the flow.
fn aside(item: &Item, ways: Vec<Way>, flows: &Flows) -> PlannedStep {
    let mut step = item_step(item, ways, flows);
    if let Some(node) = &mut step.node {
        Arc::make_mut(node).aside = true;
    }
    step
}

fn way(from: &str, on: On) -> Way {
    Way { from: StepId::from(from), on }
}

fn inner_steps(graph: &Graph, first: Option<&Way>, flows: &Flows) -> Vec<PlannedStep> {
    let ways = |item: &Item| {
        let edges = graph.edges.iter().filter(|edge| edge.to == item.id);
        let mut ways: Vec<Way> = edges.map(|edge| way(&edge.from, edge.on.clone())).collect();
        if graph.starts.contains(&item.id) {
            ways.extend(first.cloned());
        }
        ways
    };
    in_order(graph).into_iter().map(|item| item_step(item, ways(item), flows)).collect()
}

/// The nodes of a graph, each after those that an edge leads from.
pub fn in_order(graph: &Graph) -> Vec<&Item> {
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
        // A circle, or an edge from nowhere: the check says which.
        if order.len() == before {
            break;
        }
    }
    order
}

/// The ways on which a graph is left: from nodes that lead nowhere, and branches that do not.
pub fn last_ways(graph: &Graph) -> Vec<Way> {
    let leads =
        |id: &str, on: &On| graph.edges.iter().any(|edge| edge.from == id && edge.on == *on);
    let mut ways = Vec::new();
    for item in &graph.nodes {
        match &item.inside {
            Inside::Choice(choice) => {
                let open = choice.ids().into_iter().map(|id| On::Branch(id.to_owned()));
                let open = open.filter(|on| !leads(&item.id, on));
                ways.extend(open.map(|on| way(&item.id, on)));
            }
            Inside::Nothing
            | Inside::Loop(_)
            | Inside::Nodes(_)
            | Inside::Flow(_)
            | Inside::Agent(_) => {
                if !leads(&item.id, &On::Success) && !leads(&item.id, &On::End) {
                    ways.push(way(&item.id, On::Success));
                }
            }
        }
    }
    ways
}

fn item_step(item: &Item, ways: Vec<Way>, flows: &Flows) -> PlannedStep {
    let mut node = Node {
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
        Inside::Nothing => {}
        Inside::Choice(choice) => {
            let written = serde_json::to_value(choice).unwrap_or_default();
            parameters = written.as_object().cloned().unwrap_or_default();
        }
        Inside::Loop(repeated) => {
            parameters = loop_parameters(repeated);
            node.body =
                Some(Body { repeat: Some(repeat(repeated)), ..body(&repeated.nested, flows) });
        }
        Inside::Agent(agent) => node.body = Some(agent_body(agent, item)),
        Inside::Nodes(nested) => node.body = Some(body(nested, flows)),
        Inside::Flow(name) => {
            let called = flows.get(name).cloned().unwrap_or_default();
            for (input, schema) in &called.inputs {
                let default = schema.get("default").cloned().unwrap_or_default();
                node.known.entry(input.clone()).or_insert(default);
            }
            let mut steps = graph_steps(&called, flows);
            let all: Vec<String> = steps.iter().map(|step| step.id.to_string()).collect();
            steps.extend(around(&called, flows, &all));
            node.body = Some(Body { steps, outputs: called.outputs.clone(), ..Body::default() });
        }
    }
    PlannedStep { name: item.name.clone(), ..step(&item.id, &item.call, parameters, node) }
}

fn step(id: &str, call: &str, parameters: Map<String, Value>, node: Node) -> PlannedStep {
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

fn body(nested: &Nested, flows: &Flows) -> Body {
    let steps = inner_steps(&nested.graph, None, flows);
    Body { steps, outputs: nested.outputs.clone(), ..Body::default() }
}

/// The step by which an agent asks its model: it is given what the agent was given.
fn agent_body(agent: &Agent, item: &Item) -> Body {
    let task = if agent.gives_result { "question" } else { "task" };
    let names = item.params.keys().chain(item.known.keys()).map(String::as_str);
    let parameter = |name: &str| {
        let own = if name == task { "task" } else { name };
        (own.to_owned(), Value::from(format!("{{{{{name}}}}}")))
    };
    let parameters = names.chain([task]).map(parameter);
    let node = Node { fill: Some(false), ..Node::default() };
    let steps = vec![step(THINK, "Agent", parameters.collect(), node)];
    Body { steps, agent: Some(agent.clone()), ..Body::default() }
}

fn loop_parameters(repeated: &Repeated) -> Map<String, Value> {
    let mut parameters = Map::new();
    parameters.insert(VARIABLES.to_owned(), Value::Object(repeated.variables.clone()));
    parameters.extend(repeated.over.clone().map(|over| (OVER.to_owned(), over)));
    parameters
}

fn repeat(repeated: &Repeated) -> Repeat {
    Repeat {
        until: repeated.until.clone(),
        max: repeated.max,
        set: repeated.set.clone(),
        collect: repeated.collect.clone(),
        on_failure: repeated.on_failure,
    }
}
