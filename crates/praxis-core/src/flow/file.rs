//! The data model of a flow file.

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

/// The largest number of nodes of a flow, nested ones included.
pub const MAX_NODES: usize = 500;
/// The largest nesting depth of nodes.
pub const DEEPEST: usize = 8;
/// The largest number of passes that a file may allow a loop.
pub const MAX_ITERATIONS: u32 = 100_000;
/// The default number of passes of a loop.
pub const DEFAULT_PASSES: u32 = 10;

/// A flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// The name of the flow.
    pub name: String,
    /// The purpose of the flow.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The inputs: a JSON Schema by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map<String, Value>,
    /// The outputs by name, with placeholders.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Value>,
    /// Nodes that run before the graph, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<FlowItem>,
    /// The nodes and the edges between them.
    pub graph: FlowGraph,
    /// The node that runs after a failure that no edge handles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<Box<FlowItem>>,
    /// Nodes that run after all others, one after the other, even if those failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<FlowItem>,
}

/// A flow with all flows that it calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bundle {
    /// The flow.
    pub flow: Flow,
    /// The flows that it calls, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub flows: BTreeMap<String, Flow>,
    /// The source that they were read from. Not part of the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<FlowSource>,
}

impl Bundle {
    /// Returns the text that the version is the hash of. It does not depend on the layout of the file.
    pub fn text(&self) -> String {
        let written = Self { source: None, ..self.clone() };
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// Returns the calls of all nodes and the tools of all agents, duplicates included.
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

    /// Returns the version of the bundle: the content hash of its text.
    pub fn version(&self) -> BlobId {
        BlobId::from(content_hash(self.text().as_bytes()))
    }
}

/// Nodes and the edges between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowGraph {
    /// The nodes.
    pub nodes: Vec<FlowItem>,
    /// The edges between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// The ids of the nodes that start first.
    pub starts: Vec<String>,
}

/// A node of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowItem {
    /// The id, unique within its graph.
    pub id: String,
    /// The display name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The purpose of the node.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The tool or engine call that the node makes.
    pub call: String,
    /// Preset parameters; `params` take precedence.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub known: Map<String, Value>,
    /// The parameters, with placeholders.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Overrides of properties of the input schema.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    /// Overrides of properties of the output schema.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub output: Map<String, Value>,
    /// True if missing parameters are filled; `None` for the default of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<bool>,
    /// True if the texts of its output are shown to the user; `None` for the default of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_user: Option<bool>,
    /// The approval policy of its call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<CallPolicy>,
    /// The policy for its questions that are not answered in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<UnansweredPolicy>,
    /// The part that makes the node more than a plain call.
    #[serde(default, skip_serializing_if = "NodeBody::is_nothing")]
    pub inside: NodeBody,
}

/// The inner part of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeBody {
    /// Empty: the node is a plain call.
    #[default]
    Nothing,
    /// The branches of a `Choice`.
    Choice(BranchChoice<Value>),
    /// Nodes that run repeatedly.
    Loop(Box<LoopSpec>),
    /// Nodes that run once.
    Nodes(Box<NestedFlow>),
    /// The name of another flow whose nodes run.
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
    /// The nodes and their edges.
    pub graph: FlowGraph,
    /// The outputs by name, with placeholders.
    pub outputs: Map<String, Value>,
}

/// Nodes that run repeatedly, and the settings of the loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopSpec {
    /// The nodes and the outputs.
    pub nested: NestedFlow,
    /// The initial values of the loop's variables.
    pub variables: Map<String, Value>,
    /// The list that the loop iterates over.
    pub over: Option<Value>,
    /// The condition that ends the loop.
    pub until: Option<Branch<Value>>,
    /// The largest number of passes.
    pub max: u32,
    /// The new values of variables after each pass.
    pub set: Map<String, Value>,
    /// The value to collect from every pass.
    pub collect: Option<Value>,
    /// The reaction to a failed pass.
    pub on_failure: OnFailure,
}

/// An edge from one node to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The id of the node where it starts.
    pub from: String,
    /// The condition under which it is taken.
    pub on: EdgeCondition,
    /// The id of the node that it leads to.
    pub to: String,
}

impl Flow {
    /// Returns every graph of the flow with its place, outermost first.
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
    /// Returns the graph inside the node, if it is written in this file.
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
