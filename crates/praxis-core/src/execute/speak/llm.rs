//! `LLM`: a prompt as it stands in the flow, with what the model is told besides.

use super::words::cut;
use super::{ANSWER, Situation, message, parsed, reasoned};
use crate::ask::reply::{Finish, Reply};
use crate::ask::request::{Format, Message, Request, Role};
use crate::fault::Fault;
use crate::goal::brief::Adviser;
use crate::goal::reading;
use crate::intake::problem::Problem;
use serde::Deserialize;
use serde_json::{Map, Value};

/// How much of what an earlier step gave is told.
const EARLIER_CHARS: usize = 2_000;

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
    #[serde(default)]
    time: bool,
    #[serde(default)]
    history: usize,
}

/// What a model is sent.
pub(super) fn request(
    arguments: &Value,
    situation: &Situation,
    adviser: &Adviser,
) -> Result<Request, Fault> {
    let given: Given = parsed(arguments)?;
    let system = given.system.filter(|text| !text.trim().is_empty());
    let mut messages: Vec<Message> =
        system.map(|text| message(Role::System, text)).into_iter().collect();
    let besides = besides(situation, given.time, given.history);
    messages.extend((!besides.is_empty()).then(|| message(Role::User, besides)));
    messages.push(message(Role::User, given.prompt));
    let format = given
        .schema
        .map_or(Format::Text, |schema| Format::Json { name: ANSWER.to_owned(), schema });
    let max_tokens = super::room(given.max_tokens, adviser);
    Ok(Request { messages, tools: vec![], format, max_tokens, temperature: given.temperature })
}

/// What time it is, and what the steps before this one gave.
fn besides(situation: &Situation, time: bool, history: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(time.then(|| format!("time: {}", situation.at)));
    let skipped = situation.earlier.len().saturating_sub(history);
    for (step, gave) in situation.earlier.iter().skip(skipped) {
        lines.push(format!("{step}: {}", cut(gave, EARLIER_CHARS)));
    }
    lines.join("\n")
}

/// What an answer gives: its text, data of the form that was asked for, and apart from both what was thought.
pub(super) fn output(arguments: &Value, reply: &Reply) -> Result<Value, Fault> {
    let cut =
        ("the answer was cut off; allow more `max_tokens`", "回答被截断，请提高 `max_tokens`");
    if reply.finish == Finish::Length {
        return Err(Fault::AnswerUnfit { problems: vec![Problem::new("answer_cut", "", cut)] });
    }
    let mut output = Map::new();
    let given: Given = parsed(arguments)?;
    if let Some(schema) = given.schema {
        let read = reading::read(0, reply, &schema);
        let read = read.map_err(|problems| Fault::AnswerUnfit { problems })?;
        output.insert("data".to_owned(), read.value);
    }
    output.insert("text".to_owned(), Value::from(reply.text.as_str()));
    Ok(reasoned(output, reply))
}
