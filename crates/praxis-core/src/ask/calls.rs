//! Assembles the tool calls of a reply from stream deltas, however the endpoint numbers them.
//!
//! - in: `tool_calls` of deltas, and text that may contain calls
//! - out: calls with distinct ids and object arguments
//! - never: joins two calls that an index, an id or a complete object keeps apart

use super::fault::ModelFault;
use super::json::{self, JsonMissing, RepairedJson};
use super::reasoning::{CALL, END_CALL};
use super::reply::{ModelToolCall, ReplyRepair};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The calls received so far.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<PartialCall>);

/// The parts of one call received so far.
#[derive(Debug, Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    text: String,
    brackets: Brackets,
    /// Arguments that came as a JSON value instead of a string.
    value: Option<Value>,
}

/// The part of a call in one delta.
struct CallDelta<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: &'a Value,
}

impl Calls {
    /// Takes the `tool_calls` of one delta.
    pub(super) fn take(&mut self, tool_calls: &Value) {
        for written in tool_calls.as_array().into_iter().flatten() {
            let text = |at: &str| written.pointer(at).and_then(Value::as_str).unwrap_or_default();
            let nested = written.get("function").is_some();
            let name = if nested { "/function/name" } else { "/name" };
            let arguments = if nested { "/function/arguments" } else { "/arguments" };
            let piece = CallDelta {
                index: written.get("index").and_then(Value::as_u64),
                id: text("/id"),
                name: text(name),
                arguments: written.pointer(arguments).unwrap_or(&Value::Null),
            };
            self.piece(&piece);
        }
    }

    fn piece(&mut self, piece: &CallDelta<'_>) {
        match self.place(piece).and_then(|place| self.0.get_mut(place)) {
            Some(call) => call.add(piece),
            None => {
                let mut call = PartialCall { index: piece.index, ..PartialCall::default() };
                call.add(piece);
                self.0.push(call);
            }
        }
    }

    /// Returns the index of the call that a delta continues; `None` if it begins a new call.
    fn place(&self, piece: &CallDelta<'_>) -> Option<usize> {
        let last = self.0.len().checked_sub(1)?;
        let of_index = || self.0.iter().rposition(|call| call.index == piece.index);
        let of_id = || self.0.iter().rposition(|call| call.id == piece.id);
        let place = match (piece.index, piece.id.is_empty(), piece.name.is_empty()) {
            (Some(_), _, _) => of_index()?,
            (None, false, true) => of_id().unwrap_or(last),
            (None, false, false) => of_id()?,
            (None, true, _) => last,
        };
        let call = self.0.get(place)?;
        (!call.is_over(piece)).then_some(place)
    }

    /// Returns the text of all calls, to estimate their tokens.
    pub(super) fn written(&self) -> String {
        let of_call = |call: &PartialCall| {
            let value = call.value.as_ref().map(Value::to_string).unwrap_or_default();
            format!("{}{}{value}", call.name, call.text)
        };
        self.0.iter().map(of_call).collect()
    }

    /// Returns the calls whose arguments are complete, for a reply that was cut.
    pub(super) fn whole(&self) -> Vec<ModelToolCall> {
        let mut repairs = BTreeSet::new();
        let whole = self.0.iter().filter_map(|call| {
            let found = call.arguments().ok()?;
            let is_whole = !found.repairs.contains(&ReplyRepair::Truncated);
            (is_whole && call.is_whole()).then(|| call.call(found, &mut repairs))
        });
        whole.collect()
    }

    /// Returns all calls with the ids that the endpoint gave; see [`name_apart`]. Fails if arguments are unreadable.
    pub(super) fn end(
        &self,
        repairs: &mut BTreeSet<ReplyRepair>,
    ) -> Result<Vec<ModelToolCall>, ModelFault> {
        let mut calls = Vec::new();
        for call in &self.0 {
            let found = call.arguments().map_err(|_| call.fault())?;
            calls.push(call.call(found, repairs));
        }
        Ok(calls)
    }
}

impl PartialCall {
    fn add(&mut self, piece: &CallDelta<'_>) {
        if self.id.is_empty() {
            piece.id.clone_into(&mut self.id);
        }
        let is_more = !piece.name.starts_with(&self.name) && self.text.is_empty();
        if piece.name.len() > self.name.len() && piece.name.starts_with(&self.name) {
            piece.name.clone_into(&mut self.name);
        } else if is_more {
            self.name.push_str(piece.name);
        }
        match piece.arguments {
            Value::String(text) => {
                self.text.push_str(text);
                self.brackets.take(text);
            }
            Value::Null => {}
            Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Number(_) => {
                self.value = Some(piece.arguments.clone());
            }
        }
    }

    /// Returns true if a delta that seems to continue this call begins a new one.
    fn is_over(&self, piece: &CallDelta<'_>) -> bool {
        if piece.name.is_empty() {
            return false;
        }
        let other_id = !piece.id.is_empty() && !self.id.is_empty() && piece.id != self.id;
        let other_name = piece.index.is_none() && piece.id.is_empty() && piece.name != self.name;
        let has_more = match piece.arguments {
            Value::String(text) => !text.trim().is_empty(),
            Value::Null => false,
            Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Number(_) => true,
        };
        other_id || other_name || (has_more && self.is_whole())
    }

    fn is_whole(&self) -> bool {
        self.value.is_some() || self.brackets.are_closed()
    }

    fn arguments(&self) -> Result<RepairedJson, JsonMissing> {
        match &self.value {
            Some(value) => json::arguments(value),
            None => json::arguments(&Value::String(self.text.clone())),
        }
    }

    fn call(&self, found: RepairedJson, repairs: &mut BTreeSet<ReplyRepair>) -> ModelToolCall {
        repairs.extend(found.repairs);
        ModelToolCall { id: self.id.clone(), name: self.name.clone(), arguments: found.value }
    }

    fn fault(&self) -> ModelFault {
        let written = self.value.as_ref().map_or_else(|| self.text.clone(), Value::to_string);
        ModelFault::ModelArgumentsUnreadable {
            tool: self.name.clone(),
            written: super::classify::short(&written),
            usage: super::reply::TokenUsage::default(),
        }
    }
}

/// Bracket counter that finds the end of an object without parsing it again.
#[derive(Debug, Default)]
struct Brackets {
    depth: usize,
    in_text: bool,
    escaped: bool,
    opened: bool,
}

impl Brackets {
    fn take(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                _ if self.in_text => {
                    self.in_text = self.escaped || byte != b'"';
                    self.escaped = !self.escaped && byte == b'\\';
                }
                b'"' => self.in_text = true,
                b'{' | b'[' => (self.depth, self.opened) = (self.depth + 1, true),
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn are_closed(&self) -> bool {
        self.opened && self.depth == 0 && !self.in_text
    }
}

/// Gives every call a unique id: generates one for a missing id and for each repetition of an id.
pub(super) fn name_apart(calls: &mut [ModelToolCall]) {
    let mut taken: BTreeSet<String> = calls.iter().map(|call| call.id.clone()).collect();
    let mut seen = BTreeSet::from([String::new()]);
    let mut number = 0;
    for call in calls {
        if !seen.insert(call.id.clone()) {
            while !taken.insert(format!("call_{number}")) {
                number += 1;
            }
            call.id = format!("call_{number}");
            seen.insert(call.id.clone());
        }
    }
}

/// Removes calls written as `<tool_call>{…}</tool_call>` from a text and returns the rest.
pub(super) fn take_from_text(
    text: &str,
    calls: &mut Vec<ModelToolCall>,
    repairs: &mut BTreeSet<ReplyRepair>,
) -> String {
    let mut parts = text.split(CALL);
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (inside, after) = part.split_once(END_CALL).unwrap_or((part, ""));
        match read_call(inside) {
            Some((call, mended)) => {
                calls.push(call);
                repairs.extend(mended);
                repairs.insert(ReplyRepair::CallInText);
                rest.push_str(after);
            }
            None => {
                rest.push_str(CALL);
                rest.push_str(part);
            }
        }
    }
    if rest.trim().is_empty() { String::new() } else { rest }
}

fn read_call(written: &str) -> Option<(ModelToolCall, BTreeSet<ReplyRepair>)> {
    let has_name = |value: &Value| value.get("name").is_some_and(Value::is_string);
    let mut found = json::find(written, has_name).ok()?;
    let arguments = match found.value.get("arguments").or_else(|| found.value.get("parameters")) {
        Some(Value::Object(map)) => Value::Object(map.clone()),
        Some(other) => {
            let inner = json::arguments(other).ok()?;
            found.repairs.extend(inner.repairs);
            inner.value
        }
        None => Value::Object(Map::new()),
    };
    let name = found.value.get("name").and_then(Value::as_str).unwrap_or_default();
    let call = ModelToolCall { id: String::new(), name: name.to_owned(), arguments };
    Some((call, found.repairs))
}
