//! Recorded calls and their replay.
//!
//! - in: JSON lines, one call each: the request, and the bytes of its answer with their delays
//! - out: the same bytes for the same request, each recorded call once
//! - never: answers a request that was not recorded, or keeps a header that could hold a secret

use super::asked::{self, ChatRequest};
use super::voice::{Voice, VoiceDecision, VoiceReport};
use super::wire::{AfterBody, AnswerHead, BodyPiece, Framing, WireAnswer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use praxis_core::document::read_json;
use praxis_core::problem::{Bilingual, Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The headers that are kept: those that a client of Praxis reads.
pub(super) const KEPT: [&str; 3] = ["content-type", "retry-after", "retry-after-ms"];

/// One recorded call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interaction {
    /// The SHA-256 of the canonical request.
    pub key: String,
    /// The canonical request, to show how another request differs from it.
    pub request: Value,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The headers of the answer that are in `KEPT`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body of the answer.
    pub chunks: Vec<CassetteChunk>,
    /// True if the connection ended before the answer did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// One chunk of a recorded body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CassetteChunk {
    /// The delay after the previous chunk, in milliseconds.
    pub after_ms: u64,
    /// The content of the chunk.
    #[serde(flatten)]
    pub bytes: CassetteBytes,
}

/// Bytes as stored in a JSON line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CassetteBytes {
    /// Valid UTF-8, stored as it is.
    Text(String),
    /// Bytes that are not UTF-8, stored as base64.
    Base64(String),
}

impl CassetteBytes {
    /// Stores bytes as text if they are valid UTF-8, else as base64.
    pub fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Base64(STANDARD.encode(bytes)),
        }
    }

    fn read(&self) -> Option<Vec<u8>> {
        match self {
            Self::Text(text) => Some(text.clone().into_bytes()),
            Self::Base64(text) => STANDARD.decode(text).ok(),
        }
    }
}

impl Interaction {
    /// Creates a call without its answer body. `body` is the request as it was sent.
    pub fn new(body: &Value, status: u16, headers: BTreeMap<String, String>) -> Self {
        let request = asked::canonical(body);
        let key = asked::key(&request);
        let kept = headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let headers = kept.filter(|(name, _)| KEPT.contains(&name.as_str())).collect();
        Self { key, request, status, headers, chunks: Vec::new(), cut: false }
    }

    fn wire(&self) -> WireAnswer {
        let (mut due_ms, mut pieces) = (0, Vec::new());
        for chunk in &self.chunks {
            due_ms += chunk.after_ms;
            let bytes = chunk.bytes.read().unwrap_or_default();
            pieces.push(BodyPiece { due_ms, bytes });
        }
        let headers = self.headers.clone().into_iter().collect();
        let then = if self.cut { AfterBody::Cut } else { AfterBody::End };
        WireAnswer {
            head: Some(AnswerHead { status: self.status, headers }),
            pieces,
            framing: Framing::Chunked,
            then,
        }
    }
}

/// Recorded calls to replay, each once.
#[derive(Clone, Debug, Default)]
pub struct Cassette {
    calls: Vec<(Interaction, bool)>,
}

impl Cassette {
    /// Reads JSON lines. `name` is the file name for error messages.
    pub fn read(text: &str, name: &str) -> Result<Self, Problem> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let calls = lines.map(|(index, line)| {
            let refuse = |why: String| {
                let words =
                    (format!("not a recorded call: {why}"), format!("不是录制的调用：{why}"));
                Problem::new("bad_cassette", &format!("{name} line {}", index + 1), words)
                    .next(("record it again, or remove the line", "请重新录制，或删除这一行"))
            };
            let value = read_json(line).map_err(|error| refuse(error.to_string()))?;
            let call: Interaction =
                serde_json::from_value(value).map_err(|error| refuse(error.to_string()))?;
            if call.key != asked::key(&call.request) {
                return Err(refuse("`key` does not match `request`".to_owned()));
            }
            if call.chunks.iter().any(|chunk| chunk.bytes.read().is_none()) {
                return Err(refuse("a chunk is not valid base64".to_owned()));
            }
            Ok((call, false))
        });
        Ok(Self { calls: calls.collect::<Result<_, _>>()? })
    }

    /// Describes how the most similar recorded request differs from this one.
    fn nearest(&self, asked: &ChatRequest) -> Bilingual {
        let wanted = leaves(&asked.canonical());
        let alike = |(index, (call, _)): (usize, &(Interaction, bool))| {
            let known = leaves(&call.request);
            let same = known.iter().filter(|(at, leaf)| wanted.get(*at) == Some(*leaf)).count();
            (same, std::cmp::Reverse(index), known)
        };
        let Some((_, index, known)) = self.calls.iter().enumerate().map(alike).max() else {
            return Bilingual::from(("the recording is empty", "录制文件为空"));
        };
        let number = index.0 + 1;
        let places = known.keys().chain(wanted.keys());
        let mut different = places.filter(|at| known.get(*at) != wanted.get(*at));
        let Some(at) = different.next() else {
            let en = format!("recorded call {number} was already used");
            return Bilingual::from((en, format!("录制的调用 {number} 已使用过")));
        };
        let (had, has) = apart(known.get(at), wanted.get(at));
        let en = format!(
            "the closest is recorded call {number}: at {at} it has {had}, but this request has {has}"
        );
        Bilingual::from((
            en,
            format!("最接近的是录制的调用 {number}：{at} 处录制为 {had}，而此请求为 {has}"),
        ))
    }
}

impl Voice for Cassette {
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision {
        let key = asked.key();
        let mut calls = self.calls.iter_mut().enumerate();
        match calls.find(|(_, (call, used))| call.key == key && !used) {
            Some((index, (call, used))) => {
                *used = true;
                VoiceDecision::Send {
                    by: format!("recorded call {}", index + 1),
                    wire: call.wire(),
                }
            }
            None => {
                let near = self.nearest(asked);
                let en = format!("this request was not recorded: {}", near.en);
                VoiceDecision::Nothing(Bilingual::from((
                    en,
                    format!("没有录制过这个请求：{}", near.zh),
                )))
            }
        }
    }

    fn account(&self) -> VoiceReport {
        let left = self.calls.iter().enumerate().filter(|(_, (_, used))| !used);
        let name = |(index, (call, _)): (usize, &(Interaction, bool))| {
            let key = call.key.get(..12).unwrap_or_default();
            format!("recorded call {} ({key})", index + 1)
        };
        let used = self.calls.iter().filter(|(_, used)| *used).count() as u64;
        let counts = BTreeMap::from([("recorded calls".to_owned(), used)]);
        VoiceReport { unused: left.map(name).collect(), counts }
    }
}

/// Returns every scalar and empty container by its path.
fn leaves(value: &Value) -> BTreeMap<String, String> {
    let (mut found, mut open) = (BTreeMap::new(), vec![(String::new(), value)]);
    while let Some((at, value)) = open.pop() {
        match value {
            Value::Object(map) if !map.is_empty() => {
                open.extend(map.iter().map(|(key, value)| (format!("{at}/{key}"), value)));
            }
            Value::Array(items) if !items.is_empty() => {
                let items = items.iter().enumerate();
                // Leading zeros make the paths sort in array order.
                open.extend(items.map(|(index, value)| (format!("{at}/{index:03}"), value)));
            }
            leaf => {
                found.insert(at, leaf.to_string());
            }
        }
    }
    found
}

/// The number of characters shown of a value.
const SHOWN: usize = 40;

/// Returns an excerpt of both values, starting shortly before their first difference.
fn apart(had: Option<&String>, has: Option<&String>) -> (String, String) {
    let (Some(had), Some(has)) = (had, has) else {
        let show = |it: Option<&String>| it.map_or("nothing".to_owned(), |it| beginning(it, 0));
        return (show(had), show(has));
    };
    let same = had.chars().zip(has.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(SHOWN / 2);
    (beginning(had, from), beginning(has, from))
}

fn beginning(text: &str, from: usize) -> String {
    let shown: String = text.chars().skip(from).take(SHOWN).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if text.chars().count() > from + SHOWN { "…" } else { "" };
    format!("`{before}{shown}{after}`")
}

#[cfg(test)]
#[path = "cassette_tests.rs"]
mod tests;
