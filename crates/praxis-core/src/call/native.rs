//! Native tools, written in Rust: their descriptions, checked like manifests.
//!
//! - in: a [`Tool`] built by a program
//! - out: the checked tool, or all its problems
//! - never: inspects the code behind the tool

use super::manifest::complete_and_check;
use super::tool::Toolbox;
use super::tool::{Tool, ToolLimits, Transport};
use crate::ids::ToolId;
use crate::problem::Problem;
use crate::problem::reason::ProblemReason;
use serde_json::json;
use std::collections::BTreeMap;

impl Tool {
    /// Builds a tool whose code is part of the program. All other fields have their defaults: any object as
    /// arguments, any output, risk `write`.
    pub fn native(id: &str, description: &str) -> Self {
        Self {
            id: ToolId::from(id),
            name: String::new(),
            description: description.to_owned(),
            translations: BTreeMap::new(),
            input_schema: json!({"type": "object"}),
            output_schema: None,
            output_params: None,
            risk: None,
            idempotent: None,
            timeout: None,
            retries: None,
            retry_delay: None,
            alternatives: vec![],
            to_user: None,
            not_empty: None,
            check_with: None,
            approval: None,
            limits: ToolLimits::default(),
            tags: vec![],
            transport: Transport::Builtin(id.to_owned()),
        }
    }
}

/// Checks a native tool by the rules of manifests before it joins `toolbox`. It needs a free id and a description.
pub fn check_native(tool: Tool, toolbox: &Toolbox) -> Result<Tool, Vec<Problem>> {
    let id = tool.id.to_string();
    let mut problems = Vec::new();
    if toolbox.contains_key(&tool.id) {
        problems.push(Problem::of(&ProblemReason::TakenTool { tool: id.clone() }, "id"));
    }
    if tool.description.trim().is_empty() {
        problems.push(Problem::of(&ProblemReason::NoDescription, "description"));
    }
    match complete_and_check(Tool { transport: Transport::Builtin(id.clone()), ..tool }) {
        Ok(tool) if problems.is_empty() => return Ok(tool),
        Ok(_) => {}
        Err(found) => problems.extend(found),
    }
    let at = format!("tool `{id}`");
    Err(problems.into_iter().map(|problem| problem.within(&at)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::sync::Arc;

    fn codes(tool: Tool, toolbox: &Toolbox) -> Vec<(String, String)> {
        let problems = check_native(tool, toolbox).unwrap_err();
        problems.into_iter().map(|problem| (problem.at, problem.code)).collect()
    }

    #[test]
    fn a_tool_of_a_program_is_as_sound_as_one_of_a_manifest() {
        let tool = Tool {
            input_schema: json!({"type": "object", "properties": {"day": {"type": "date"}}}),
            ..Tool::native("greet", "Greets somebody.")
        };
        let tool = check_native(tool, &Toolbox::new()).unwrap();
        assert_eq!(tool.name, "greet");
        let day = json!({"type": "string", "format": "date"});
        assert_eq!(tool.input_schema.pointer("/properties/day"), Some(&day));
        let read: Tool = serde_json::from_value(serde_json::to_value(&tool).unwrap()).unwrap();
        assert_eq!(read, tool, "it is stored with a task as manifests are");
    }

    #[test]
    fn every_reason_against_a_tool_is_told_at_once() {
        let there = Tool::native("Loop", "Goes round.");
        let toolbox = Toolbox::from([(there.id.clone(), Arc::new(there))]);
        let tool = Tool {
            input_schema: json!({"type": "string"}),
            output_schema: Some(json!({"type": "thing"})),
            timeout: Some(Value::from("soon")),
            retries: Some(1000),
            ..Tool::native("Loop", " ")
        };
        let expected = [
            ("tool `Loop`, id", "duplicate_tool"),
            ("tool `Loop`, description", "no_description"),
            ("tool `Loop`, input_schema", "bad_schema"),
            ("tool `Loop`, output_schema", "bad_schema"),
            ("tool `Loop`, timeout", "bad_span"),
            ("tool `Loop`, retries", "bad_limit"),
            ("tool `Loop`, id", "own_name"),
        ];
        let expected = expected.map(|(at, code)| (at.to_owned(), code.to_owned()));
        assert_eq!(codes(tool, &toolbox), expected);
        let nameless = codes(Tool::native("a b", "Does."), &Toolbox::new());
        assert_eq!(nameless, [("tool `a b`".to_owned(), "bad_id".to_owned())]);
    }
}
