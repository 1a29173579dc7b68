//! A goal and its expected calls.

use serde::Deserialize;
use serde_json::{Value, json};

/// A task of a suite.
#[derive(Clone, Debug)]
pub struct GoalCase {
    /// The id in the data.
    pub id: String,
    /// The goal in words.
    pub goal: String,
    /// The manifests of all available tools, without transports.
    pub tools: Vec<Value>,
    /// The expected calls, in the order of the data.
    pub calls: Vec<ExpectedCall>,
}

/// An expected call.
#[derive(Clone, Debug)]
pub struct ExpectedCall {
    /// The id of the tool.
    pub tool: String,
    /// The arguments that the tool must receive.
    pub arguments: Value,
    /// The arguments as written in a plan, with `{{call_0.outputs.id}}` for the output of an earlier call.
    pub parameters: Value,
    /// The indexes of the calls that it depends on.
    pub needs: Vec<usize>,
    /// The output of the tool, or its error message.
    pub answer: Result<Value, String>,
}

impl ExpectedCall {
    /// Returns true if this call failed in the recording.
    pub fn fails(&self) -> bool {
        self.answer.is_err()
    }
}

impl GoalCase {
    /// Returns the distinct ids of the tools of the expected calls.
    pub fn right_tools(&self) -> Vec<&str> {
        let mut tools: Vec<&str> = self.calls.iter().map(|call| call.tool.as_str()).collect();
        tools.sort_unstable();
        tools.dedup();
        tools
    }

    /// Returns true if any call failed in the recording.
    pub fn has_errors(&self) -> bool {
        self.calls.iter().any(ExpectedCall::fails)
    }
}

/// Interprets a recorded result: a text that starts with `Error` is a failure.
pub(crate) fn answer(result: Value) -> Result<Value, String> {
    match result.as_str().filter(|text| text.starts_with("Error")) {
        Some(text) => Err(text.to_owned()),
        None => Ok(result),
    }
}

/// A function as declared in the suites.
#[derive(Clone, Deserialize)]
pub(crate) struct DeclaredFunction {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) parameters: Value,
}

/// Builds a manifest. The tool is idempotent because recorded tools deduplicate calls by the idempotency key.
pub(crate) fn manifest(id: &str, description: &str, input_schema: &Value) -> Value {
    let risk = if reads(id) { "read" } else { "write" };
    json!({"id": id, "description": description, "input_schema": input_schema, "risk": risk,
        "idempotent": true})
}

/// Returns true if the name of a tool suggests that it only reads.
pub(crate) fn reads(id: &str) -> bool {
    let name = id.rsplit('.').next().unwrap_or(id).to_lowercase();
    let verbs = ["get", "find", "list", "search", "calculate", "think", "check", "view", "show"];
    verbs.iter().any(|verb| name.starts_with(verb))
}
