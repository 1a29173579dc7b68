//! `Summary` and `Facts`: condense a conversation and extract facts from an answer.

use super::parts::{ANSWER, message, parsed, reasoned, room};
use super::words::{FACTS, SUMMARY, cut, lang_of};
use crate::ask::reply::ModelReply;
use crate::ask::request::{AnswerFormat, MessageRole, ModelRequest};
use crate::fault::Fault;
use crate::goal::spec::PinnedModel;
use crate::stage::reading;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The largest number of characters of a conversation, question or answer in the prompt. A long conversation keeps
/// its end.
const SAID_CHARS: usize = 24_000;
/// The largest number of characters of a fact.
const FACT_CHARS: usize = 30;
/// The largest number of facts that are kept.
const MOST_FACTS: usize = 10;
/// The largest number of domains that are kept.
const MOST_DOMAINS: usize = 5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SummaryArguments {
    #[serde(default)]
    conversation: Vec<Value>,
    #[serde(default)]
    facts: Vec<String>,
    #[serde(default)]
    max_tokens: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FactsArguments {
    question: String,
    answer: String,
    #[serde(default)]
    max_tokens: Option<u32>,
}

/// Returns the empty summary if the conversation is empty.
pub(super) fn nothing_said(arguments: &Value) -> Option<Value> {
    let given: SummaryArguments = parsed(arguments).ok()?;
    spoken(&given).is_empty().then(|| json!({"text": ""}))
}

/// Returns empty facts if the answer is empty.
pub(super) fn nothing_answered(arguments: &Value) -> Option<Value> {
    let given: FactsArguments = parsed(arguments).ok()?;
    given.answer.trim().is_empty().then(|| json!({"facts": [], "domains": []}))
}

/// Returns the conversation with one line per message. A long conversation keeps its last lines.
fn spoken(given: &SummaryArguments) -> String {
    let line = |turn: &Value| match turn {
        Value::String(text) => text.trim().to_owned(),
        Value::Object(turn) => {
            let text = |key: &str| turn.get(key).and_then(Value::as_str).unwrap_or_default();
            match (text("role"), text("content").trim()) {
                (_, "") => String::new(),
                ("", content) => content.to_owned(),
                (role, content) => format!("{role}: {content}"),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => String::new(),
    };
    let mut lines: Vec<String> = Vec::new();
    let mut room = SAID_CHARS;
    for turn in given.conversation.iter().rev() {
        let line = line(turn);
        if line.is_empty() {
            continue;
        }
        let line = cut(&line, room);
        room = room.saturating_sub(line.chars().count());
        lines.push(line);
        if room == 0 {
            break;
        }
    }
    lines.reverse();
    lines.join("\n")
}

/// Builds the request for a summary.
pub(super) fn summary_request(
    arguments: &Value,
    pinned_model: &PinnedModel,
) -> Result<ModelRequest, Fault> {
    let given: SummaryArguments = parsed(arguments)?;
    let said = spoken(&given);
    let facts = known(&given.facts);
    let holes = [("conversation", said.as_str()), ("facts", facts.as_str())];
    let prompt = SUMMARY.filled(lang_of(&said), &holes);
    Ok(ModelRequest {
        messages: vec![message(MessageRole::User, prompt)],
        max_tokens: room(given.max_tokens, pinned_model),
        temperature: Some(0.0),
        ..ModelRequest::default()
    })
}

fn known(facts: &[String]) -> String {
    if facts.is_empty() { "-".to_owned() } else { cut(&facts.join("\n"), SAID_CHARS) }
}

/// Builds the request for facts.
pub(super) fn facts_request(
    arguments: &Value,
    pinned_model: &PinnedModel,
) -> Result<ModelRequest, Fault> {
    let given: FactsArguments = parsed(arguments)?;
    let (question, answer) = (cut(&given.question, SAID_CHARS), cut(&given.answer, SAID_CHARS));
    let holes = [("question", question.as_str()), ("answer", answer.as_str())];
    let prompt = FACTS.filled(lang_of(&answer), &holes);
    Ok(ModelRequest {
        messages: vec![message(MessageRole::User, prompt)],
        format: AnswerFormat::Json { name: ANSWER.to_owned(), schema: facts_form() },
        max_tokens: room(given.max_tokens, pinned_model),
        temperature: Some(0.0),
        ..ModelRequest::default()
    })
}

fn facts_form() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object", "required": ["facts"],
        "properties": {"facts": texts.clone(), "domains": texts},
    })
}

/// Reads the facts and domains from the reply, without duplicates and without texts longer than `FACT_CHARS`.
pub(super) fn facts(reply: &ModelReply) -> Result<Value, Fault> {
    let read = reading::read(0, reply, &facts_form());
    let read = read.map_err(|problems| Fault::AnswerUnfit { problems })?;
    let texts = |key: &str, most: usize| {
        let listed = read.value.get(key).and_then(Value::as_array);
        let texts = listed.into_iter().flatten().filter_map(Value::as_str).map(str::trim);
        let mut seen = BTreeSet::new();
        let fits = |text: &&str| {
            !text.is_empty()
                && text.chars().count() <= FACT_CHARS
                && seen.insert(text.to_lowercase())
        };
        Value::from(texts.filter(fits).take(most).map(Value::from).collect::<Vec<_>>())
    };
    let mut output = Map::new();
    output.insert("facts".to_owned(), texts("facts", MOST_FACTS));
    output.insert("domains".to_owned(), texts("domains", MOST_DOMAINS));
    Ok(reasoned(output, reply))
}
