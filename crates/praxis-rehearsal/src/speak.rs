//! Serializes an answer in the format of an OpenAI-compatible endpoint.
//!
//! - in: an answer and its `AnswerFrame`: the model, token usage and timing
//! - out: the events of a stream, or one body
//! - never: omits the end of an answer; only a [`fault`](super::fault) does that

use super::answer::{AnswerCall, ScriptedAnswer, TokenCounts};
use super::latency::Timing;
use super::wire::{AfterBody, AnswerHead, BodyPiece, Framing, WireAnswer};
use praxis_core::ask::usage::estimate;
use serde::Deserialize;
use serde_json::{Value, json};

/// The characters per event: about a token.
const PER_EVENT: usize = 4;

/// The line ending of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnds {
    /// `\n`.
    #[default]
    Lf,
    /// `\r\n`.
    Crlf,
}

/// The metadata with which an answer is sent.
#[derive(Clone, Copy, Debug)]
pub struct AnswerFrame<'a> {
    /// The number of the call.
    pub number: u64,
    /// The model, as named by the client.
    pub model: &'a str,
    /// The current time in seconds since 1970.
    pub created: u64,
    /// The token usage of the answer.
    pub usage: TokenCounts,
    /// The times of its first and last token.
    pub timing: Timing,
    /// True if it is streamed.
    pub streams: bool,
    /// True if a stream ends with its token usage.
    pub tells_usage: bool,
    /// The line ending of a stream.
    pub line_ends: LineEnds,
}

/// A part of a serialized answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerPart {
    /// The kind of the part.
    pub kind: PartKind,
    /// The time at which it is sent, in milliseconds after the model started on the request.
    pub due_ms: u64,
    /// The serialized text, including the framing of the event.
    pub text: String,
}

/// The kind of an `AnswerPart`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The first event, with the role.
    Opening,
    /// A delta of content, reasoning or a tool call.
    Said,
    /// The finish reason.
    Finish,
    /// The token usage.
    Usage,
    /// `[DONE]`.
    Done,
    /// A whole body, not streamed.
    Body,
}

/// Returns the parts of an answer, in order.
pub fn parts(answer: &ScriptedAnswer, frame: &AnswerFrame<'_>) -> Vec<AnswerPart> {
    if frame.streams {
        return stream(answer, frame);
    }
    let text = body(answer, frame).to_string();
    vec![AnswerPart { kind: PartKind::Body, due_ms: frame.timing.total_ms, text }]
}

/// Returns the healthy answer as it is sent.
pub fn wire(parts: Vec<AnswerPart>, streams: bool) -> WireAnswer {
    let content_type = if streams { "text/event-stream" } else { "application/json" };
    let headers = vec![("content-type".to_owned(), content_type.to_owned())];
    let pieces: Vec<BodyPiece> = parts
        .into_iter()
        .map(|part| BodyPiece { due_ms: part.due_ms, bytes: part.text.into_bytes() })
        .collect();
    let length = pieces.iter().map(|piece| piece.bytes.len()).sum();
    let framing = if streams { Framing::Chunked } else { Framing::Length(length) };
    WireAnswer {
        head: Some(AnswerHead { status: 200, headers }),
        pieces,
        framing,
        then: AfterBody::End,
    }
}

/// Formats one event of a stream.
pub fn event(data: &str, line_ends: LineEnds) -> String {
    let end = match line_ends {
        LineEnds::Lf => "\n",
        LineEnds::Crlf => "\r\n",
    };
    format!("data: {data}{end}{end}")
}

fn stream(answer: &ScriptedAnswer, frame: &AnswerFrame<'_>) -> Vec<AnswerPart> {
    let Timing { first_ms, total_ms } = frame.timing;
    let part = |kind, due_ms, payload: Value| {
        let text = event(&payload.to_string(), frame.line_ends);
        AnswerPart { kind, due_ms, text }
    };
    let opening = json!({"role": "assistant", "content": ""});
    let mut parts = vec![part(PartKind::Opening, first_ms, frame.chunk(opening, None))];
    let deltas = deltas(answer);
    let all: u64 = deltas.iter().map(|(_, tokens)| tokens).sum();
    let mut said = 0;
    for (delta, tokens) in deltas {
        said += tokens;
        let share = (total_ms - first_ms) * said / all.max(1);
        parts.push(part(PartKind::Said, first_ms + share, frame.chunk(delta, None)));
    }
    let finish = frame.chunk(json!({}), Some(answer.finish()));
    parts.push(part(PartKind::Finish, total_ms, finish));
    if frame.tells_usage {
        let mut last = frame.envelope("chat.completion.chunk", json!([]));
        put(&mut last, "usage", usage(frame.usage));
        parts.push(part(PartKind::Usage, total_ms, last));
    }
    let text = event("[DONE]", frame.line_ends);
    parts.push(AnswerPart { kind: PartKind::Done, due_ms: total_ms, text });
    parts
}

/// Returns the deltas of an answer, each with its estimated number of tokens.
fn deltas(answer: &ScriptedAnswer) -> Vec<(Value, u64)> {
    let of_text = |name: &'static str, text: &str| -> Vec<(Value, u64)> {
        let delta = |piece: String| (json!({name: piece}), estimate(&piece).max(1));
        pieces(text).map(delta).collect()
    };
    let mut deltas = of_text("reasoning_content", &answer.reasoning);
    deltas.extend(of_text("content", &answer.text));
    for (index, call) in answer.tool_calls.iter().enumerate() {
        let mut opening = function(call, index, "");
        put(&mut opening, "index", index.into());
        deltas.push((json!({"tool_calls": [opening]}), estimate(&call.name).max(1)));
        deltas.extend(pieces(&call.written()).map(|piece| {
            let tokens = estimate(&piece).max(1);
            let more = json!({"index": index, "function": {"arguments": piece}});
            (json!({"tool_calls": [more]}), tokens)
        }));
    }
    deltas
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let piece = |piece: &[char]| piece.iter().collect();
    characters.chunks(PER_EVENT).map(piece).collect::<Vec<String>>().into_iter()
}

fn body(answer: &ScriptedAnswer, frame: &AnswerFrame<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": answer.text});
    if !answer.reasoning.is_empty() {
        put(&mut message, "reasoning_content", answer.reasoning.as_str().into());
    }
    if !answer.tool_calls.is_empty() {
        let calls = answer.tool_calls.iter().enumerate();
        let calls = calls.map(|(index, call)| function(call, index, &call.written()));
        put(&mut message, "tool_calls", calls.collect());
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": answer.finish()});
    let mut body = frame.envelope("chat.completion", json!([choice]));
    put(&mut body, "usage", usage(frame.usage));
    body
}

fn function(call: &AnswerCall, index: usize, arguments: &str) -> Value {
    let id = call.id.clone().unwrap_or_else(|| format!("call_{index}"));
    json!({"id": id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

fn usage(tokens: TokenCounts) -> Value {
    json!({
        "prompt_tokens": tokens.prompt,
        "completion_tokens": tokens.completion,
        "total_tokens": tokens.prompt.saturating_add(tokens.completion),
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
    })
}

fn put(object: &mut Value, name: &str, value: Value) {
    if let Some(map) = object.as_object_mut() {
        map.insert(name.to_owned(), value);
    }
}

impl AnswerFrame<'_> {
    fn envelope(&self, object: &str, choices: Value) -> Value {
        json!({
            "id": format!("chatcmpl-{}", self.number),
            "object": object,
            "created": self.created,
            "model": self.model,
            "choices": choices,
        })
    }

    fn chunk(&self, delta: Value, finish: Option<&str>) -> Value {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        self.envelope("chat.completion.chunk", json!([choice]))
    }
}

#[cfg(test)]
#[path = "speak_tests.rs"]
mod tests;
