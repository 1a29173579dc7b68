//! Reflects on a failed step with a model: why it failed, what to change, how to do it differently.
//!
//! - in: a step that no rule can repair; later the model's reflection
//! - out: a changed step, a request to repair it, or the end of recovery
//! - never: follows advice that changes nothing, repeats a failed call, or uses a tool that was not selected

use super::ladder::ended;
use crate::ask::purpose::Purpose;
use crate::ask::request::ModelRequest;
use crate::budget::same::fingerprint;
use crate::call::risk::Risk;
use crate::fault::Fault;
use crate::fault::class::FaultClass;
use crate::ids::ToolId;
use crate::inputs::Inputs;
use crate::intake::plan::PlannedStep;
use crate::journal::event::Event;
use crate::journal::rung::RecoveryRung;
use crate::journal::step_reflection::{FailureCause, RecoveryAction, StepReflection};
use crate::lang::Lang;
use crate::payload::Payload;
use crate::plan::fix_names;
use crate::problem::Problem;
use crate::prompt::schema;
use crate::route::scene::Topic;
use crate::stage::compose::{StageTexts, request};
use crate::stage::figures::retries_guide;
use crate::stage::reading::{ReadAnswer, text, unfit};
use crate::state::State;
use crate::state::failing::FailingStep;
use crate::state::step::Step;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The default limit on repairs of one step.
const MOST_REPAIRS: u32 = 3;
/// The default limit on changes of one step after reflection.
const MOST_RETRIES: u32 = 6;

/// Returns the `StepReflected` event that stands in when the model gave no usable reflection.
pub(super) fn reflection_failed(step: &Step) -> Event {
    let reflection = StepReflection {
        root_cause_category: FailureCause::ReflectionError,
        root_cause: "the model gave no usable reflection".to_owned(),
        is_recoverable: false,
        confidence: 0,
        analysis: String::new(),
        suggested_action: RecoveryAction::TriggerOverallReflection,
        alternative_solutions: vec![],
    };
    Event::StepReflected { step: step.plan.id.clone(), reflection: Box::new(reflection) }
}

/// Builds the model request for a reflection on a step, or for its repair.
pub fn ask(state: &State, inputs: &Inputs<'_>, purpose: &Purpose) -> Option<ModelRequest> {
    let library = inputs.library?;
    let step = state.step(purpose.step()?.as_str())?;
    let fault = step.fault.as_ref()?;
    let lang = library.pack.lang();
    let error = format!("[{}] {}", FaultClass::of(fault).word(), fault.message(lang));
    let attempts = attempts(state, step, lang);
    let described = described(step);
    if matches!(purpose, Purpose::Repair { .. }) {
        let holes = [
            ("scene_guidance", &*library.guidance(Topic::SingleStepRepair)),
            ("step", &described),
            ("error", &error),
            ("attempts", library.pack.or_none(&attempts)),
        ];
        let schema = schema("single_step_repair")?;
        let stage = StageTexts { purpose, part: "single_step_repair", holes: &holes, schema };
        return request(state, library, inputs.tokens, &stage);
    }
    let holes = [
        ("scene_guidance", &*library.guidance(Topic::Reflection)),
        ("step", &described),
        ("error", &error),
        ("attempts", library.pack.or_none(&attempts)),
        ("guide", &retries_guide(state, library)),
    ];
    let schema = schema("reflection_step")?;
    request(
        state,
        library,
        inputs.tokens,
        &StageTexts { purpose, part: "reflection.step", holes: &holes, schema },
    )
}

pub(super) fn described(step: &Step) -> String {
    let plan = &step.plan;
    let parameters = crate::mask::masked(&plan.parameters).to_string();
    format!("{} {} ({})\nparameters: {parameters}", plan.id, plan.name, plan.tool)
}

fn attempts(state: &State, step: &Step, lang: Lang) -> String {
    let failing_step = failing_step(state, step);
    let Some((last, before)) =
        failing_step.and_then(|failing_step| failing_step.failures.split_last())
    else {
        return String::new();
    };
    let mut out = String::new();
    for failed in before {
        let _ =
            writeln!(out, "- {} {}: {}", failed.tool, failed.arguments, failed.fault.message(lang));
    }
    // The last error and the planned step have their own sections in the prompt.
    let planned = step.plan.parameters.to_string();
    if last.arguments != planned {
        let _ = write!(out, "- {} {}", last.tool, last.arguments);
    }
    out.trim_end().to_owned()
}

/// Fixes the names in a call that a model advised, as for a plan.
fn advised(
    state: &State,
    step: &Step,
    (tool, parameters): (ToolId, Value),
    inputs: &Inputs<'_>,
) -> (ToolId, Value) {
    let chosen =
        state.goal.as_deref().and_then(|goal_state| goal_state.planning.selection.as_ref());
    let mut call = PlannedStep { tool, parameters, ..step.plan.clone() };
    if let (Some(chosen), Some(library)) = (chosen, inputs.library) {
        fix_names::step(&mut call, library, &chosen.tools, &[]);
    }
    (call.tool, call.parameters)
}

/// Reads the model's reflection on a failure.
pub fn read(
    state: &State,
    found: &ReadAnswer,
    purpose: &Purpose,
    (model, inputs): (&str, &Inputs<'_>),
) -> Vec<Event> {
    let Some(step) = purpose.step().and_then(|id| state.step(id.as_str())) else { return vec![] };
    let reflection: StepReflection = match serde_json::from_value(found.value.clone()) {
        Ok(reflection) => reflection,
        Err(_) => return vec![reflection_failed(step), ended(step, true, "advised")],
    };
    let action = followable(&reflection);
    let id = step.plan.id.clone();
    let reflected = Event::StepReflected { step: id.clone(), reflection: Box::new(reflection) };
    let followed = match action {
        RecoveryAction::RetryWithParams { parameters } => {
            let own = (step.plan.tool.clone(), Value::Object(parameters));
            let (_, parameters) = advised(state, step, own, inputs);
            let changed = merged(&step.plan.parameters, parameters);
            retry(state, step, None, changed, (RecoveryRung::RetryWithParams, model))
        }
        RecoveryAction::RetryWithTool { tool, parameters } => {
            let own = step.plan.parameters.as_object().cloned().unwrap_or_default();
            let given = if parameters.is_empty() { own } else { parameters };
            let (tool, given) = advised(state, step, (tool, Value::Object(given)), inputs);
            let known = state.goal.as_deref().is_some_and(|goal_state| goal_state.has_tool(&tool));
            let changed = known.then_some(given);
            retry(state, step, Some(tool), changed, (RecoveryRung::RetryWithTool, model))
        }
        RecoveryAction::RepairStep if may_repair(state, step) => {
            vec![Event::RepairWanted { step: id }]
        }
        RecoveryAction::RepairStep => vec![ended(step, true, "capped")],
        RecoveryAction::TriggerOverallReflection => vec![ended(step, true, "advised")],
    };
    guarded(state, found, purpose, [reflected].into_iter().chain(followed).collect())
}

/// Returns the advised action. With `is_recoverable: false` it is always the overall reflection.
fn followable(reflection: &StepReflection) -> RecoveryAction {
    if reflection.is_recoverable {
        reflection.suggested_action.clone()
    } else {
        RecoveryAction::TriggerOverallReflection
    }
}

/// Merges changes into the planned parameters; `None` if nothing changes.
fn merged(planned: &Value, changes: Value) -> Option<Value> {
    let mut merged = planned.as_object().cloned().unwrap_or_default();
    if let Value::Object(changes) = changes {
        merged.extend(changes);
    }
    let merged = Value::Object(merged);
    (merged != *planned).then_some(merged)
}

fn retry(
    state: &State,
    step: &Step,
    tool: Option<ToolId>,
    parameters: Option<Value>,
    (rung, model): (RecoveryRung, &str),
) -> Vec<Event> {
    let called = tool.as_ref().unwrap_or(&step.plan.tool);
    let new = parameters.filter(|parameters| !was_tried(state, step, (called, parameters)));
    let Some(parameters) = new else { return vec![ended(step, true, "no_idea")] };
    let retries = failing_step(state, step).map_or(0, |failing_step| failing_step.retries);
    let cap = state.submission.as_ref().and_then(|s| s.options.max_step_retries);
    if retries >= cap.unwrap_or(MOST_RETRIES) {
        return vec![ended(step, true, "capped")];
    }
    vec![Event::StepAmended {
        step: step.plan.id.clone(),
        rung,
        tool,
        parameters: Some(parameters),
        set: BTreeMap::new(),
        why: step.fault.as_ref().map(Fault::code).unwrap_or_default().to_owned(),
        by: model.to_owned(),
    }]
}

fn failing_step<'a>(state: &'a State, step: &Step) -> Option<&'a FailingStep> {
    let index = state.context.index_of(step.plan.id.as_str())?;
    state.goal.as_deref()?.recovery.ailments.get(&index)
}

/// Returns true if this call is already planned, or failed before.
fn was_tried(state: &State, step: &Step, (tool, parameters): (&ToolId, &Value)) -> bool {
    let call = fingerprint(tool, &Payload::json(parameters.clone()));
    let planned = *tool == step.plan.tool && *parameters == step.plan.parameters;
    planned
        || failing_step(state, step).is_some_and(|failing_step| failing_step.tried.contains(&call))
}

fn may_repair(state: &State, step: &Step) -> bool {
    let cap = state.goal_spec().and_then(|spec| spec.manner.max_single_step_repairs);
    failing_step(state, step).map_or(0, |failing_step| failing_step.repairs)
        < cap.unwrap_or(MOST_REPAIRS)
}

/// Reads the model's repair of a step.
pub fn read_repair(
    state: &State,
    found: &ReadAnswer,
    purpose: &Purpose,
    (model, inputs): (&str, &Inputs<'_>),
) -> Vec<Event> {
    let Some(step) = purpose.step().and_then(|id| state.step(id.as_str())) else { return vec![] };
    let none = found.value.get("no_new_idea") == Some(&Value::Bool(true));
    let Some(written) = found.value.get("step").filter(|_| !none) else {
        return vec![ended(step, true, "no_idea")];
    };
    let tool = written.get("tool").and_then(Value::as_str).unwrap_or_default();
    let parameters = written.get("parameters").cloned().unwrap_or_default();
    let (tool, parameters) = advised(state, step, (ToolId::from(tool), parameters), inputs);
    if !state.goal.as_deref().is_some_and(|goal_state| goal_state.has_tool(&tool)) {
        let en = format!("tool `{tool}` is not one of the listed tools");
        let zh = format!("工具 `{tool}` 不在列出的工具中");
        return vec![unfit(
            found,
            purpose,
            vec![Problem::new("unknown_tool", "/step/tool", (en, zh))],
        )];
    }
    if was_tried(state, step, (&tool, &parameters)) {
        return vec![ended(step, true, "no_idea")];
    }
    let amended = Event::StepAmended {
        step: step.plan.id.clone(),
        rung: RecoveryRung::Repair,
        tool: Some(tool),
        parameters: Some(parameters),
        set: BTreeMap::new(),
        why: text(&found.value, "reasoning"),
        by: model.to_owned(),
    };
    guarded(state, found, purpose, vec![amended])
}

/// Refuses an answer that was repaired with loss if it would drive a call that is not read-only.
pub(super) fn guarded(
    state: &State,
    found: &ReadAnswer,
    purpose: &Purpose,
    events: Vec<Event>,
) -> Vec<Event> {
    let changes = events.iter().any(|event| {
        let Event::StepAmended { step, tool, .. } = event else { return false };
        let own = state.step(step.as_str()).map(|step| step.tool().clone());
        let contract = tool.clone().or(own).and_then(|tool| state.contract(&tool));
        contract.is_none_or(|contract| contract.risk > Risk::Read)
    });
    if changes && found.repairs.iter().any(|repair| !repair.is_lossless()) {
        let en = "the answer had to be repaired before it could be read, so it must not trigger a call that changes something";
        let zh = "回答经修复后才能读取，不能用于有副作用的调用";
        return vec![unfit(found, purpose, vec![Problem::new("plan_mended", "", (en, zh))])];
    }
    events
}
