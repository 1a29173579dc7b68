//! The engine's own calls that need only the state: they end at once, or wait for a time or a person.
//!
//! - in: a step that makes one of the engine's own calls, and its start
//! - out: the events that follow
//! - never: calls anything outside the engine

use super::started::started;
use crate::call::own::OwnCall;
use crate::call::own_tools::own;
use crate::choice::branch::BranchChoice;
use crate::choice::condition::ConditionOperand;
use crate::dataflow::resolve::{LoadedBlobs, complete, whole};
use crate::dataflow::scope::{NameScope, path_of};
use crate::fault::Fault;
use crate::field_error::FieldError;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::journal::outcome::CallOutcome;
use crate::journal::question::QuestionSubject;
use crate::mask::masked;
use crate::payload::Payload;
use crate::payload::shown;
use crate::stage::question::question;
use crate::state::State;
use crate::state::step::Step;
use crate::state::wait::due;
use serde_json::{Map, Value, json};

/// Returns the events of the call: its start and end, or only its start if it ends later.
pub fn events(
    state: &State,
    step: &Step,
    (own, start): (OwnCall, Event),
    blobs: &LoadedBlobs,
) -> Vec<Event> {
    if own.asks_a_model() || matches!(own, OwnCall::Choice | OwnCall::Loop | OwnCall::SubFlow) {
        return vec![start];
    }
    let Event::StepStarted { tool, arguments, holes, .. } = start else { return vec![start] };
    let Some(given) = complete(&arguments, &holes, blobs) else {
        let fault = Fault::Interrupted { tool: step.tool().clone() };
        return vec![Event::StepRefused { step: step.plan.id.clone(), fault }];
    };
    let start = started(step, tool, Payload::json(given.clone()), vec![]);
    match own {
        OwnCall::Empty => ended(step, start, Ok(json!({}))),
        OwnCall::Convert => ended(step, start, Ok(converted(given))),
        OwnCall::Reply => ended(step, start, Ok(given)),
        OwnCall::Approve if step.approved => ended(step, start, Ok(json!({"approved": true}))),
        OwnCall::Approve => {
            let (tool, key) = (step.tool().clone(), state.effect_key(step));
            let (risk, asked_by, print, draft) = (None, None, None, None);
            let arguments = each_shown(&given);
            let about =
                QuestionSubject::Approval { tool, key, arguments, risk, asked_by, print, draft };
            vec![question(state, Some(step.plan.id.clone()), about)]
        }
        OwnCall::Wait => match due(&given, state.at) {
            Ok(_) => vec![start],
            Err(fault) => ended(step, start, Err(fault)),
        },
        OwnCall::Choice | OwnCall::Loop | OwnCall::SubFlow => vec![start],
        OwnCall::Llm | OwnCall::Summary | OwnCall::Facts | OwnCall::Slot => vec![start],
        OwnCall::Agent | OwnCall::Sql => vec![start],
    }
}

/// Returns the parameters as a person is shown them: secrets masked, each value cut separately.
fn each_shown(given: &Value) -> Value {
    let masked = masked(given);
    let each = masked.as_object().into_iter().flatten();
    let shown =
        |(name, value): (&String, &Value)| (name.clone(), shown(&Payload::json(value.clone())));
    Value::Object(each.map(shown).collect())
}

pub(super) fn ended(step: &Step, start: Event, result: Result<Value, Fault>) -> Vec<Event> {
    let outcome = match result {
        Ok(output) => CallOutcome::Succeeded(Payload::json(output)),
        Err(fault) => CallOutcome::Failed { fault, output: None },
    };
    let (id, attempt) = (step.plan.id.clone(), step.attempt + 1);
    vec![start, Event::StepFinished { step: id, attempt, outcome, retry_at: None, usage: None }]
}

/// Returns the output of `Convert`: the given `text` and `data`, or `data` itself if it is an object and there is no
/// text.
fn converted(mut given: Value) -> Value {
    let alone = given.get("text").is_none();
    match given.get_mut("data") {
        Some(data @ Value::Object(_)) if alone => data.take(),
        _ => given,
    }
}

/// Returns the event for a step whose time has come: the end of a wait, or the next attempt.
pub fn when_due(step: &Step) -> Event {
    let id = step.plan.id.clone();
    if own(step.tool()) != Some(OwnCall::Wait) {
        return Event::RetryDue { step: id };
    }
    let outcome = CallOutcome::Succeeded(Payload::json(json!({})));
    Event::StepFinished { step: id, attempt: step.attempt, outcome, retry_at: None, usage: None }
}

/// Evaluates a `Choice`. The operands are resolved one by one, so that a missing value satisfies `absent` and does
/// not fail the step.
pub fn choose(state: &State, step: &Step, start: Event, inputs: &Inputs<'_>) -> Vec<Event> {
    let Event::StepStarted { step: id, tool, .. } = start else { return vec![start] };
    let written = step.plan.all_parameters();
    let choice: BranchChoice<Value> = match serde_json::from_value(written) {
        Ok(choice) => choice,
        Err(error) => {
            let errors = vec![FieldError::untranslated("", error.to_string())];
            return vec![Event::StepRefused { step: id, fault: Fault::ParamsInvalid { errors } }];
        }
    };
    let scope = NameScope::within(&state.context, path_of(step.plan.id.as_str()));
    let settled = choice.settle(|side| operand(whole(side, scope, inputs.blobs).ok(), side));
    let arguments = Payload::json(serde_json::to_value(&settled).unwrap_or_default());
    let start = started(step, tool, arguments, vec![]);
    let chosen = settled.choose().map_err(|fault| Fault::ChoiceFailed { fault: Box::new(fault) });
    let output = chosen.map(|chosen| {
        let mut output = Map::new();
        output.insert("branch_id".to_owned(), Value::from(chosen.branch));
        output.insert("by_default".to_owned(), Value::from(chosen.by_default));
        let why = serde_json::to_value(&chosen.why).unwrap_or_default();
        output.insert("conditions".to_owned(), why);
        Value::Object(output)
    });
    ended(step, start, output)
}

/// Returns an operand of a condition. One without a value keeps the text that was written, so that it can be named.
pub(super) fn operand(value: Option<Value>, side: &Value) -> ConditionOperand {
    let name = || side.as_str().map_or_else(|| side.to_string(), str::to_owned);
    value.map_or_else(|| ConditionOperand::Missing(name()), ConditionOperand::Value)
}
