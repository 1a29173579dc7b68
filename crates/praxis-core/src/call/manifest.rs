//! Reads tool manifests and refuses a bad one with all its reasons.
//!
//! - in: a document with one tool, a list of tools, or `tools: [...]`
//! - out: checked [`Tool`]s
//! - never: runs or reaches the tool

use super::schema::Schema;
use super::tool::{Tool, Transport, span};
use crate::ids::{ToolId, check_name};
use crate::intake::problem::Problem;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tools that a plan may use, by id.
pub type Toolbox = BTreeMap<ToolId, Arc<Tool>>;

/// Reads all tools of a document.
pub fn read(document: &Value) -> Result<Vec<Tool>, Vec<Problem>> {
    let listed = match document {
        Value::Array(tools) => tools.iter().collect(),
        Value::Object(map) => match map.get("tools") {
            Some(Value::Array(tools)) if map.len() == 1 => tools.iter().collect(),
            _ => vec![document],
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(vec![Problem::new(
                "manifest_shape",
                "",
                "a manifest is a tool, a list of tools, or `tools:` with a list",
            )]);
        }
    };
    let mut tools = Vec::new();
    let mut problems = Vec::new();
    for (index, written) in listed.into_iter().enumerate() {
        match read_one(written) {
            Ok(tool) => tools.push(tool),
            Err(found) => {
                let name = written.get("id").and_then(Value::as_str);
                let at = name.map_or(format!("tools[{index}]"), |name| format!("tool `{name}`"));
                problems.extend(found.into_iter().map(|problem| problem.within(&at)));
            }
        }
    }
    if problems.is_empty() { Ok(tools) } else { Err(problems) }
}

fn read_one(written: &Value) -> Result<Tool, Vec<Problem>> {
    let mut tool: Tool = serde_json::from_value(written.clone()).map_err(|error| {
        let said = error.to_string();
        let message = if said.contains("no variant of enum Transport") {
            "it needs `command:`, `http:` or `builtin:` to say how it is reached".to_owned()
        } else if ["command", "http", "builtin"]
            .iter()
            .filter(|key| written.get(key).is_some())
            .count()
            > 1
        {
            "it is reached in one way: `command:`, `http:` or `builtin:`".to_owned()
        } else {
            said
        };
        vec![Problem::new("manifest_shape", "", &message)]
    })?;
    if tool.name.is_empty() {
        tool.name = tool.id.to_string();
    }
    let problems = check(&tool);
    if problems.is_empty() { Ok(tool) } else { Err(problems) }
}

/// Everything that is wrong with a tool.
pub fn check(tool: &Tool) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut refuse =
        |code, at: &str, message: String| problems.push(Problem::new(code, at, &message));
    if let Err(bad) = check_name(tool.id.as_str()) {
        refuse("bad_id", "id", bad.to_string());
    }
    for (at, schema) in
        [("input_schema", Some(&tool.input_schema)), ("output_schema", tool.output_schema.as_ref())]
    {
        if let Some(Err(why)) = schema.map(Schema::compile) {
            refuse("bad_schema", at, format!("it is no JSON Schema: {why}"));
        }
    }
    for (at, written) in [("timeout", &tool.timeout), ("retry_delay", &tool.retry_delay)] {
        if written.is_some() && span(written.as_ref()).is_none_or(|ms| ms == 0) {
            refuse(
                "bad_span",
                at,
                "it is a time like `30s`, `500ms` or a number of seconds".into(),
            );
        }
    }
    if tool.retries.is_some_and(|retries| retries > 100) {
        refuse("bad_limit", "retries", "at most 100 retries are allowed".into());
    }
    if tool.limits.concurrent == Some(0) {
        refuse("bad_limit", "limits.concurrent", "with 0 it could never run".into());
    }
    match &tool.transport {
        Transport::Command(command) if command.argv.first().is_none_or(String::is_empty) => {
            refuse("bad_command", "command.argv", "it names no program".into());
        }
        Transport::Http(http)
            if !http.url.starts_with("http://") && !http.url.starts_with("https://") =>
        {
            refuse("bad_url", "http.url", "it must begin with http:// or https://".into());
        }
        Transport::Builtin(_) | Transport::Command(_) | Transport::Http(_) => {}
    }
    problems
}
