//! Checks and completes the inputs that a flow is started with.

use super::file::Flow;
use crate::near::near;
use crate::problem::Problem;
use crate::schema::Schema;
use serde_json::{Map, Value};

/// A parameter of every task, which no flow has to declare.
const SESSION: &str = "session_id";

/// Reports inputs without a default that were not given, and values that do not fit.
pub fn missing(flow: &Flow, given: &Map<String, Value>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, schema) in &flow.inputs {
        let at = format!("inputs.{name}");
        let Some(value) = given.get(name) else {
            if schema.get("default").is_none() {
                let what = (format!("missing input `{name}`"), format!("缺少输入 `{name}`"));
                let mend =
                    (format!("pass it with `-p {name}=…`"), format!("用 `-p {name}=…` 传入"));
                problems.push(Problem::new("flow_input", &at, what).next(mend));
            }
            continue;
        };
        let errors = Schema::compile(schema).map(|schema| schema.errors(value)).unwrap_or_default();
        for error in errors {
            let what = error.words();
            let mend = (
                format!("pass another value with `-p {name}=…`"),
                format!("用 `-p {name}=…` 传入其他值"),
            );
            problems.push(Problem::new("flow_input", &at, what).next(mend));
        }
    }
    problems
}

/// Reports values that are not inputs of the flow. A misspelled name would otherwise silently leave a default in
/// force.
pub fn unknown(flow: &Flow, given: &Map<String, Value>) -> Vec<Problem> {
    let names = || flow.inputs.keys().map(String::as_str);
    let told = |name: &String| {
        let known: Vec<&str> = names().collect();
        let mend = if known.is_empty() {
            ("remove it; the flow has no inputs".to_owned(), "删除它；流程没有输入".to_owned())
        } else {
            (
                format!("its inputs are {}", known.join(", ")),
                format!("它的输入有 {}", known.join("、")),
            )
        };
        let what = (format!("the flow has no input `{name}`"), format!("流程没有输入 `{name}`"));
        let problem = Problem::new("flow_input", &format!("inputs.{name}"), what).next(mend);
        problem.or_near(&near(name, names()))
    };
    let is_known = |name: &&String| flow.inputs.contains_key(*name) || *name == SESSION;
    given.keys().filter(|name| !is_known(name)).map(told).collect()
}

/// Adds the defaults of the inputs that were not given.
pub fn complete(flow: &Flow, given: &mut Map<String, Value>) {
    for (name, schema) in &flow.inputs {
        if let (false, Some(default)) = (given.contains_key(name), schema.get("default")) {
            given.insert(name.clone(), default.clone());
        }
    }
}
