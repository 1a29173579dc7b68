//! Reads a plan document with the field names of the seed documents and their aliases; unknown fields are refused.
//!
//! - in: a document that a person or a model wrote
//! - out: a [`Plan`] in the writer's order, or every problem with it
//! - never: looks at tools or references; that is the job of [`check`](super::check)

use crate::call::tool::span;
use crate::dataflow::template::parameters_object;
use crate::ids::{StepId, ToolId, check_name};
use crate::intake::node::FlowNode;
use crate::near::near;
use crate::problem::Problem;
use crate::problem::reason::ProblemReason;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The maximum number of steps and actions in a plan.
pub const MOST_STEPS: usize = 20_000;
/// The tool of a step that gathers its actions.
pub const GATHER: &str = "parallel_actions";

/// A plan as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The writer's name for the plan.
    pub plan_id: Option<String>,
    /// The purpose of the plan, in words.
    pub description: String,
    /// The writer's estimate of the duration.
    pub expected_duration_sec: Option<f64>,
    /// The steps; the actions of a step come before it.
    pub steps: Vec<PlannedStep>,
}

/// One planned unit: a tool call, or a step that gathers the calls of its actions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedStep {
    /// The id, as written in a plan file or a flow.
    pub id: StepId,
    /// A name for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The tool to call.
    pub tool: ToolId,
    /// An object whose strings may contain placeholders.
    #[serde(default = "empty_object", skip_serializing_if = "is_empty_object")]
    pub parameters: Value,
    /// The steps that must succeed before this one starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<StepId>,
    /// The actions whose results this step gathers; it ends after all of them, whether they succeed or fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<StepId>,
    /// The expected duration; the scheduler starts long chains first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_ms: Option<u64>,
    /// The flow-specific part of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<Arc<FlowNode>>,
}

impl PlannedStep {
    /// Creates a step that is in no plan file; its parameters are sent literally.
    pub fn literal(id: StepId, name: String, tool: ToolId, parameters: Value) -> Self {
        let node = FlowNode { literal: true, fill: Some(false), ..FlowNode::default() };
        Self {
            id,
            name,
            tool,
            parameters,
            depends_on: vec![],
            actions: vec![],
            expected_ms: None,
            node: Some(Arc::new(node)),
        }
    }

    /// Returns true if the step gathers actions and calls no tool itself.
    pub fn gathers(&self) -> bool {
        !self.actions.is_empty()
    }
}

fn empty_object() -> Value {
    Value::Object(Map::new())
}

fn is_empty_object(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}

const PLAN_KEYS: &[&str] = &[
    "plan_id",
    "plan_description",
    "description",
    "steps",
    "expected_duration_sec",
    "estimated_duration_secs",
    "task_type",
    "context_understanding",
    "total_steps",
    "metadata",
];
const STEP_KEYS: &[&str] = &[
    "step_id",
    "step_name",
    "description",
    "tool",
    "tool_id",
    "parameters",
    "depends_on",
    "dependencies",
    "actions",
    "expected_output",
    "expected_duration_sec",
    "data_input_source",
    "data_output_usage",
];
const ACTION_KEYS: &[&str] = &[
    "action_id",
    "name",
    "description",
    "tool",
    "tool_id",
    "parameters",
    "depends_on",
    "dependencies",
    "expected_output",
    "expected_duration_sec",
];

/// Reads a plan, or returns every problem with its form.
pub fn read(document: &Value) -> Result<Plan, Vec<Problem>> {
    let mut reader = PlanReader { problems: vec![] };
    let plan = reader.plan(document);
    match plan {
        Some(plan) if reader.problems.is_empty() => Ok(plan),
        _ => Err(reader.problems),
    }
}

/// Returns the initial metadata in a plan document.
pub fn metadata(document: &Value) -> Map<String, Value> {
    document.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Writes a plan so that [`read`] can read it, with the field names of plan documents.
pub fn write(plan_id: Option<&str>, description: &str, steps: &[PlannedStep]) -> Value {
    let is_action = |id: &StepId| steps.iter().any(|step| step.actions.contains(id));
    let top = steps.iter().filter(|step| !is_action(&step.id));
    let written: Vec<Value> = top.map(|step| write_step(step, steps)).collect();
    let mut plan = Map::new();
    plan.extend(plan_id.map(|id| ("plan_id".to_owned(), Value::from(id))));
    plan.insert("plan_description".to_owned(), Value::from(description));
    plan.insert("steps".to_owned(), Value::Array(written));
    Value::Object(plan)
}

fn write_step(step: &PlannedStep, all: &[PlannedStep]) -> Value {
    if !step.gathers() {
        return write_call(step, "step_id", "step_name", &[]);
    }
    let of_step = |action: &&PlannedStep| step.actions.contains(&action.id);
    let actions = all.iter().filter(of_step);
    let written: Vec<Value> =
        actions.map(|action| write_call(action, "action_id", "name", &step.depends_on)).collect();
    serde_json::json!({
        "step_id": step.id, "step_name": step.name, "depends_on": step.depends_on, "actions": written,
    })
}

/// Writes one call. An action does not repeat the dependencies of its step.
fn write_call(step: &PlannedStep, id: &str, name: &str, outer: &[StepId]) -> Value {
    let depends_on: Vec<&StepId> =
        step.depends_on.iter().filter(|id| !outer.contains(id)).collect();
    let mut written = serde_json::json!({
        "tool": step.tool, "parameters": step.parameters, "depends_on": depends_on,
    });
    if let Some(map) = written.as_object_mut() {
        map.insert(id.to_owned(), Value::from(step.id.as_str()));
        map.insert(name.to_owned(), Value::from(step.name.as_str()));
        let seconds = step.expected_ms.map(|ms| ms as f64 / 1000.0);
        map.extend(
            seconds.map(|seconds| ("expected_duration_sec".to_owned(), Value::from(seconds))),
        );
    }
    written
}

struct PlanReader {
    problems: Vec<Problem>,
}

impl PlanReader {
    fn refuse(&mut self, reason: ProblemReason, at: &str) {
        self.problems.push(Problem::of(&reason, at));
    }

    fn plan(&mut self, document: &Value) -> Option<Plan> {
        let Some(map) = document.as_object() else {
            self.refuse(ProblemReason::PlanNoObject, "");
            return None;
        };
        self.known_keys(map, PLAN_KEYS, "");
        if map.get("metadata").is_some_and(|metadata| !metadata.is_object()) {
            self.refuse(ProblemReason::PlanMetadata, "metadata");
        }
        let Some(written) = map.get("steps").and_then(Value::as_array) else {
            self.refuse(ProblemReason::PlanNoSteps, "steps");
            return None;
        };
        if written.is_empty() {
            self.refuse(ProblemReason::PlanEmpty, "steps");
        }
        let mut steps = Vec::with_capacity(written.len());
        for (index, step) in written.iter().enumerate() {
            self.step(step, index, &mut steps);
            if steps.len() > MOST_STEPS {
                self.refuse(ProblemReason::PlanTooLarge { most: MOST_STEPS }, "steps");
                return None;
            }
        }
        let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
        let expected =
            map.get("expected_duration_sec").or_else(|| map.get("estimated_duration_secs"));
        Some(Plan {
            plan_id: text("plan_id"),
            description: text("plan_description")
                .or_else(|| text("description"))
                .unwrap_or_default(),
            expected_duration_sec: expected.and_then(Value::as_f64),
            steps,
        })
    }

    fn step(&mut self, written: &Value, index: usize, steps: &mut Vec<PlannedStep>) {
        let place = format!("steps[{index}]");
        let Some(map) = self.object(written, &place) else { return };
        self.known_keys(map, STEP_KEYS, &place);
        let Some(id) = self.id(map, "step_id", &place) else { return };
        let at = format!("step `{id}`");
        let depends_on = self.dependencies(map, &at);
        let Some(actions) = map.get("actions").filter(|actions| !actions.is_null()) else {
            steps.extend(self.call(map, StepId::from(id), depends_on, &at));
            return;
        };
        let before = steps.len();
        self.actions(actions, &depends_on, &at, steps);
        let gathered: Vec<StepId> =
            steps.get(before..).unwrap_or_default().iter().map(|step| step.id.clone()).collect();
        if map.contains_key("tool") || map.contains_key("tool_id") {
            self.refuse(ProblemReason::StepToolAndActions, &at);
        }
        if map.contains_key("parameters") {
            self.refuse(ProblemReason::StepActionsAndParameters, &at);
        }
        steps.push(PlannedStep {
            id: StepId::from(id),
            name: name_of(map),
            tool: ToolId::from(GATHER),
            parameters: Value::Object(Map::new()),
            depends_on,
            actions: gathered,
            expected_ms: None,
            node: None,
        });
    }

    fn actions(
        &mut self,
        written: &Value,
        outer: &[StepId],
        at: &str,
        steps: &mut Vec<PlannedStep>,
    ) {
        let Some(list) = written.as_array().filter(|list| !list.is_empty()) else {
            self.refuse(ProblemReason::StepActions, at);
            return;
        };
        for (index, action) in list.iter().enumerate() {
            let place = format!("{at}, actions[{index}]");
            let Some(map) = self.object(action, &place) else { continue };
            self.known_keys(map, ACTION_KEYS, &place);
            let Some(id) = self.id(map, "action_id", &place) else { continue };
            let at = format!("action `{id}`");
            let mut depends_on = outer.to_vec();
            for dependency in self.dependencies(map, &at) {
                if !depends_on.contains(&dependency) {
                    depends_on.push(dependency);
                }
            }
            steps.extend(self.call(map, StepId::from(id), depends_on, &at));
        }
    }

    fn call(
        &mut self,
        map: &Map<String, Value>,
        id: StepId,
        depends_on: Vec<StepId>,
        at: &str,
    ) -> Option<PlannedStep> {
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        let tool = text("tool").or_else(|| text("tool_id"));
        let Some(tool) = tool else {
            self.refuse(ProblemReason::StepNoTool, at);
            return None;
        };
        let parameters = match parameters_object(map.get("parameters").unwrap_or(&Value::Null)) {
            Ok(parameters) => parameters,
            Err(bad) => {
                self.refuse(ProblemReason::Parameters(bad), &format!("{at}, parameters"));
                return None;
            }
        };
        let expected = map.get("expected_duration_sec");
        if expected.is_some() && span(expected).is_none() {
            self.refuse(ProblemReason::StepDuration, at);
        }
        let (name, tool) = (name_of(map), ToolId::from(tool));
        Some(PlannedStep {
            id,
            name,
            tool,
            parameters,
            depends_on,
            actions: vec![],
            expected_ms: span(expected),
            node: None,
        })
    }

    fn object<'a>(&mut self, written: &'a Value, at: &str) -> Option<&'a Map<String, Value>> {
        if written.as_object().is_none() {
            self.refuse(ProblemReason::StepNoObject, at);
        }
        written.as_object()
    }

    fn id<'a>(&mut self, map: &'a Map<String, Value>, key: &str, at: &str) -> Option<&'a str> {
        let Some(id) = map.get(key).and_then(Value::as_str) else {
            let found = map.get(key).filter(|found| !found.is_object() && !found.is_array());
            let found = found.map(ToString::to_string);
            self.refuse(ProblemReason::StepNoId { key: key.to_owned(), found }, at);
            return None;
        };
        if let Err(why) = check_name(id) {
            self.refuse(ProblemReason::BadId { key: key.to_owned(), why }, at);
            return None;
        }
        Some(id)
    }

    fn dependencies(&mut self, map: &Map<String, Value>, at: &str) -> Vec<StepId> {
        let mut ids: Vec<StepId> = Vec::new();
        for written in ["depends_on", "dependencies"].map(|key| map.get(key)) {
            match written {
                None | Some(Value::Null) => {}
                Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
                    ids.extend(list.iter().filter_map(Value::as_str).map(StepId::from));
                }
                Some(_) => self.refuse(ProblemReason::StepDependencies, at),
            }
        }
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        ids
    }

    fn known_keys(&mut self, map: &Map<String, Value>, known: &[&str], at: &str) {
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let near = near(key, known.iter().copied());
            let reason = ProblemReason::UnknownField { field: key.clone() };
            self.problems.push(Problem::of(&reason, at).or_near(&near));
        }
    }
}

fn name_of(map: &Map<String, Value>) -> String {
    let text = |key: &str| map.get(key).and_then(Value::as_str);
    text("step_name")
        .or_else(|| text("name"))
        .or_else(|| text("description"))
        .unwrap_or_default()
        .to_owned()
}
