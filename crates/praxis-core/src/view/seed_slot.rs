//! Events of automatic parameter filling, which the seed documents treat as a step of its own.
//!
//! - in: values that were found, or a question for missing ones
//! - out: `STEP_INPUT` and `STEP_OUTPUT` of a step with the type `SLOT`
//! - never: shows a secret

use super::seed::{PushedEvent, SeedStream};
use super::stream::masked_values;
use crate::ids::StepId;
use crate::journal::question::AnswerForm;
use crate::journal::slot::FilledSlot;
use crate::mask::masked;
use crate::payload::Payload;
use crate::payload::shown;
use crate::pointer::Pointer;
use crate::slot::remaining::remaining_schema;
use crate::state::step::StepStatus;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

impl SeedStream {
    /// Returns the events for values that were found. Missing ones are reported with the question, if one is asked.
    pub(super) fn filled(
        &self,
        step: &StepId,
        values: &BTreeMap<String, FilledSlot>,
        arguments: &Map<String, Value>,
    ) -> Vec<PushedEvent> {
        let slot_data = masked(&Value::Object(arguments.clone())).into_owned();
        let fields: Vec<&String> = values.keys().collect();
        let content = json!({
            "slot_data": slot_data, "remaining_schema": null, "filled_fields": fields,
            "filled": masked_values(values),
        });
        self.slot(step, content, StepStatus::Success)
    }

    /// Returns the events for a question to a person: the known values, the missing ones, and those found before.
    pub(super) fn left_open(
        &self,
        step: &StepId,
        fields: &BTreeMap<String, Value>,
        form: Option<&AnswerForm>,
    ) -> Vec<PushedEvent> {
        let known = form.map(|form| masked(&form.known).into_owned());
        let asked = fields.iter().map(|(at, schema)| (Pointer::new(at.clone()), schema.clone()));
        let given = self.state.step(step.as_str()).map(|step| &step.given);
        let found = given.into_iter().flatten().filter(|(_, given)| given.slot.is_some());
        let found: Vec<&String> = found.map(|(at, _)| at).collect();
        let content = json!({
            "slot_data": known, "remaining_schema": remaining_schema(&asked.collect()),
            "filled_fields": found,
        });
        self.slot(step, content, StepStatus::Param)
    }

    /// Returns the events of the filling as a step whose input is the planned parameters.
    fn slot(&self, step: &StepId, content: Value, status: StepStatus) -> Vec<PushedEvent> {
        let name = self.say("fill in parameters", "自动参数填充");
        let push = |event, content, status: StepStatus| {
            let instead = json!({"stepName": name, "stepType": "SLOT", "stepStatus": status});
            PushedEvent { instead, ..self.about(step, event, content) }
        };
        let written = self.state.step(step.as_str()).map(|step| step.plan.all_parameters());
        let written = written.map(|written| shown(&Payload::json(written)));
        vec![
            push("STEP_INPUT", json!({"data": written}), StepStatus::Running),
            push("STEP_OUTPUT", content, status),
        ]
    }
}
