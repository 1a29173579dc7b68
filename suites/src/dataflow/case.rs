//! A gold plan, its tools, and the expected results.

use praxis_core::fault::Fault;
use praxis_core::pointer::first;
use praxis_engine::seams::Invocation;
use praxis_testkit::tools::ScriptedTools;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A gold plan.
pub(crate) struct GoldPlan {
    /// The id in the data.
    pub(crate) id: String,
    /// The steps, in the order of the data.
    pub(crate) steps: Vec<GoldStep>,
    /// The tools that the plan uses.
    pub(crate) tools: Vec<DeclaredTool>,
    /// The expected output of the last step, if the data has it.
    pub(crate) answer: Option<Value>,
    /// The contradictions between the plan and its tools: code and place of each expected `Problem`.
    pub(crate) contradictions: BTreeSet<(String, String)>,
}

/// One call of a gold plan.
#[derive(Clone)]
pub(crate) struct GoldStep {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// The parameters, with placeholders for the outputs of other steps.
    pub(crate) parameters: Map<String, Value>,
    /// The references to other steps.
    pub(crate) reads: Vec<GoldReference>,
    /// The arguments that the tool must receive.
    pub(crate) arguments: Value,
    /// The output that the tool must return.
    pub(crate) output: Value,
}

/// A parameter value that refers to another step.
#[derive(Clone)]
pub(crate) struct GoldReference {
    /// The JSON pointer of the value in the parameters.
    pub(crate) pointer: String,
    /// The id of the step that is read.
    pub(crate) producer: String,
}

impl GoldReference {
    /// Returns the name of the top-level parameter that contains the reference.
    pub(crate) fn parameter(&self) -> String {
        first(&self.pointer).map(|(name, _)| name).unwrap_or_default()
    }
}

/// A tool as declared in the data.
#[derive(Clone)]
pub(crate) struct DeclaredTool {
    pub(crate) id: String,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Value,
}

impl DeclaredTool {
    /// Returns the names of the required parameters.
    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        let listed = self.input_schema.get("required").and_then(Value::as_array);
        listed.into_iter().flatten().filter_map(Value::as_str)
    }

    fn manifest(&self) -> Value {
        let (id, input, output) = (&self.id, &self.input_schema, &self.output_schema);
        json!({"id": id, "risk": "read", "input_schema": input, "output_schema": output})
    }
}

/// The function that answers tool calls.
pub(crate) type ToolAnswer = Arc<dyn Fn(&Invocation) -> Result<Value, Fault> + Send + Sync>;

impl GoldPlan {
    /// Returns the plan as a document.
    pub(crate) fn document(&self) -> Value {
        document(&self.steps)
    }

    /// Returns scripted tools that answer with `answer`.
    pub(crate) fn scripted(&self, answer: &ToolAnswer) -> ScriptedTools {
        self.tools.iter().fold(ScriptedTools::default(), |tools, tool| {
            let answer = Arc::clone(answer);
            tools.answering(tool.manifest(), move |call| answer(call))
        })
    }

    /// Returns an answer function that returns the expected output of every step.
    pub(crate) fn recorded(&self) -> ToolAnswer {
        let outputs = self.steps.iter().map(|step| (step.id.clone(), step.output.clone()));
        let outputs: BTreeMap<String, Value> = outputs.collect();
        Arc::new(move |call| Ok(outputs.get(call.step.as_str()).cloned().unwrap_or_default()))
    }

    /// Returns a tool by its id.
    pub(crate) fn tool(&self, id: &str) -> Option<&DeclaredTool> {
        self.tools.iter().find(|tool| tool.id == id)
    }
}

/// Returns steps as a plan document.
pub(crate) fn document(steps: &[GoldStep]) -> Value {
    let written = |step: &GoldStep| json!({"step_id": step.id, "tool": step.tool, "parameters": step.parameters});
    json!({"steps": steps.iter().map(written).collect::<Vec<_>>()})
}
