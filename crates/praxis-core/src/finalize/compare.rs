//! Two tasks side by side: which steps differ, and in what.

use crate::execute::step::Step;
use crate::ids::StepId;
use crate::journal::stream::shown;
use crate::payload::Payload;
use crate::state::State;
use serde::Serialize;
use serde_json::Value;

/// What differs in one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The step, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// `status`, `tool`, `parameters`, `output`, `attempts`, `metadata …`, or `only`.
    pub what: String,
    /// In the first task.
    pub left: Value,
    /// In the second task.
    pub right: Value,
}

/// Everything in which two tasks differ, in the order of the first one's plan. Times are not compared.
pub fn compare(left: &State, right: &State) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut note = |step: Option<&StepId>, what: &str, a: Value, b: Value| {
        if a != b {
            let (step, what) = (step.cloned(), what.to_owned());
            differences.push(Difference { step, what, left: a, right: b });
        }
    };
    note(None, "status", left.status().word().into(), right.status().word().into());
    let (before, after) = (left.context.initial(), right.context.initial());
    let keys: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
    for key in keys.into_iter().filter(|key| &***key != "session_id") {
        let value = |payload: Option<&Payload>| payload.map_or(Value::Null, shown);
        note(None, &format!("metadata {key}"), value(before.get(key)), value(after.get(key)));
    }
    for step in &left.steps {
        let id = &step.plan.id;
        let Some(other) = right.step(id.as_str()) else {
            note(Some(id), "only", Value::from("here"), Value::Null);
            continue;
        };
        note(Some(id), "tool", step.tool().as_str().into(), other.tool().as_str().into());
        note(Some(id), "parameters", step.plan.parameters.clone(), other.plan.parameters.clone());
        note(Some(id), "status", status(step), status(other));
        note(Some(id), "attempts", step.attempt.into(), other.attempt.into());
        note(Some(id), "output", output(left, step), output(right, other));
    }
    for step in right.steps.iter().filter(|step| left.step(step.plan.id.as_str()).is_none()) {
        note(Some(&step.plan.id), "only", Value::Null, Value::from("here"));
    }
    differences
}

fn status(step: &Step) -> Value {
    serde_json::to_value(step.status).unwrap_or_default()
}

fn output(state: &State, step: &Step) -> Value {
    let index = state.context.index_of(step.plan.id.as_str());
    let result = index.and_then(|index| state.context.result(index));
    result.map_or(Value::Null, |result| shown(&result.output))
}
