//! What a flow says of a step besides its call: when its turn comes, what it holds, how it is treated.

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

/// The part of a step that only flows write.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FlowNode {
    /// The ways by which its turn comes; without any it comes with its frame.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<FlowEdge>,
    /// Parameters that the flow knows. Those of the step go before them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub known: Map<String, Value>,
    /// What takes the place of properties of the call's input schema.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    /// The same of its output schema.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub output: Map<String, Value>,
    /// Whether missing parameters are filled; the call's own word if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<bool>,
    /// Whether the texts of its output are shown to the user; the call's own word if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_user: Option<bool>,
    /// Its parameters are values as they stand: nobody wrote a placeholder there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub literal: bool,
    /// It runs for a failure or after all others: what it gives is no result of the flow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// Whether its call may be made, as far as the flow says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve: Option<CallPolicy>,
    /// What becomes of its questions that nobody answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<UnansweredPolicy>,
    /// The steps inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<StepBody>,
}

/// A way from one step to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowEdge {
    /// Where it begins.
    pub from: StepId,
    /// When it is taken.
    pub on: EdgeCondition,
}

/// When a way is taken. A way from a step that was skipped never is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeCondition {
    /// After success.
    Success,
    /// After a failure, which is dealt with by that.
    Failure,
    /// After a failure, which stays one.
    Unhandled,
    /// After either.
    End,
    /// When a choice took this branch.
    Branch(String),
}

/// Steps inside a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepBody {
    /// In an order in which each stands after those that its ways begin at.
    pub steps: Vec<PlannedStep>,
    /// What the frame gives, with placeholders: an object.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Value>,
    /// How often they run; once if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<LoopNode>,
    /// A model asks for more steps, turn by turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentNode>,
}

/// What a model may do that works on a task by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentNode {
    /// The tools that it may call.
    pub tools: Vec<ToolId>,
    /// How often it is asked at most.
    pub max: u32,
    /// What its first call gives that succeeds is the output: the model's words are none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gives_result: bool,
}

/// How often the steps of a loop run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopNode {
    /// The loop ends when this holds, before the first pass too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Branch<Value>>,
    /// It ends after this many passes.
    pub max: u32,
    /// What a pass makes of the variables.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub set: Map<String, Value>,
    /// What is kept of every pass, in a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collect: Option<Value>,
    /// What a failure in a pass means.
    #[serde(default)]
    pub on_failure: OnFailure,
}

/// What a failure in a pass means for its loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The loop fails.
    #[default]
    Fail,
    /// The next pass begins; the variables stay as they were.
    Continue,
    /// The loop ends, with what it has.
    Stop,
}

impl PlannedStep {
    /// The step as it is inside a frame: with the frame's path before every id.
    #[must_use]
    pub fn within(&self, path: &str) -> Self {
        let inside = |id: &StepId| StepId::from(joined(path, id.as_str()));
        let mut step = self.clone();
        step.id = inside(&self.id);
        step.depends_on = self.depends_on.iter().map(inside).collect();
        step.actions = self.actions.iter().map(inside).collect();
        step
    }

    /// The ways by which its turn comes. Their ids are those of its frame.
    pub fn ways(&self) -> &[FlowEdge] {
        self.node.as_ref().map_or(&[], |node| &node.ways)
    }

    /// Whether its parameters are values as they stand.
    pub fn is_literal(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.literal)
    }

    /// Whether it runs for a failure or after all others.
    pub fn is_aside(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.aside)
    }

    /// The steps inside it.
    pub fn body(&self) -> Option<&StepBody> {
        self.node.as_ref()?.body.as_ref()
    }

    /// Its parameters as they are read: what the flow knows, and before that what the step says.
    pub fn all_parameters(&self) -> Value {
        let known = self.node.as_ref().map(|node| &node.known).filter(|known| !known.is_empty());
        let (Some(known), Value::Object(own)) = (known, &self.parameters) else {
            return self.parameters.clone();
        };
        let mut all = known.clone();
        all.extend(own.clone());
        Value::Object(all)
    }

    /// Its parameters as a [`Template`], with placeholders bound: the one way from parameters as written to a template, for whoever
    /// checks a plan and for the fold.
    pub fn template(&self, scope: NameScope<'_>) -> ParameterTemplate {
        if self.is_literal() {
            return ParameterTemplate::Literal(self.parameters.clone());
        }
        let written = ParameterTemplate::parse_in(&self.all_parameters(), scope);
        written.with_texts(|parameter| takes_text(&self.tool, parameter))
    }
}
