//! Calls that ask a model: what is sent, what is set aside for it, and what its answer means.
//!
//! - in: the arguments of a step whose call asks a model, and what the task knows besides
//! - out: the request, the start of the call or the wall before it, the output
//! - never: asks

pub(super) mod agent;

mod digest;

mod llm;

mod slot;

mod words;

use super::reckon;
use crate::ask::reply::Reply;
use crate::ask::request::{Message, Request, Role};
use crate::ask::usage::count_request;
use crate::budget::ledger::Reserved;
use crate::call::own::Asks;
use crate::call::own_calls::own;
use crate::dataflow::context::StepIndex;
use crate::dataflow::resolve::complete;
use crate::fault::Fault;
use crate::field_error::FieldError;
use crate::goal::brief::Adviser;
use crate::ids::ToolId;
use crate::inputs::{Inputs, Schemas};
use crate::journal::event::Event;
use crate::mask::masked;
use crate::payload::{Datum, Payload};
use crate::stage::question::wall;
use crate::state::State;
use crate::state::step::{Status, Step};
use crate::time::At;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The name of the form that an answer must have.
const ANSWER: &str = "answer";
/// How many steps before this one a model can be told of.
const MOST_EARLIER: usize = 10;

/// What a call knows besides its arguments when it asks.
#[derive(Clone, Debug)]
pub struct Situation {
    asks: Asks,
    at: At,
    /// What the last steps before it gave, the nearest last.
    earlier: Vec<(String, String)>,
    /// The agent whose turn it is.
    agent: agent::Around,
}

impl Situation {
    /// The situation of a step that is about to ask; none if its call asks nobody.
    pub fn of(state: &State, step: &Step, tools: &dyn Schemas) -> Option<Self> {
        let asks = own(step.tool())?.asks()?;
        Some(Self {
            asks,
            at: state.at,
            earlier: if asks == Asks::Words { earlier(state, step) } else { vec![] },
            agent: agent::Around::of(state, step, tools).unwrap_or_default(),
        })
    }

    /// The output of a call for which no model has to be asked, or none can be.
    fn at_once(&self, arguments: &Value, has_mind: bool) -> Option<Value> {
        match self.asks {
            Asks::Summary => digest::nothing_said(arguments),
            Asks::Facts => digest::nothing_answered(arguments),
            Asks::Values => slot::at_once(arguments, has_mind),
            Asks::Words | Asks::Turn => None,
        }
    }

    /// The tools that can tell what they work on before a model is asked.
    pub fn telling(&self) -> &[ToolId] {
        self.agent.telling()
    }

    /// One of them told.
    pub fn hears(&mut self, tool: &ToolId, words: &str) {
        self.agent.hears(tool, words);
    }

    /// What a model is sent.
    pub fn request(&self, arguments: &Value, adviser: &Adviser) -> Result<Request, Fault> {
        match self.asks {
            Asks::Summary => digest::summary_request(arguments, adviser),
            Asks::Facts => digest::facts_request(arguments, adviser),
            Asks::Values => slot::request(arguments, adviser),
            Asks::Turn => self.agent.request(arguments, adviser),
            Asks::Words => llm::request(arguments, self, adviser),
        }
    }

    /// What its answer gives.
    pub fn output(&self, arguments: &Value, reply: &Reply) -> Result<Value, Fault> {
        match self.asks {
            Asks::Facts => digest::facts(reply),
            Asks::Values => slot::output(arguments, reply),
            Asks::Turn => self.agent.output(arguments, reply),
            Asks::Summary => Ok(reasoned(
                Map::from_iter([("text".to_owned(), Value::from(reply.text.trim()))]),
                reply,
            )),
            Asks::Words => llm::output(arguments, reply),
        }
    }
}

/// What the steps beside this one gave, in the order in which they ended.
fn earlier(state: &State, step: &Step) -> Vec<(String, String)> {
    let beside = |index: &StepIndex| state.step_at(*index).map(|step| (*index, step));
    let frame = step.frame.and_then(|owner| state.frames.get(&owner));
    let mut ended: Vec<(StepIndex, &Step)> = match frame {
        Some(frame) => frame.steps.iter().filter_map(beside).collect(),
        None => state.steps.everywhere().filter(|(index, _)| !index.is_inner()).collect(),
    };
    ended.retain(|(_, step)| step.status == Status::Success);
    ended.sort_by_key(|(_, step)| step.finished_at);
    let told = ended.into_iter().rev().filter_map(|(index, step)| {
        let output = &state.context.result(index)?.output;
        let gave = match output.whole() {
            Datum::Value(value) => masked(value).to_string(),
            Datum::InBlob { stored, .. } => stored.preview.clone(),
        };
        (gave != "{}").then(|| (step.plan.id.to_string(), gave))
    });
    let mut told: Vec<(String, String)> = told.take(MOST_EARLIER).collect();
    told.reverse();
    told
}

/// The start of such a call with what is set aside for it, or the wall that stands before it.
pub fn begin(state: &State, step: &Step, start: Event, inputs: &Inputs<'_>) -> Vec<Event> {
    let Event::StepStarted { step: id, attempt, generation, tool, arguments, holes, .. } = start
    else {
        return vec![start];
    };
    let refused = |fault| vec![Event::StepRefused { step: step.plan.id.clone(), fault }];
    let Some(given) = complete(&arguments, &holes, inputs.blobs) else {
        return refused(Fault::Interrupted { tool: step.tool().clone() });
    };
    let start = |arguments: Payload, holes, reserved| Event::StepStarted {
        step: id,
        attempt,
        generation,
        tool,
        arguments,
        holes,
        reserved,
    };
    let Some(situation) = Situation::of(state, step, inputs.tools) else { return vec![] };
    if let Some(output) = situation.at_once(&given, state.mind().is_some()) {
        return reckon::ended(step, start(arguments, holes, None), Ok(output));
    }
    let Some((adviser, budget)) = state.mind() else { return refused(Fault::ModelNeeded) };
    let request = match situation.request(&given, adviser) {
        Ok(request) => request,
        Err(fault) => return refused(fault),
    };
    let told = (situation.telling().len() * agent::ABOUT_CHARS) as u64;
    let prompt = count_request(&request, inputs.tokens) + told;
    let reserved = Reserved { prompt, completion: request.max_tokens.into() };
    if let Some(hit) = state.ledger.before_ask(budget, reserved, adviser.price.as_ref()) {
        return vec![wall(state, hit)];
    }
    vec![start(arguments, holes, Some(reserved))]
}

fn parsed<T: DeserializeOwned>(arguments: &Value) -> Result<T, Fault> {
    serde_json::from_value(arguments.clone()).map_err(|error| {
        let errors = vec![FieldError { pointer: String::new(), detail: error.to_string() }];
        Fault::ParamsInvalid { errors }
    })
}

fn message(role: Role, content: String) -> Message {
    Message { role, content, reasoning: None }
}

/// The tokens that an answer may have: what is wanted, if the model can.
fn room(wanted: Option<u32>, adviser: &Adviser) -> u32 {
    wanted.unwrap_or(adviser.max_output).min(adviser.max_output)
}

/// An output with what was thought beside it.
fn reasoned(mut output: Map<String, Value>, reply: &Reply) -> Value {
    if !reply.reasoning.is_empty() {
        output.insert("reasoning".to_owned(), Value::from(reply.reasoning.as_str()));
    }
    Value::Object(output)
}
