//! Calls that ask a model: what is sent, what is set aside for it, and what its answer means.
//!
//! - in: the arguments of a step whose call is `LLM`
//! - out: the request, the start of the call or the wall before it, the output
//! - never: asks

use super::start::{Inputs, wall};
use super::step::Step;
use crate::ask::reply::{Finish, Reply};
use crate::ask::request::{Format, Message, Request, Role};
use crate::ask::usage::count_request;
use crate::budget::ledger::Reserved;
use crate::dataflow::resolve::filled;
use crate::fault::{Fault, FieldError};
use crate::goal::brief::Adviser;
use crate::goal::reading;
use crate::intake::problem::Problem;
use crate::journal::event::Event;
use crate::payload::{Datum, Payload};
use crate::state::State;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The name of the form that an answer must have.
const ANSWER: &str = "answer";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    prompt: String,
    #[serde(default)]
    system: Option<String>,
    #[serde(default)]
    schema: Option<Value>,
    #[serde(default)]
    temperature: Option<f64>,
    #[serde(default)]
    max_tokens: Option<u32>,
}

fn given(arguments: &Value) -> Result<Given, Fault> {
    serde_json::from_value(arguments.clone()).map_err(|error| {
        let errors = vec![FieldError { pointer: String::new(), detail: error.to_string() }];
        Fault::ParamsInvalid { errors }
    })
}

/// What a model is sent.
pub fn request(arguments: &Value, adviser: &Adviser) -> Result<Request, Fault> {
    let Given { prompt, system, schema, temperature, max_tokens } = given(arguments)?;
    let message = |role, content| Message { role, content, reasoning: None };
    let system = system.filter(|text| !text.trim().is_empty());
    let mut messages: Vec<Message> =
        system.map(|text| message(Role::System, text)).into_iter().collect();
    messages.push(message(Role::User, prompt));
    let format =
        schema.map_or(Format::Text, |schema| Format::Json { name: ANSWER.to_owned(), schema });
    let max_tokens = max_tokens.unwrap_or(adviser.max_output).min(adviser.max_output);
    Ok(Request { messages, tools: vec![], format, max_tokens, temperature })
}

/// What an answer gives: its text, data of the form that was asked for, and apart from both what was thought.
pub fn output(arguments: &Value, reply: &Reply) -> Result<Value, Fault> {
    let cut =
        ("the answer was cut off; allow more `max_tokens`", "回答被截断，请提高 `max_tokens`");
    if reply.finish == Finish::Length {
        return Err(Fault::AnswerUnfit { problems: vec![Problem::new("answer_cut", "", cut)] });
    }
    let mut output = Map::new();
    if let Some(schema) = given(arguments)?.schema {
        let read = reading::read(0, reply, &schema);
        let read = read.map_err(|problems| Fault::AnswerUnfit { problems })?;
        output.insert("data".to_owned(), read.value);
    }
    output.insert("text".to_owned(), Value::from(reply.text.as_str()));
    if !reply.reasoning.is_empty() {
        output.insert("reasoning".to_owned(), Value::from(reply.reasoning.as_str()));
    }
    Ok(Value::Object(output))
}

/// The start of such a call with what is set aside for it, or the wall that stands before it.
pub fn begin(state: &State, step: &Step, start: Event, inputs: &Inputs<'_>) -> Vec<Event> {
    let Event::StepStarted { step: id, attempt, generation, tool, arguments, holes, .. } = start
    else {
        return vec![start];
    };
    let refused = |fault| vec![Event::StepRefused { step: step.plan.id.clone(), fault }];
    let Some((adviser, budget)) = state.mind() else { return refused(Fault::ModelNeeded) };
    let given = match arguments.whole() {
        Datum::Value(value) => filled(value.clone(), &holes, inputs.blobs),
        Datum::InBlob { stored, .. } => inputs.blobs.get(&stored.blob).map(|v| Value::clone(v)),
    };
    let request = match request(&given.unwrap_or_default(), adviser) {
        Ok(request) => request,
        Err(fault) => return refused(fault),
    };
    let prompt = count_request(&request, inputs.tokens);
    let reserved = Reserved { prompt, completion: request.max_tokens.into() };
    if let Some(hit) = state.ledger.before_ask(budget, reserved, adviser.price.as_ref()) {
        return vec![wall(state, hit)];
    }
    let (arguments, reserved): (Payload, _) = (arguments, Some(reserved));
    vec![Event::StepStarted { step: id, attempt, generation, tool, arguments, holes, reserved }]
}
