//! A plan, its tools, and what must come of it.

use praxis_core::fault::Fault;
use praxis_core::pointer::first;
use praxis_engine::seams::Invocation;
use praxis_testkit::tools::ScriptedTools;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A gold plan.
pub(crate) struct GoldPlan {
    /// Its name in the data.
    pub(crate) id: String,
    /// In the order of the data.
    pub(crate) steps: Vec<GoldStep>,
    /// The tools that it uses.
    pub(crate) tools: Vec<DeclaredTool>,
    /// What the last step must give, if the data says so.
    pub(crate) answer: Option<Value>,
    /// Where the plan contradicts the tools: the code and the place of each problem.
    pub(crate) contradictions: BTreeSet<(String, String)>,
}

/// One call of a gold plan.
#[derive(Clone)]
pub(crate) struct GoldStep {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// With placeholders where it reads another step.
    pub(crate) parameters: Map<String, Value>,
    /// What it reads.
    pub(crate) reads: Vec<GoldReference>,
    /// What the tool must receive.
    pub(crate) arguments: Value,
    /// What the tool must give.
    pub(crate) output: Value,
}

/// A place in the parameters that reads another step.
#[derive(Clone)]
pub(crate) struct GoldReference {
    /// The JSON pointer of the value in the parameters.
    pub(crate) pointer: String,
    /// The step that is read.
    pub(crate) producer: String,
}

impl GoldReference {
    /// The top-level parameter that it is in.
    pub(crate) fn parameter(&self) -> String {
        first(&self.pointer).map(|(name, _)| name).unwrap_or_default()
    }
}

/// A tool as the data declares it.
#[derive(Clone)]
pub(crate) struct DeclaredTool {
    pub(crate) id: String,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Value,
}

impl DeclaredTool {
    /// Its required parameters.
    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        let listed = self.input_schema.get("required").and_then(Value::as_array);
        listed.into_iter().flatten().filter_map(Value::as_str)
    }

    fn manifest(&self) -> Value {
        let (id, input, output) = (&self.id, &self.input_schema, &self.output_schema);
        json!({"id": id, "risk": "read", "input_schema": input, "output_schema": output})
    }
}

/// What a tool answers.
pub(crate) type ToolAnswer = Arc<dyn Fn(&Invocation) -> Result<Value, Fault> + Send + Sync>;

impl GoldPlan {
    /// The plan as a document.
    pub(crate) fn document(&self) -> Value {
        document(&self.steps)
    }

    /// The tools of the case, answering as `answer` says.
    pub(crate) fn scripted(&self, answer: &ToolAnswer) -> ScriptedTools {
        self.tools.iter().fold(ScriptedTools::default(), |tools, tool| {
            let answer = Arc::clone(answer);
            tools.answering(tool.manifest(), move |call| answer(call))
        })
    }

    /// Every call answers what its step must give.
    pub(crate) fn recorded(&self) -> ToolAnswer {
        let outputs = self.steps.iter().map(|step| (step.id.clone(), step.output.clone()));
        let outputs: BTreeMap<String, Value> = outputs.collect();
        Arc::new(move |call| Ok(outputs.get(call.step.as_str()).cloned().unwrap_or_default()))
    }

    /// A tool by its id.
    pub(crate) fn tool(&self, id: &str) -> Option<&DeclaredTool> {
        self.tools.iter().find(|tool| tool.id == id)
    }
}

/// Steps as a plan document.
pub(crate) fn document(steps: &[GoldStep]) -> Value {
    let written = |step: &GoldStep| json!({"step_id": step.id, "tool": step.tool, "parameters": step.parameters});
    json!({"steps": steps.iter().map(written).collect::<Vec<_>>()})
}
