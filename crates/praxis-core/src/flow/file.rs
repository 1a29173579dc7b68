//! A flow as it is written.

use crate::call::approval::CallPolicy;
use crate::choice::branch::{Branch, BranchChoice};
use crate::hash::content_hash;
use crate::ids::{BlobId, ToolId};
use crate::intake::node::{AgentNode, EdgeCondition, OnFailure};
use crate::intake::unanswered::UnansweredPolicy;
use crate::journal::submission::FlowSource;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The most nodes of a flow, those inside nodes included.
pub const MOST_NODES: usize = 500;
/// How deep nodes may lie in nodes.
pub const DEEPEST: usize = 8;
/// How many passes a loop has at most, whatever its file says.
pub const MOST_PASSES: u32 = 100_000;
/// How many passes a loop has whose file does not say.
pub const DEFAULT_PASSES: u32 = 10;

/// A flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What it has to be given: a schema by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map<String, Value>,
    /// What it gives, with placeholders.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Value>,
    /// Nodes that run before all others, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<FlowItem>,
    /// The nodes and how they follow each other.
    pub graph: FlowGraph,
    /// The node that runs when something failed that nothing dealt with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<Box<FlowItem>>,
    /// Nodes that run after all others, one after the other, whatever became of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<FlowItem>,
}

/// A flow with all flows that it calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bundle {
    /// The flow.
    pub flow: Flow,
    /// Those that it calls, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub flows: BTreeMap<String, Flow>,
    /// Where they were read from. No part of the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<FlowSource>,
}

impl Bundle {
    /// The text that the version is the hash of: the same flow has the same text, however its file is laid out.
    pub fn text(&self) -> String {
        let written = Self { source: None, ..self.clone() };
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// Everything that its nodes call, as often as they do.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        let flows = [&self.flow].into_iter().chain(self.flows.values());
        let items = flows.flat_map(|flow| {
            let extra = flow.before.iter().chain(&flow.after).chain(flow.on_error.as_deref());
            let inner = flow.graphs().into_iter().flat_map(|(_, graph)| &graph.nodes);
            inner.chain(extra).collect::<Vec<_>>()
        });
        items.flat_map(|item| {
            let tools = match &item.inside {
                NodeBody::Agent(agent) => agent.tools.as_slice(),
                NodeBody::Nothing | NodeBody::Choice(_) | NodeBody::Loop(_) => &[],
                NodeBody::Nodes(_) | NodeBody::Flow(_) => &[],
            };
            [item.call.as_str()].into_iter().chain(tools.iter().map(ToolId::as_str))
        })
    }

    /// The version.
    pub fn version(&self) -> BlobId {
        BlobId::from(content_hash(self.text().as_bytes()))
    }
}

/// Nodes and how they follow each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowGraph {
    /// The nodes.
    pub nodes: Vec<FlowItem>,
    /// The edges between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// The nodes whose turn comes at once.
    pub starts: Vec<String>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowItem {
    /// Its id, unique among the nodes beside it.
    pub id: String,
    /// Words for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What it invokes.
    pub call: String,
    /// Parameters that the flow knows.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub known: Map<String, Value>,
    /// Its parameters, with placeholders.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// What takes the place of properties of the input schema.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    /// The same of the output schema.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub output: Map<String, Value>,
    /// Whether missing parameters are filled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<bool>,
    /// Whether its texts are shown to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_user: Option<bool>,
    /// Whether its call may be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<CallPolicy>,
    /// What becomes of its questions that nobody answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<UnansweredPolicy>,
    /// What makes it more than a call.
    #[serde(default, skip_serializing_if = "NodeBody::is_nothing")]
    pub inside: NodeBody,
}

/// What is inside a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeBody {
    /// Nothing: a call.
    #[default]
    Nothing,
    /// Branches.
    Choice(BranchChoice<Value>),
    /// Nodes that run again and again.
    Loop(Box<LoopSpec>),
    /// Nodes that run once.
    Nodes(Box<NestedFlow>),
    /// Those of another flow.
    Flow(String),
    /// A model with tools.
    Agent(AgentNode),
}

impl NodeBody {
    fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

/// Nodes inside a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NestedFlow {
    /// The nodes.
    pub graph: FlowGraph,
    /// What they give.
    pub outputs: Map<String, Value>,
}

/// Nodes that run again and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopSpec {
    /// The nodes.
    pub nested: NestedFlow,
    /// What the loop begins with.
    pub variables: Map<String, Value>,
    /// The list that it goes through.
    pub over: Option<Value>,
    /// When it ends.
    pub until: Option<Branch<Value>>,
    /// After how many passes it ends.
    pub max: u32,
    /// What a pass makes of the variables.
    pub set: Map<String, Value>,
    /// What is kept of every pass.
    pub collect: Option<Value>,
    /// What a failure means.
    pub on_failure: OnFailure,
}

/// A way from one node to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Where it begins.
    pub from: String,
    /// When it is taken.
    pub on: EdgeCondition,
    /// Where it leads.
    pub to: String,
}

impl Flow {
    /// Every graph of the flow with the place of it, outermost first.
    pub fn graphs(&self) -> Vec<(String, &FlowGraph)> {
        let mut found = vec![(String::new(), &self.graph)];
        let mut next = 0;
        while let Some((at, graph)) = found.get(next).cloned() {
            let inner = graph.nodes.iter().filter_map(|item| Some((item, item.graph()?)));
            found.extend(inner.map(|(item, graph)| (format!("{at}nodes.{}, ", item.id), graph)));
            next += 1;
        }
        found
    }
}

impl FlowItem {
    /// The nodes inside it, as far as they stand in this file.
    pub fn graph(&self) -> Option<&FlowGraph> {
        match &self.inside {
            NodeBody::Loop(repeated) => Some(&repeated.nested.graph),
            NodeBody::Nodes(nested) => Some(&nested.graph),
            NodeBody::Nothing | NodeBody::Choice(_) | NodeBody::Flow(_) | NodeBody::Agent(_) => {
                None
            }
        }
    }
}
