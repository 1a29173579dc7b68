//! What a flow is given: what must be there, what has a default.

use super::file::Flow;
use crate::call::schema::Schema;
use crate::intake::problem::Problem;
use serde_json::{Map, Value};

/// Inputs without a default that were not given, and those that do not fit.
pub fn missing(flow: &Flow, given: &Map<String, Value>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, schema) in &flow.inputs {
        let at = format!("inputs.{name}");
        let Some(value) = given.get(name) else {
            if schema.get("default").is_none() {
                let what = (format!("`{name}` is not given"), format!("没有给出 `{name}`"));
                let mend =
                    (format!("give it with `-p {name}=…`"), format!("用 `-p {name}=…` 给出"));
                problems.push(Problem::new("flow_input", &at, what).next(mend));
            }
            continue;
        };
        let errors = Schema::compile(schema).map(|schema| schema.errors(value)).unwrap_or_default();
        for error in errors {
            let what = (error.detail.clone(), format!("值不符合要求：{}", error.detail));
            let mend = (
                format!("give another value with `-p {name}=…`"),
                format!("用 `-p {name}=…` 给出别的值"),
            );
            problems.push(Problem::new("flow_input", &at, what).next(mend));
        }
    }
    problems
}

/// Adds the defaults of what was not given.
pub fn complete(flow: &Flow, given: &mut Map<String, Value>) {
    for (name, schema) in &flow.inputs {
        if let (false, Some(default)) = (given.contains_key(name), schema.get("default")) {
            given.insert(name.clone(), default.clone());
        }
    }
}
