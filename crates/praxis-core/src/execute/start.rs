//! Turns an effect into the events that start it, or that say why it cannot start.
//!
//! - in: the state, an effect that `decide` returned, the blobs it needs and the tools' schemas
//! - out: events to append before anything is done
//! - never: does anything

use super::gather;
use crate::call::tool::Risk;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::{Blobs, Hole, Miss, blobs_needed, resolve};
use crate::decide::Effect;
use crate::execute::step::{Status, Step};
use crate::fault::{Fault, FieldError};
use crate::ids::{BlobId, QuestionId, StepId, ToolId};
use crate::intake::document::DEEPEST;
use crate::journal::event::{Effects, Ending, Event, Outcome};
use crate::journal::stream;
use crate::payload::{Payload, depth_is_within};
use crate::recover::question::{About, Question};
use crate::state::{Phase, State};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a start needs besides the state.
pub struct Inputs<'a> {
    /// The blobs that [`needs`] named.
    pub blobs: &'a Blobs,
    /// The tools as they are pinned.
    pub tools: &'a dyn Schemas,
}

/// The schemas of the pinned tools.
pub trait Schemas: Sync {
    /// The schema of a tool's arguments.
    fn input_schema(&self, tool: &ToolId) -> Option<&Value>;
    /// What is wrong with arguments for a tool.
    fn input_errors(&self, tool: &ToolId, arguments: &Value) -> Vec<FieldError>;
}

/// The blobs that must be at hand before an effect can begin.
pub fn needs(state: &State, effect: Effect) -> Vec<BlobId> {
    match effect {
        Effect::Make(index) => state
            .step_at(index)
            .filter(|step| step.sent.is_none())
            .map_or(vec![], |step| blobs_needed(&step.template, &state.context)),
        Effect::Gather(_) | Effect::Clarify(_) | Effect::AskForTime | Effect::Close => vec![],
    }
}

/// The events that start an effect.
pub fn begin(state: &State, effect: Effect, inputs: &Inputs<'_>) -> Vec<Event> {
    match effect {
        Effect::Make(index) => {
            return state.step_at(index).map(|step| make(state, step, inputs)).unwrap_or_default();
        }
        Effect::Gather(index) => return gather::events(state, index),
        Effect::Clarify(index) => clarify(state, index),
        Effect::AskForTime => Some(ask_for_time(state)),
        Effect::Close => Some(close(state)),
    }
    .into_iter()
    .collect()
}

/// The start of a call. In a fork, one that changes something needs approval, or is not made at all.
fn make(state: &State, step: &Step, inputs: &Inputs<'_>) -> Vec<Event> {
    let start = start(state, step, inputs);
    let Event::StepStarted { arguments, attempt, .. } = &start else { return vec![start] };
    match simulation(state, step) {
        Some(Effects::Ask) if !step.approved => {
            let (tool, key) = (step.tool().clone(), state.effect_key(step));
            let about = About::Approval { tool, key, arguments: stream::shown(arguments) };
            vec![asked(state, Some(step.plan.id.clone()), about)]
        }
        Some(Effects::Simulate) => {
            let output = simulated_output(state, step);
            let (id, attempt) = (step.plan.id.clone(), *attempt);
            let outcome = Outcome::Succeeded(output);
            vec![start, Event::StepFinished { step: id, attempt, outcome, retry_at: None }]
        }
        Some(Effects::Ask | Effects::Real) | None => vec![start],
    }
}

/// How a fork treats a step that changes something; none for other steps and tasks.
pub fn simulation(state: &State, step: &Step) -> Option<Effects> {
    let parent = state.submission.as_ref()?.parent.as_ref()?;
    let risk = state.contract(step.tool()).map_or(Risk::Write, |contract| contract.risk);
    (risk > Risk::Read).then_some(parent.effects)
}

/// Whether a step's call is not made but played: its output is the parent's, or made up.
pub fn is_simulated(state: &State, step: &Step) -> bool {
    !step.plan.gathers() && simulation(state, step) == Some(Effects::Simulate)
}

fn simulated_output(state: &State, step: &Step) -> Payload {
    let parent = state.submission.as_ref().and_then(|submission| submission.parent.as_ref());
    let known = parent.and_then(|parent| parent.simulated.get(&step.plan.id));
    known.cloned().unwrap_or_else(|| Payload::json(serde_json::json!({"simulated": true})))
}

fn start(state: &State, step: &Step, inputs: &Inputs<'_>) -> Event {
    if let Some(sent) = &step.sent {
        return started(step, sent.tool.clone(), sent.arguments.clone(), sent.holes.clone());
    }
    let on_unresolved =
        state.submission.as_ref().map(|s| s.options.on_unresolved).unwrap_or_default();
    let resolved = match resolve(&step.template, &state.context, inputs.blobs, on_unresolved) {
        Ok(resolved) => resolved,
        Err(misses) => return missing(state, step, misses, inputs),
    };
    // A hole stands as `null` until the call is made: then the arguments are checked whole.
    let errors = match resolved.holes.as_slice() {
        _ if !depth_is_within(&resolved.value, DEEPEST) => vec![too_deep()],
        [] => inputs.tools.input_errors(&step.plan.tool, &resolved.value),
        _ => vec![],
    };
    if !errors.is_empty() {
        return Event::StepRefused {
            step: step.plan.id.clone(),
            fault: Fault::ParamsInvalid { errors },
        };
    }
    started(step, None, Payload::json(resolved.value), resolved.holes)
}

/// What is wrong with a value that could be written and never be read again.
pub fn too_deep() -> FieldError {
    let detail = format!("it is nested deeper than {DEEPEST} levels");
    FieldError { pointer: String::new(), detail }
}

fn started(step: &Step, tool: Option<ToolId>, arguments: Payload, holes: Vec<Hole>) -> Event {
    Event::StepStarted {
        step: step.plan.id.clone(),
        attempt: step.attempt + 1,
        generation: step.generation,
        tool,
        arguments,
        holes,
    }
}

fn missing(state: &State, step: &Step, misses: Vec<Miss>, inputs: &Inputs<'_>) -> Event {
    use crate::dataflow::resolve::OnUnresolved;
    let schema = inputs.tools.input_schema(&step.plan.tool);
    let field = |miss: &Miss| {
        let schema = schema.and_then(|schema| schema_at(schema, &miss.pointer));
        (miss.pointer.clone(), schema.cloned().unwrap_or(Value::Bool(true)))
    };
    let fields: BTreeMap<String, Value> = misses.iter().map(field).collect();
    let fault = Fault::UnresolvedPlaceholder { misses };
    let ask =
        state.submission.as_ref().is_some_and(|s| s.options.on_unresolved == OnUnresolved::Ask);
    if !ask {
        return Event::StepRefused { step: step.plan.id.clone(), fault };
    }
    asked(state, Some(step.plan.id.clone()), About::Param { fault, fields })
}

fn schema_at<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(schema, |schema, token| {
        let key = token.replace("~1", "/").replace("~0", "~");
        schema.get("properties").and_then(|p| p.get(&key)).or_else(|| schema.get("items"))
    })
}

fn asked(state: &State, step: Option<StepId>, about: About) -> Event {
    let task = state.submission.as_ref().map_or("", |submission| submission.task.as_str());
    let tail: String = task.chars().skip(task.chars().count().saturating_sub(10)).collect();
    let id = QuestionId::from(format!("q_{}_{}", tail.to_lowercase(), state.questions_asked + 1));
    Event::QuestionAsked { question: Question { id, step, about } }
}

/// The tool's `check_with` first, once a generation; then a person.
fn clarify(state: &State, index: StepIndex) -> Option<Event> {
    let step = state.step_at(index)?;
    let contract = state.contract(step.tool());
    let checker = contract.and_then(|contract| contract.check_with.as_ref());
    if checker.is_some_and(|tool| state.contract(tool).is_some()) && !step.checked {
        return Some(Event::CheckStarted { step: step.plan.id.clone() });
    }
    let about = About::InDoubt {
        tool: step.tool().clone(),
        key: state.effect_key(step),
        started_at: step.started_at.unwrap_or_default(),
        fault: step
            .fault
            .clone()
            .unwrap_or_else(|| Fault::Interrupted { tool: step.tool().clone() }),
    };
    Some(asked(state, Some(step.plan.id.clone()), about))
}

fn ask_for_time(state: &State) -> Event {
    asked(state, None, About::Time { after_ms: state.active_ms })
}

/// How the task ends: as it was stopped, or by what became of its steps.
fn close(state: &State) -> Event {
    let with = |wanted: &[Status]| -> Vec<StepId> {
        let ended = state.steps.iter().filter(|step| wanted.contains(&step.status));
        ended.map(|step| step.plan.id.clone()).collect()
    };
    let ending = match &state.phase {
        Phase::Stopping(ending) => ending.clone(),
        Phase::Empty | Phase::Planning | Phase::Executing | Phase::Finished(_) => {
            match with(&[Status::Error]) {
                failed if failed.is_empty() => Ending::Completed,
                steps => Ending::Failed { fault: Fault::StepsFailed { steps } },
            }
        }
    };
    let last = |step: &&Step| step.status == Status::Success && step.dependents.is_empty();
    let result_of = state.steps.iter().filter(last).map(|step| step.plan.id.clone()).collect();
    Event::TaskFinished { ending, result_of }
}
