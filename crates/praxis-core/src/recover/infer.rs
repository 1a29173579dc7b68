//! Finds missing parameter values of a step: by asking a model, otherwise a person.
//!
//! - in: a step that cannot start; later the answer of the model
//! - out: a model request, a question to the user, or the values with their reason
//! - never: accepts a value that breaks the tool's schema or contains a placeholder

use super::ladder::RecoveryStep;
use super::reflect::{described, guarded};
use super::tool_hints::{choices, missed};
use crate::ask::purpose::Purpose;
use crate::ask::request::ModelRequest;
use crate::dataflow::resolve::OnUnresolved;
use crate::fault::Fault;
use crate::fault::class::FaultClass;
use crate::field_error::FieldError;
use crate::goal::spec::{RecoveryMode, ValueInference};
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::question::QuestionSubject;
use crate::journal::rung::RecoveryRung;
use crate::pointer::pointer_to;
use crate::problem::Problem;
use crate::prompt::schema;
use crate::schema::Schema;
use crate::schema::description::in_lang;
use crate::schema::schema_at;
use crate::stage::compose::{StageTexts, request};
use crate::stage::question::question;
use crate::stage::reading::{ReadAnswer, text, unfit};
use crate::state::State;
use crate::state::failing::FailingStep;
use crate::state::step::Step;
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the JSON pointers of the missing values, with their schemas.
fn missing(step: &Step, fault: &Fault, inputs: &Inputs<'_>) -> BTreeMap<String, Value> {
    let schema = inputs.tools.input_schema(&step.plan.tool);
    let at = |pointer: String| {
        let found = schema.and_then(|schema| schema_at(schema, &pointer)).cloned();
        (pointer, found.unwrap_or(Value::Bool(true)))
    };
    if let Fault::UnresolvedPlaceholder { misses } = fault {
        return misses.iter().map(|miss| at(miss.pointer.clone())).collect();
    }
    let Fault::ParamsInvalid { errors } = fault else {
        let said = schema.and_then(|schema| missed(step, fault, schema));
        return said.map(|name| at(pointer_to("", name))).into_iter().collect();
    };
    let named = errors.iter().filter_map(|error| {
        let name = error.missing()?;
        Some(at(pointer_to(&error.pointer, name)))
    });
    named.collect()
}

/// Asks a model for missing values if recovery and inference allow it, otherwise a person.
pub(super) fn missing_values(
    state: &State,
    step: &Step,
    failing_step: &FailingStep,
    inputs: &Inputs<'_>,
) -> Option<RecoveryStep> {
    let (fault, spec) = (step.fault.as_ref()?, state.goal_spec()?);
    let fields = missing(step, fault, inputs);
    if fields.is_empty() {
        return None;
    }
    let purpose = Purpose::Infer { step: step.plan.id.clone() };
    let goal_state = state.goal.as_deref()?;
    let may_infer = spec.manner.recovery == RecoveryMode::Full
        && spec.manner.inference != ValueInference::Off
        && spec.model_for(&purpose).is_some()
        && !goal_state.is_unanswered(&purpose)
        && !failing_step.inferred;
    if may_infer {
        return Some(RecoveryStep::Ask(purpose));
    }
    ask_person(state, step, fields).map(RecoveryStep::Events)
}

/// Asks a person for a value outside of its enum, for use where no model can reflect on it.
pub(super) fn another_choice(
    state: &State,
    step: &Step,
    inputs: &Inputs<'_>,
) -> Option<Vec<Event>> {
    let fault =
        step.fault.as_ref().filter(|fault| FaultClass::of(fault) == FaultClass::EnumInvalid)?;
    let schema = inputs.tools.input_schema(&step.plan.tool)?;
    let fields = if let Fault::ParamsInvalid { errors } = fault {
        let one = |error: &FieldError| {
            Some((error.pointer.clone(), schema_at(schema, &error.pointer)?.clone()))
        };
        errors.iter().map(one).collect::<Option<_>>()?
    } else {
        let (name, allowed) = choices(fault, schema)?;
        BTreeMap::from([(pointer_to("", name), allowed)])
    };
    ask_person(state, step, fields)
}

fn ask_person(state: &State, step: &Step, fields: BTreeMap<String, Value>) -> Option<Vec<Event>> {
    let options = &state.submission.as_ref()?.options;
    let fault = step.fault.clone().filter(|_| options.on_unresolved == OnUnresolved::Ask)?;
    let about = QuestionSubject::Param { fault, fields, form: None };
    Some(vec![question(state, Some(step.plan.id.clone()), about)])
}

/// Builds the model request for the missing values of a step.
pub fn ask(state: &State, inputs: &Inputs<'_>, purpose: &Purpose) -> Option<ModelRequest> {
    let library = inputs.library?;
    let step = state.step(purpose.step()?.as_str())?;
    let fields = step.fault.as_ref().map(|fault| missing(step, fault, inputs)).unwrap_or_default();
    let one = |(pointer, schema): (&String, &Value)| {
        format!("{pointer}: {}", in_lang(schema, library.pack.lang()))
    };
    let listed: Vec<String> = fields.iter().map(one).collect();
    let listed = listed.join("\n");
    let tool = library.tool(&step.plan.tool).map(|it| library.signature(it)).unwrap_or_default();
    let sources = sources(state);
    let planned = crate::mask::masked(&step.plan.parameters).to_string();
    let holes = [
        ("step", &*described(step)),
        ("tool", &tool),
        ("planned", &planned),
        ("missing", library.pack.or_none(&listed)),
        ("sources", library.pack.or_none(&sources)),
    ];
    let schema = schema("parameter_inference")?;
    request(
        state,
        library,
        inputs.tokens,
        &StageTexts { purpose, part: "parameter_inference", holes: &holes, schema },
    )
}

/// Lists the names in the context without their values: these are in the log and in the prompt prefix.
fn sources(state: &State) -> String {
    let names: Vec<&str> = state.context.names().take(200).collect();
    names.join(", ")
}

/// Reads the model's answer with missing values of a step.
pub fn read(
    state: &State,
    found: &ReadAnswer,
    purpose: &Purpose,
    (model, inputs): (&str, &Inputs<'_>),
) -> Vec<Event> {
    let Some(step) = purpose.step().and_then(|id| state.step(id.as_str())) else { return vec![] };
    let fields = step.fault.as_ref().map(|fault| missing(step, fault, inputs)).unwrap_or_default();
    let given = found.value.get("parameters").cloned().unwrap_or_default();
    let all = state.goal_spec().is_some_and(|spec| spec.manner.inference == ValueInference::All);
    let schema = inputs.tools.input_schema(&step.plan.tool);
    let mut set = BTreeMap::new();
    let mut problems = Vec::new();
    let wanted: Vec<String> = if all && fields.is_empty() {
        given.as_object().into_iter().flatten().map(|(k, _)| pointer_to("", k)).collect()
    } else {
        fields.keys().cloned().collect()
    };
    for pointer in wanted {
        let Some(value) = given.pointer(&pointer).filter(|value| !holds_placeholder(value)) else {
            continue;
        };
        let property = schema.and_then(|schema| schema_at(schema, &pointer));
        match property.map_or(Ok(()), |property| fits(value, property)) {
            Ok(()) => drop(set.insert(pointer, value.clone())),
            Err(detail) => {
                problems.push(Problem::new("answer_field", &pointer, (detail.clone(), detail)));
            }
        }
    }
    if !problems.is_empty() {
        return vec![unfit(found, purpose, problems)];
    }
    let why = text(&found.value, "reasoning");
    let amended = Event::StepAmended {
        step: step.plan.id.clone(),
        rung: RecoveryRung::Inference,
        tool: None,
        parameters: None,
        set,
        why,
        by: model.to_owned(),
    };
    guarded(state, found, purpose, vec![amended])
}

fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    let Ok(schema) = Schema::compile(schema) else { return Ok(()) };
    let errors = schema.errors(value);
    errors.first().map_or(Ok(()), |error| Err(error.detail.clone()))
}

fn holds_placeholder(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("{{"),
        Value::Array(items) => items.iter().any(holds_placeholder),
        Value::Object(map) => map.values().any(holds_placeholder),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
