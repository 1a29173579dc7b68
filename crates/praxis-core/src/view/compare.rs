//! Compares two tasks step by step.

use super::account::{Accounts, StepResolution, shown};
use crate::ids::StepId;
use crate::mask::masked_under;
use crate::payload::MOST_SHOWN;
use crate::payload::{Payload, text_is_within};
use crate::state::step::Step;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Length of the excerpt from two long texts around their first difference, in characters.
const WINDOW_CHARS: usize = 200;

/// One difference between two tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepDifference {
    /// The step; `None` for a difference of the whole task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// `status`, `tool`, `parameters`, `sent …`, `how`, `error`, `output`, `attempts`, `metadata …`,
    /// or `only`.
    pub what: String,
    /// The value in the first task.
    pub left: Value,
    /// The value in the second task.
    pub right: Value,
}

/// Returns all differences between two tasks, in the plan order of the first. Times are not compared.
pub fn compare(left: &Accounts, right: &Accounts) -> Vec<StepDifference> {
    let mut found = TaskDifferences(vec![]);
    found.note(None, "status", left.state.status().word(), right.state.status().word());
    found.metadata(left, right);
    for step in &left.state.steps {
        match right.state.step(step.plan.id.as_str()) {
            Some(other) => found.step((left, step), (right, other)),
            None => found.note(Some(&step.plan.id), "only", "here", Value::Null),
        }
    }
    for step in &right.state.steps {
        if left.state.step(step.plan.id.as_str()).is_none() {
            found.note(Some(&step.plan.id), "only", Value::Null, "here");
        }
    }
    found.0
}

struct TaskDifferences(Vec<StepDifference>);

impl TaskDifferences {
    fn note(
        &mut self,
        step: Option<&StepId>,
        what: &str,
        a: impl Into<Value>,
        b: impl Into<Value>,
    ) {
        let (a, b) = (a.into(), b.into());
        if a != b {
            // The label contains the parameter's name, so a secret parameter is masked.
            let (left, right) = apart(&masked_under(what, &a), &masked_under(what, &b));
            let (step, what) = (step.cloned(), what.to_owned());
            self.0.push(StepDifference { step, what, left, right });
        }
    }

    fn metadata(&mut self, left: &Accounts, right: &Accounts) {
        let (before, after) = (left.state.context.initial(), right.state.context.initial());
        let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        for key in keys.into_iter().filter(|key| &***key != "session_id") {
            let value = |payload: Option<&Payload>| payload.map_or(Value::Null, plain);
            let what = format!("metadata {key}");
            self.note(None, &what, value(before.get(key)), value(after.get(key)));
        }
    }

    fn step(&mut self, (left, step): (&Accounts, &Step), (right, other): (&Accounts, &Step)) {
        let id = &step.plan.id;
        let status = |step: &Step| serde_json::to_value(step.status).unwrap_or_default();
        let error = |step: &Step| step.fault.as_ref().map(crate::fault::Fault::code);
        self.note(Some(id), "tool", step.tool().as_str(), other.tool().as_str());
        self.note(
            Some(id),
            "parameters",
            step.plan.parameters.clone(),
            other.plan.parameters.clone(),
        );
        self.sent(id, left.sent_whole(id), right.sent_whole(id));
        self.note(Some(id), "status", status(step), status(other));
        self.note(Some(id), "error", error(step), error(other));
        let (how, other_how) = (left.how(id), right.how(id));
        if is_telling(&how) || is_telling(&other_how) {
            let value = |how: &StepResolution| serde_json::to_value(how).unwrap_or_default();
            self.note(Some(id), "how", value(&how), value(&other_how));
        }
        // Inherited, simulated and unrun steps have no attempts to compare.
        if (&how, &other_how) == (&StepResolution::Called, &StepResolution::Called) {
            self.note(Some(id), "attempts", step.attempt, other.attempt);
        }
        self.note(Some(id), "output", output(left, step), output(right, other));
    }

    /// Compares the arguments one by one. A call that was not made already shows in the status.
    fn sent(&mut self, id: &StepId, left: Option<Value>, right: Option<Value>) {
        let (Some(left), Some(right)) = (left, right) else { return };
        let (Value::Object(before), Value::Object(after)) = (&left, &right) else {
            return self.note(Some(id), "sent", left, right);
        };
        let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for key in keys {
            let value = |map: &serde_json::Map<String, Value>| map.get(key).cloned();
            self.note(Some(id), &format!("sent {key}"), value(before), value(after));
        }
    }
}

/// Returns true if the output does not come from a call of its own: it was simulated, answered or checked.
fn is_telling(how: &StepResolution) -> bool {
    match how {
        StepResolution::Simulated { .. }
        | StepResolution::Answered { .. }
        | StepResolution::Checked => true,
        StepResolution::NotRun
        | StepResolution::Refused
        | StepResolution::Called
        | StepResolution::Gathered { .. }
        | StepResolution::Inherited { .. } => false,
    }
}

/// Returns the value itself, or the reference to its blob.
fn plain(payload: &Payload) -> Value {
    match payload {
        Payload::Json(value) => value.as_ref().clone(),
        Payload::Blob(_) => shown(payload.whole()),
    }
}

fn output(accounts: &Accounts, step: &Step) -> Value {
    let context = &accounts.state.context;
    let index = context.index_of(step.plan.id.as_str());
    let result = index.and_then(|index| context.result(index));
    result.map_or(Value::Null, |result| plain(&result.output))
}

/// Returns both values; long ones are cut to an excerpt from shortly before the first difference.
fn apart(a: &Value, b: &Value) -> (Value, Value) {
    if text_is_within(a, MOST_SHOWN) && text_is_within(b, MOST_SHOWN) {
        return (a.clone(), b.clone());
    }
    let (before, after) = (a.to_string(), b.to_string());
    let same = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(WINDOW_CHARS / 4);
    let window = |value: &Value, text: &str| {
        let seen: String = text.chars().skip(from).take(WINDOW_CHARS).collect();
        json!({"shape": crate::payload::shape(value), "from": from, "preview": seen})
    };
    (window(a, &before), window(b, &after))
}
