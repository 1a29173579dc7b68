//! Applies a person's answer to the call or the parameters that the question was about.

use crate::dataflow::context::StepIndex;
use crate::fault::Fault;
use crate::journal::draft::call_fingerprint;
use crate::journal::question::{Question, QuestionSubject};
use crate::pointer::Pointer;
use crate::slot::patch::whole_arguments;
use crate::state::State;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A call whose arguments a person changed.
pub(super) struct EditedArguments {
    /// The fingerprint (`print`) of the call with the changed arguments.
    pub(super) print: String,
    /// The arguments that differ.
    pub(super) changed: Map<String, Value>,
}

impl State {
    /// Records that a person approved a call, as shown or with their changes.
    pub(super) fn call_approved(&mut self, index: StepIndex, print: Option<String>) {
        if let Some(step) = self.steps.get_mut(index) {
            (step.approved, step.approved_print) = (true, print);
        }
    }
}

/// Returns the fault of a step whose question was answered with no.
pub(super) fn denied(question: &Question, reason: &str) -> Fault {
    let reason = reason.to_owned();
    if let QuestionSubject::Approval { tool, risk: Some(_), .. } = &question.about {
        return Fault::CallDenied { tool: tool.clone(), reason, by: None };
    }
    Fault::GivenUp { reason }
}

/// Returns the call with the person's changes, or `None` if the question was not about a call with a draft.
pub(super) fn edited(
    question: &Question,
    values: &BTreeMap<String, Value>,
) -> Result<Option<EditedArguments>, &'static str> {
    let QuestionSubject::Approval { tool, draft: Some(draft), .. } = &question.about else {
        return Ok(None);
    };
    let edited = draft.edited(values).map_err(|_| "these are no arguments of the call")?;
    let print = call_fingerprint(tool, &edited.arguments, &edited.holes);
    Ok(Some(EditedArguments { print, changed: edited.changed(draft) }))
}

/// Returns all parameters with the answered values filled in, or `None` if the question was not about parameters.
pub(super) fn answered_whole(
    question: &Question,
    values: &BTreeMap<String, Value>,
) -> Option<Map<String, Value>> {
    let QuestionSubject::Param { form: Some(form), .. } = &question.about else { return None };
    let answers = values.iter().map(|(at, value)| (Pointer::new(at.clone()), value.clone()));
    Some(whole_arguments(&form.schema, &form.known, &answers.collect()))
}
