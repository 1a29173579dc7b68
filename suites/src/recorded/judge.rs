//! Reads one answer with the parsers of Praxis, and compares the result with that of the lenient reader.

use super::answers::{at, list, text};
use super::lenient::{LenientItem, items};
use praxis_core::ask::json::{self, JsonMissing, RepairedJson};
use praxis_core::ask::listen::Listener;
use praxis_core::ask::reply::{ModelReply, ReplyRepair};
use praxis_core::ask::text_calls::{self, TextCall};
use praxis_core::ask::{body, fault::ModelFault, names};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Maximum number of values that are read from one text.
const MOST: usize = 200;

/// An answer of a model.
#[derive(Clone, Debug)]
pub enum RecordedAnswerKind {
    /// Plain text.
    Text(String),
    /// A chat message of an endpoint.
    Message(Value),
}

/// The verdict on one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerVerdict {
    /// Number of items that the lenient reader finds.
    pub items: usize,
    /// Number of these items that Praxis reads with the same meaning.
    pub read: usize,
    /// The repairs that Praxis needed to read them.
    pub repairs: BTreeSet<ReplyRepair>,
    /// The fault code of the first item that Praxis does not read.
    pub fault: Option<String>,
    /// Values that Praxis reads as lossless and the lenient reader does not confirm. Each could drive a wrong write.
    pub wrongly_sure: usize,
    /// Number of values and calls that only Praxis finds, in an answer without items: truncated or repaired ones,
    /// which must never count as lossless.
    pub beyond: usize,
    /// True if Praxis reads the recorded call, or rejects it if its input was not an object; `None` without a
    /// recorded call.
    pub as_meant: Option<bool>,
}

impl AnswerVerdict {
    /// Returns true if every item is read.
    pub fn is_read(&self) -> bool {
        self.read == self.items
    }

    /// Returns true if the answer may drive a write: every item is read, with lossless repairs only.
    pub fn is_sure(&self) -> bool {
        self.items > 0 && self.is_read() && are_sure(&self.repairs)
    }
}

fn are_sure(repairs: &BTreeSet<ReplyRepair>) -> bool {
    repairs.iter().all(|repair| repair.is_lossless())
}

/// Judges the answer of a model to which `offered` tools were offered.
pub fn judge(
    answer: &RecordedAnswerKind,
    offered: &[&str],
    meant: Option<&(String, Value)>,
) -> AnswerVerdict {
    match answer {
        RecordedAnswerKind::Text(text) => judge_text(text, offered, meant),
        RecordedAnswerKind::Message(message) => judge_message(message, offered),
    }
}

fn judge_text(text: &str, offered: &[&str], meant: Option<&(String, Value)>) -> AnswerVerdict {
    let items = items(text);
    let (values, spoken) = (values(text), text_calls::calls(text, offered));
    let mut verdict = AnswerVerdict { items: items.len(), ..AnswerVerdict::default() };
    let mut next = 0;
    for item in &items {
        let read = match item {
            LenientItem::Value(wanted) => {
                let mut later = values.iter().enumerate().skip(next);
                let found = later.find(|(_, found)| found.value == *wanted);
                next = found.map_or(next, |(index, _)| index + 1);
                found.map(|(_, found)| &found.repairs).ok_or_else(|| missing(text))
            }
            LenientItem::Call(name, wanted) => heard(name, wanted, offered, &spoken),
            LenientItem::Nameless(name) => Err(nameless(name, offered, &spoken)),
        };
        match read {
            Ok(repairs) => {
                verdict.read += 1;
                verdict.repairs.extend(repairs);
            }
            Err(code) => verdict.fault = verdict.fault.or(Some(code)),
        }
    }
    verdict.beyond(&items, &values, &spoken);
    verdict.as_meant = meant.map(|(tool, input)| is_meant(&spoken, tool, input));
    verdict
}

impl AnswerVerdict {
    /// Counts the values and calls that only Praxis finds, and those of them that it reads as lossless.
    fn beyond(
        &mut self,
        items: &[LenientItem],
        values: &[RepairedJson],
        spoken: &[Result<TextCall, ModelFault>],
    ) {
        let unknown = values.iter().filter(|found| {
            let found = LenientItem::Value(found.value.clone());
            !items.contains(&found)
        });
        let unknown: Vec<&BTreeSet<ReplyRepair>> = unknown.map(|found| &found.repairs).collect();
        let calls: Vec<&BTreeSet<ReplyRepair>> =
            spoken.iter().flatten().map(|spoken| &spoken.repairs).collect();
        let all = || unknown.iter().chain(&calls);
        self.wrongly_sure = all().filter(|repairs| are_sure(repairs)).count();
        if items.is_empty() {
            self.beyond = all().count();
            self.repairs.extend(all().flat_map(|repairs| repairs.iter()));
        }
    }
}

/// Returns all values that Praxis finds in a text, by asking for the next one each time.
fn values(text: &str) -> Vec<RepairedJson> {
    let mut all: Vec<RepairedJson> = Vec::new();
    while all.len() < MOST {
        let (skipped, mut seen) = (all.len(), 0);
        let found = json::find(text, |value| {
            seen += usize::from(value.is_object() || value.is_array());
            seen > skipped
        });
        match found {
            Ok(found) => all.push(found),
            Err(_) => break,
        }
    }
    all
}

fn missing(text: &str) -> String {
    let code = match json::find(text, |_| false) {
        Ok(_) => "",
        Err(JsonMissing::Nothing) => "no_json",
        Err(JsonMissing::Unfit) => "json_unfit",
        Err(JsonMissing::TooLarge) => "json_too_large",
        Err(JsonMissing::TooLong) => "json_too_long",
    };
    code.to_owned()
}

/// Returns the repairs of the call that was found as written, or the fault code.
fn heard<'a>(
    name: &str,
    wanted: &Value,
    offered: &[&str],
    spoken: &'a [Result<TextCall, ModelFault>],
) -> Result<&'a BTreeSet<ReplyRepair>, String> {
    let name = tool(name, offered).ok_or("tool_not_offered")?;
    let same = |spoken: &&TextCall| spoken.call.name == name && spoken.call.arguments == *wanted;
    let found = spoken.iter().flatten().find(same);
    found.map(|spoken| &spoken.repairs).ok_or_else(|| fault_of(spoken))
}

fn nameless(name: &str, offered: &[&str], spoken: &[Result<TextCall, ModelFault>]) -> String {
    match tool(name, offered) {
        Some(_) => fault_of(spoken),
        None => "tool_not_offered".to_owned(),
    }
}

fn tool<'a>(name: &str, offered: &[&'a str]) -> Option<&'a str> {
    names::resolve(name.trim_end_matches(".func"), offered)
}

fn fault_of(spoken: &[Result<TextCall, ModelFault>]) -> String {
    let fault = spoken.iter().find_map(|spoken| spoken.as_ref().err());
    fault.map_or("", ModelFault::code).to_owned()
}

/// Returns true if the first call is the recorded one; a recorded input that is not an object may be rejected.
fn is_meant(spoken: &[Result<TextCall, ModelFault>], tool: &str, input: &Value) -> bool {
    match (spoken.first(), input.is_object()) {
        (Some(Ok(spoken)), true) => spoken.call.name == tool && spoken.call.arguments == *input,
        (Some(Ok(spoken)), false) => {
            json::arguments(input).is_ok_and(|read| read.value == spoken.call.arguments)
        }
        (Some(Err(_)), is_object) => !is_object,
        (None, _) => false,
    }
}

fn judge_message(message: &Value, offered: &[&str]) -> AnswerVerdict {
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    let whole = body::read(&json!({"choices": [choice]}).to_string(), 0);
    if whole != streamed(message) {
        return AnswerVerdict {
            items: 1,
            fault: Some("stream_reads_otherwise".to_owned()),
            ..AnswerVerdict::default()
        };
    }
    let words = Some(text(message, "/content")).filter(|words| !words.trim().is_empty());
    let calls = list(message, "/tool_calls");
    let items = calls.len() + usize::from(words.is_some());
    let mut verdict = AnswerVerdict { items, ..AnswerVerdict::default() };
    let mut reply = match whole {
        Ok(reply) => reply,
        Err(fault) => return AnswerVerdict { fault: Some(fault.code().to_owned()), ..verdict },
    };
    let unknown = names::settle(&mut reply, offered);
    verdict.read += usize::from(words.is_some_and(|words| reply.text == words));
    for (index, call) in calls.iter().enumerate() {
        verdict.read += usize::from(is_same(&reply, index, call) && unknown.is_empty());
    }
    verdict.wrongly_sure = usize::from(!verdict.is_read() && are_sure(&reply.repairs));
    verdict.repairs = reply.repairs;
    verdict
}

fn is_same(reply: &ModelReply, index: usize, call: &Value) -> bool {
    let Some(read) = reply.tool_calls.get(index) else { return false };
    let arguments = serde_json::from_str::<Value>(text(call, "/function/arguments"));
    text(call, "/function/name") == read.name
        && text(call, "/id") == read.id
        && arguments.is_ok_and(|arguments| arguments == read.arguments)
}

/// Reads the same message as a stream of small chunks.
fn streamed(message: &Value) -> Result<ModelReply, ModelFault> {
    let mut listener = Listener::new(0);
    let mut tell = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let event = format!("data: {}\n\n", json!({"choices": [choice]}));
        event.as_bytes().chunks(11).try_for_each(|piece| listener.feed(piece).map(|_| ()))
    };
    for piece in pieces(text(message, "/content")) {
        tell(json!({"content": piece}), Value::Null)?;
    }
    for (index, call) in list(message, "/tool_calls").iter().enumerate() {
        let function = json!({"name": at(call, "/function/name"), "arguments": ""});
        let opening = json!({"index": index, "id": at(call, "/id"), "function": function});
        tell(json!({"tool_calls": [opening]}), Value::Null)?;
        for piece in pieces(text(call, "/function/arguments")) {
            let more = json!({"index": index, "function": {"arguments": piece}});
            tell(json!({"tool_calls": [more]}), Value::Null)?;
        }
    }
    tell(json!({}), json!("stop"))?;
    listener.feed(b"data: [DONE]\n\n")?;
    listener.end()
}

fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(5).map(|piece| piece.iter().collect()).collect()
}
