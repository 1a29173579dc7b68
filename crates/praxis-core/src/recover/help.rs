//! Helps a failed step: the class of its failure first, then a model, then a person, then the whole plan.
//!
//! - in: a step that ails; later what a model says of it
//! - out: a changed step, a call to a model, a question, or the end of recovery
//! - never: tries the same again after it failed twice in the same way

use super::ailment::{Ailment, Rung};
use super::class::Class;
use super::figures::{guide, statistics};
use super::reflection::{Action, Cause, StepReflection};
use super::remedy::{escaped, missing_name, remedy};
use super::repeat::normalised;
use crate::ask::errand::Errand;
use crate::ask::request::Request;
use crate::call::tool::Risk;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::OnUnresolved;
use crate::execute::start::{Inputs, ask_for, question, schema_at};
use crate::execute::step::Step;
use crate::fault::Fault;
use crate::goal::brief::{Inference, Recovery};
use crate::goal::reading::{Read, unfit};
use crate::intake::problem::Problem;
use crate::journal::event::Event;
use crate::prompt::compose::{Stage, request};
use crate::prompt::schema;
use crate::prompt::signature::signature;
use crate::recover::question::About;
use crate::route::scene::Topic;
use crate::state::State;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// From so many failures in one way on, nothing more is tried.
const SAME_FAILURES: u32 = 2;
/// Repairs of one step, whatever the model thinks.
const MOST_REPAIRS: u32 = 3;
/// Changes of one step after reflection, whatever the model thinks.
const MOST_RETRIES: u32 = 6;

/// The next thing that is tried for a step.
pub fn events(state: &State, index: StepIndex, inputs: &Inputs<'_>) -> Vec<Event> {
    let (Some(step), Some(course)) = (state.step_at(index), state.goal.as_deref()) else {
        return vec![];
    };
    let Some(fault) = &step.fault else { return vec![untouched(step)] };
    let ailment = course.ailments.get(&index).cloned().unwrap_or_default();
    let class = Class::of(fault);
    let repeated = format!("{} {}", step.tool(), normalised(&fault.to_string()));
    let times = course.repeats.get(&repeated).copied().unwrap_or_default();
    if class.is_hopeless() {
        return vec![ended(step, false, "hopeless")];
    }
    let full = state.brief().is_some_and(|brief| brief.manner.recovery == Recovery::Full);
    let model = state.brief().is_some_and(|b| b.adviser(&reflect(step)).is_some());
    if !ailment.mended.contains(&class)
        && let Some(amended) = remedy(state, step, fault, inputs)
    {
        return vec![amended];
    }
    if let Some(events) = missing_values(state, step, &ailment, inputs) {
        return events;
    }
    if times >= SAME_FAILURES {
        return vec![ended(step, full && model, "repeated")];
    }
    if !full || !model {
        return vec![ended(step, false, "no_model")];
    }
    let errand = if ailment.repair_wanted { repair(step) } else { reflect(step) };
    if course.is_unanswered(&errand) {
        return vec![reflection_failed(step), ended(step, true, "no_reflection")];
    }
    ask_for(state, &errand, inputs)
}

fn reflect(step: &Step) -> Errand {
    Errand::Reflect { step: step.plan.id.clone() }
}

fn repair(step: &Step) -> Errand {
    Errand::Repair { step: step.plan.id.clone() }
}

fn ended(step: &Step, overall: bool, why: &str) -> Event {
    Event::RecoveryEnded { step: step.plan.id.clone(), overall, why: why.to_owned() }
}

/// A step that only waited for values goes on as planned.
fn untouched(step: &Step) -> Event {
    Event::StepAmended {
        step: step.plan.id.clone(),
        rung: Rung::Inference,
        tool: None,
        parameters: None,
        set: BTreeMap::new(),
        why: "as planned".to_owned(),
        by: String::new(),
    }
}

fn reflection_failed(step: &Step) -> Event {
    let reflection = StepReflection {
        root_cause_category: Cause::ReflectionError,
        root_cause: "the model gave no usable reflection".to_owned(),
        is_recoverable: false,
        confidence: 0,
        analysis: String::new(),
        suggested_action: Action::TriggerOverallReflection,
        alternative_solutions: vec![],
    };
    Event::StepReflected { step: step.plan.id.clone(), reflection: Box::new(reflection) }
}

/// The places whose value is missing, with their schemas.
fn missing(step: &Step, fault: &Fault, inputs: &Inputs<'_>) -> BTreeMap<String, Value> {
    let schema = inputs.tools.input_schema(&step.plan.tool);
    let at = |pointer: String| {
        let found = schema.and_then(|schema| schema_at(schema, &pointer)).cloned();
        (pointer, found.unwrap_or(Value::Bool(true)))
    };
    match fault {
        Fault::UnresolvedPlaceholder { misses } => {
            misses.iter().map(|miss| at(miss.pointer.clone())).collect()
        }
        Fault::ParamsInvalid { errors } => {
            let named = errors.iter().filter_map(|error| {
                let name = missing_name(&error.detail)?;
                Some(at(format!("{}/{}", error.pointer, escaped(name))))
            });
            named.collect()
        }
        _ => BTreeMap::new(),
    }
}

/// Values that are missing are found by a model, else asked of a person.
fn missing_values(
    state: &State,
    step: &Step,
    ailment: &Ailment,
    inputs: &Inputs<'_>,
) -> Option<Vec<Event>> {
    let (fault, brief) = (step.fault.as_ref()?, state.brief()?);
    let fields = missing(step, fault, inputs);
    if fields.is_empty() {
        return None;
    }
    let errand = Errand::Infer { step: step.plan.id.clone() };
    let course = state.goal.as_deref()?;
    let may_infer = brief.manner.inference != Inference::Off
        && brief.adviser(&errand).is_some()
        && !course.is_unanswered(&errand)
        && !ailment.inferred;
    if may_infer {
        return Some(ask_for(state, &errand, inputs));
    }
    let options = &state.submission.as_ref()?.options;
    if options.on_unresolved != OnUnresolved::Ask {
        return None;
    }
    let about = About::Param { fault: fault.clone(), fields };
    Some(vec![question(state, Some(step.plan.id.clone()), about)])
}

/// The request for reflection on a step, or for another way to do it.
pub fn ask(state: &State, inputs: &Inputs<'_>, errand: &Errand) -> Option<Request> {
    let library = inputs.library?;
    let step = state.step(errand.step()?.as_str())?;
    let fault = step.fault.as_ref()?;
    let lang = library.pack.lang();
    let error = format!("[{}] {}", Class::of(fault).word(), fault.message(lang));
    let attempts = attempts(state, step, lang);
    let others = other_tools(state, step, inputs);
    let figures = statistics(state, library);
    let described = described(step);
    if matches!(errand, Errand::Repair { .. }) {
        let holes = [
            ("scene_guidance", &*library.guidance(Topic::SingleStepRepair)),
            ("step", &described),
            ("error", &error),
            ("attempts", library.pack.or_none(&attempts)),
            ("statistics", &figures),
        ];
        let schema = schema("single_step_repair")?;
        let stage = Stage { errand, part: "single_step_repair", holes: &holes, schema };
        return request(state, library, inputs.tokens, &stage);
    }
    let holes = [
        ("scene_guidance", &*library.guidance(Topic::Reflection)),
        ("step", &described),
        ("error", &error),
        ("attempts", library.pack.or_none(&attempts)),
        ("tools_hint", library.pack.or_none(&others)),
        ("statistics", &figures),
        ("guide", &guide(state, library)),
    ];
    let schema = schema("reflection_step")?;
    request(
        state,
        library,
        inputs.tokens,
        &Stage { errand, part: "reflection.step", holes: &holes, schema },
    )
}

fn described(step: &Step) -> String {
    let plan = &step.plan;
    let parameters = crate::mask::masked(&plan.parameters).to_string();
    format!("{} {} ({})\nparameters: {parameters}", plan.id, plan.name, plan.tool)
}

fn attempts(state: &State, step: &Step, lang: crate::fault::Lang) -> String {
    let index = state.context.index_of(step.plan.id.as_str());
    let course = state.goal.as_deref();
    let ailment = course.and_then(|course| course.ailments.get(&index?));
    let mut out = String::new();
    for failed in ailment.iter().flat_map(|ailment| &ailment.failures) {
        let _ =
            writeln!(out, "- {} {}: {}", failed.tool, failed.arguments, failed.fault.message(lang));
    }
    out.trim_end().to_owned()
}

/// The chosen tools whose outputs could take the place of this one's.
fn other_tools(state: &State, step: &Step, inputs: &Inputs<'_>) -> String {
    let Some(library) = inputs.library else { return String::new() };
    let chosen = state.goal.as_deref().and_then(|course| course.selection.as_ref());
    let chosen = chosen.map_or(&[][..], |selection| &selection.tools);
    let others = library.chosen(chosen).filter(|tool| tool.id != step.plan.tool);
    others.map(|tool| tool.id.as_str()).collect::<Vec<_>>().join(", ")
}

/// The request for values that a step misses.
pub fn ask_values(state: &State, inputs: &Inputs<'_>, errand: &Errand) -> Option<Request> {
    let library = inputs.library?;
    let step = state.step(errand.step()?.as_str())?;
    let fields = step.fault.as_ref().map(|fault| missing(step, fault, inputs)).unwrap_or_default();
    let listed: Vec<String> =
        fields.iter().map(|(pointer, schema)| format!("{pointer}: {schema}")).collect();
    let listed = listed.join("\n");
    let tool = library.tool(&step.plan.tool).map(signature).unwrap_or_default();
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
        &Stage { errand, part: "parameter_inference", holes: &holes, schema },
    )
}

/// The names that hold data, without their contents: these are in the log and at the beginning.
fn sources(state: &State) -> String {
    let names: Vec<&str> = state.context.names().take(200).collect();
    names.join(", ")
}

/// Reads what a model made of a failure.
pub fn read(state: &State, found: &Read, errand: &Errand, model: &str) -> Vec<Event> {
    let Some(step) = errand.step().and_then(|id| state.step(id.as_str())) else { return vec![] };
    let reflection: StepReflection = match serde_json::from_value(found.value.clone()) {
        Ok(reflection) => reflection,
        Err(_) => return vec![reflection_failed(step), ended(step, true, "advised")],
    };
    let action = reflection.suggested_action.clone();
    let id = step.plan.id.clone();
    let reflected = Event::StepReflected { step: id.clone(), reflection: Box::new(reflection) };
    let followed = match action {
        Action::RetryWithParams { parameters } => {
            let changed = merged(&step.plan.parameters, &parameters);
            retry(state, step, None, changed, (Rung::RetryWithParams, model))
        }
        Action::RetryWithTool { tool, parameters } => {
            let known = state.goal.as_deref().is_some_and(|course| course.has_tool(&tool));
            let own = step.plan.parameters.as_object().cloned().unwrap_or_default();
            let given = if parameters.is_empty() { own } else { parameters };
            let changed = known.then_some(Value::Object(given));
            retry(state, step, Some(tool), changed, (Rung::RetryWithTool, model))
        }
        Action::RepairStep if may_repair(state, step) => vec![Event::RepairWanted { step: id }],
        Action::RepairStep => vec![ended(step, true, "capped")],
        Action::TriggerOverallReflection => vec![ended(step, true, "advised")],
    };
    guarded(state, found, errand, [reflected].into_iter().chain(followed).collect())
}

/// The parameters with those that change; none if nothing does.
fn merged(planned: &Value, changes: &Map<String, Value>) -> Option<Value> {
    let mut merged = planned.as_object().cloned().unwrap_or_default();
    merged.extend(changes.clone());
    let merged = Value::Object(merged);
    (merged != *planned).then_some(merged)
}

fn retry(
    state: &State,
    step: &Step,
    tool: Option<crate::ids::ToolId>,
    parameters: Option<Value>,
    (rung, model): (Rung, &str),
) -> Vec<Event> {
    let Some(parameters) = parameters else { return vec![ended(step, true, "no_idea")] };
    let index = state.context.index_of(step.plan.id.as_str());
    let ailment = state.goal.as_deref().and_then(|course| course.ailments.get(&index?));
    let retries = ailment.map_or(0, |ailment| ailment.retries);
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

fn may_repair(state: &State, step: &Step) -> bool {
    let index = state.context.index_of(step.plan.id.as_str());
    let ailment = state.goal.as_deref().and_then(|course| course.ailments.get(&index?));
    let cap = state.brief().and_then(|brief| brief.manner.max_single_step_repairs);
    ailment.map_or(0, |ailment| ailment.repairs) < cap.unwrap_or(MOST_REPAIRS)
}

/// Reads another way to do a step.
pub fn read_repair(state: &State, found: &Read, errand: &Errand, model: &str) -> Vec<Event> {
    let Some(step) = errand.step().and_then(|id| state.step(id.as_str())) else { return vec![] };
    let none = found.value.get("no_new_idea") == Some(&Value::Bool(true));
    let Some(written) = found.value.get("step").filter(|_| !none) else {
        return vec![ended(step, true, "no_idea")];
    };
    let tool = written.get("tool").and_then(Value::as_str).unwrap_or_default();
    let tool = crate::ids::ToolId::from(tool);
    if !state.goal.as_deref().is_some_and(|course| course.has_tool(&tool)) {
        let en = format!("tool `{tool}` is not one of the listed tools");
        let zh = format!("工具 `{tool}` 不在列表中");
        return vec![unfit(
            found,
            errand,
            vec![Problem::new("unknown_tool", "/step/tool", (en, zh))],
        )];
    }
    let parameters = written.get("parameters").cloned().unwrap_or_default();
    if tool == step.plan.tool && parameters == step.plan.parameters {
        return vec![ended(step, true, "no_idea")];
    }
    let amended = Event::StepAmended {
        step: step.plan.id.clone(),
        rung: Rung::Repair,
        tool: Some(tool),
        parameters: Some(parameters),
        set: BTreeMap::new(),
        why: crate::goal::reading::text(&found.value, "reasoning"),
        by: model.to_owned(),
    };
    guarded(state, found, errand, vec![amended])
}

/// An answer that had to be guessed at drives nothing that changes something.
fn guarded(state: &State, found: &Read, errand: &Errand, events: Vec<Event>) -> Vec<Event> {
    let changes = events.iter().any(|event| match event {
        Event::StepAmended { step, tool, .. } => {
            let own = state.step(step.as_str()).map(|step| step.tool().clone());
            let tool = tool.clone().or(own);
            let contract = tool.and_then(|tool| state.contract(&tool));
            contract.is_none_or(|contract| contract.risk > Risk::Read)
        }
        _ => false,
    });
    if changes && found.repairs.iter().any(|repair| !repair.is_lossless()) {
        let en = "the answer had to be mended to be read, and may not drive a call that changes something";
        let zh = "回答经过修补才能读取，不能用于执行有副作用的调用";
        return vec![unfit(found, errand, vec![Problem::new("plan_mended", "", (en, zh))])];
    }
    events
}

/// Reads values that a step missed.
pub fn read_values(
    state: &State,
    found: &Read,
    errand: &Errand,
    (model, inputs): (&str, &Inputs<'_>),
) -> Vec<Event> {
    let Some(step) = errand.step().and_then(|id| state.step(id.as_str())) else { return vec![] };
    let fields = step.fault.as_ref().map(|fault| missing(step, fault, inputs)).unwrap_or_default();
    let given = found.value.get("parameters").cloned().unwrap_or_default();
    let all = state.brief().is_some_and(|brief| brief.manner.inference == Inference::All);
    let schema = inputs.tools.input_schema(&step.plan.tool);
    let mut set = BTreeMap::new();
    let mut problems = Vec::new();
    let wanted: Vec<String> = if all && fields.is_empty() {
        given.as_object().into_iter().flatten().map(|(k, _)| format!("/{}", escaped(k))).collect()
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
                problems.push(Problem::new("answer_field", &pointer, (detail.clone(), detail)))
            }
        }
    }
    if !problems.is_empty() {
        return vec![unfit(found, errand, problems)];
    }
    let why = crate::goal::reading::text(&found.value, "reasoning");
    let amended = Event::StepAmended {
        step: step.plan.id.clone(),
        rung: Rung::Inference,
        tool: None,
        parameters: None,
        set,
        why,
        by: model.to_owned(),
    };
    guarded(state, found, errand, vec![amended])
}

fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    let Ok(schema) = crate::call::schema::Schema::compile(schema) else { return Ok(()) };
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
