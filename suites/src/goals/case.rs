//! A task with the calls that are right for it.

use serde::Deserialize;
use serde_json::{Value, json};

/// A task of a suite.
#[derive(Clone, Debug)]
pub struct GoalCase {
    /// Its name in the data.
    pub id: String,
    /// What is wanted, in words.
    pub goal: String,
    /// The manifests of all tools that are there, without transports.
    pub tools: Vec<Value>,
    /// The right calls, in the order of the data.
    pub calls: Vec<ExpectedCall>,
}

/// A right call.
#[derive(Clone, Debug)]
pub struct ExpectedCall {
    /// The tool.
    pub tool: String,
    /// What it must receive.
    pub arguments: Value,
    /// The same as a plan writes it: `{{call_0.outputs.id}}` where it takes what an earlier call gave.
    pub parameters: Value,
    /// The calls that it comes after.
    pub needs: Vec<usize>,
    /// What the tool answers, or the words of its error.
    pub answer: Result<Value, String>,
}

impl ExpectedCall {
    /// Whether this call failed when it was recorded.
    pub fn fails(&self) -> bool {
        self.answer.is_err()
    }
}

impl GoalCase {
    /// The ids of the tools that the right calls use, each once.
    pub fn right_tools(&self) -> Vec<&str> {
        let mut tools: Vec<&str> = self.calls.iter().map(|call| call.tool.as_str()).collect();
        tools.sort_unstable();
        tools.dedup();
        tools
    }

    /// Whether a call failed when it was recorded.
    pub fn has_errors(&self) -> bool {
        self.calls.iter().any(ExpectedCall::fails)
    }
}

/// What a recorded result means: one that begins with `Error` is a failure.
pub(crate) fn answer(result: Value) -> Result<Value, String> {
    match result.as_str().filter(|text| text.starts_with("Error")) {
        Some(text) => Err(text.to_owned()),
        None => Ok(result),
    }
}

/// A function as the suites declare it.
#[derive(Clone, Deserialize)]
pub(crate) struct DeclaredFunction {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) parameters: Value,
}

/// A manifest. Recorded tools know a call by its key, so that the same one twice has one effect.
pub(crate) fn manifest(id: &str, description: &str, input_schema: &Value) -> Value {
    let risk = if reads(id) { "read" } else { "write" };
    json!({"id": id, "description": description, "input_schema": input_schema, "risk": risk,
        "idempotent": true})
}

/// Whether a tool only looks, as far as its name tells.
pub(crate) fn reads(id: &str) -> bool {
    let name = id.rsplit('.').next().unwrap_or(id).to_lowercase();
    let verbs = ["get", "find", "list", "search", "calculate", "think", "check", "view", "show"];
    verbs.iter().any(|verb| name.starts_with(verb))
}
