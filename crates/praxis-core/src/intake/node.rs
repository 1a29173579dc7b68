//! The flow-specific part of a step besides its call: incoming edges, body, schemas and policies.

use crate::call::approval::CallPolicy;
use crate::call::own_tools::takes_text;
use crate::choice::branch::Branch;
use crate::dataflow::scope::{NameScope, joined};
use crate::dataflow::template::ParameterTemplate;
use crate::ids::{StepId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::intake::unanswered::UnansweredPolicy;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The part of a step that only flows define.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FlowNode {
    /// The incoming edges. A step without any starts with its frame.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<FlowEdge>,
    /// Default parameters from the flow; the parameters of the step override them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub known: Map<String, Value>,
    /// Overrides for properties of the call's input schema.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    /// Overrides for properties of the call's output schema.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub output: Map<String, Value>,
    /// True if missing parameters are filled; `None` means true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<bool>,
    /// True if the text of the output is shown to the user; `None` uses the default of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_user: Option<bool>,
    /// True if the parameters are literal values, without placeholders.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub literal: bool,
    /// True if the step runs on failure or after all others; its output is not part of the flow's result.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// The call policy of the flow for this step, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve: Option<CallPolicy>,
    /// The policy for unanswered questions of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<UnansweredPolicy>,
    /// The steps inside this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<StepBody>,
}

/// An edge from one step to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowEdge {
    /// The source step.
    pub from: StepId,
    /// The condition under which the edge is taken.
    pub on: EdgeCondition,
}

/// The condition under which an edge is taken. An edge from a skipped step is never taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeCondition {
    /// The source succeeded.
    Success,
    /// The source failed; the edge handles the failure.
    Failure,
    /// The source failed; the failure stays unhandled.
    Unhandled,
    /// The source succeeded or failed.
    End,
    /// The source is a choice that took this branch.
    Branch(String),
}

/// The steps inside a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepBody {
    /// The steps, each after the sources of its incoming edges.
    pub steps: Vec<PlannedStep>,
    /// The outputs of the frame by name, with placeholders.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Value>,
    /// The loop, if the steps run more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<LoopNode>,
    /// The agent, if a model adds calls turn by turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentNode>,
}

/// The tools and limits of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentNode {
    /// The tools that the agent may call.
    pub tools: Vec<ToolId>,
    /// The maximum number of turns.
    pub max: u32,
    /// True if the output is that of the first call that succeeds, instead of an answer of the model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gives_result: bool,
}

/// The repetition of the steps of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopNode {
    /// The condition that ends the loop; it is also checked before the first pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Branch<Value>>,
    /// The maximum number of passes.
    pub max: u32,
    /// The new values of variables after each pass, with placeholders.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
    /// The value that each pass adds to the `collected` list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collect: Option<Value>,
    /// The effect of a failed pass on the loop.
    #[serde(default)]
    pub on_failure: OnFailure,
}

/// The effect of a failed pass on its loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The loop fails.
    #[default]
    Fail,
    /// The next pass begins; the variables stay as they were.
    Continue,
    /// The loop ends successfully with what it has so far.
    Stop,
}

impl PlannedStep {
    /// Returns the step as it is inside a frame, with the frame's path before every id.
    #[must_use]
    pub fn within(&self, path: &str) -> Self {
        let inside = |id: &StepId| StepId::from(joined(path, id.as_str()));
        let mut step = self.clone();
        step.id = inside(&self.id);
        step.depends_on = self.depends_on.iter().map(inside).collect();
        step.actions = self.actions.iter().map(inside).collect();
        step
    }

    /// Returns the incoming edges. Their ids are local to the frame.
    pub fn ways(&self) -> &[FlowEdge] {
        self.node.as_ref().map_or(&[], |node| &node.ways)
    }

    /// Returns true if the parameters are literal values, without placeholders.
    pub fn is_literal(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.literal)
    }

    /// Returns true if the step runs on failure or after all others.
    pub fn is_aside(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.aside)
    }

    /// Returns the steps inside this step.
    pub fn body(&self) -> Option<&StepBody> {
        self.node.as_ref()?.body.as_ref()
    }

    /// Returns the parameters of the step, completed by the defaults from the flow.
    pub fn all_parameters(&self) -> Value {
        let known = self.node.as_ref().map(|node| &node.known).filter(|known| !known.is_empty());
        let (Some(known), Value::Object(own)) = (known, &self.parameters) else {
            return self.parameters.clone();
        };
        let mut all = known.clone();
        all.extend(own.clone());
        Value::Object(all)
    }

    /// Returns the parameters as a [`ParameterTemplate`] with bound placeholders. Plan checks and the fold both use
    /// it.
    pub fn template(&self, scope: NameScope<'_>) -> ParameterTemplate {
        if self.is_literal() {
            return ParameterTemplate::Literal(self.parameters.clone());
        }
        let written = ParameterTemplate::parse_in(&self.all_parameters(), scope);
        written.with_texts(|parameter| takes_text(&self.tool, parameter))
    }
}
