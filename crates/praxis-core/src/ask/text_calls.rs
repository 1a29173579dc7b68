//! Finds the tool calls that a model without native tool calling wrote in its text.
//!
//! - in: a text, and the offered tools
//! - out: the calls of those tools, in order, each with its repairs, or the fault of its arguments
//! - never: accepts a call of another tool, searches inside a value that is not a call, or takes more than linear
//!   time

use super::classify;
use super::fault::ModelFault;
use super::json::{self, MAX_TEXT_BYTES};
use super::json_repair::{JsonRepairer, RepairStop};
use super::names;
use super::reply::{ModelToolCall, ReplyRepair, TokenUsage};
use serde_json::Value;
use std::collections::BTreeSet;

/// Fields in which models write the name of a tool.
const NAMES: [&str; 5] = ["action", "name", "tool", "tool_name", "function"];
/// Fields in which models write the arguments.
const ARGUMENTS: [&str; 6] =
    ["action_input", "arguments", "parameters", "args", "tool_input", "input"];
/// Methods that programs call on a tool, as in `tool.run(…)`.
const METHODS: [&str; 5] = ["func", "run", "call", "invoke", "execute"];
/// Maximum length of a tool name, in characters.
const LONGEST_NAME: usize = 128;
/// Maximum number of unclosed brackets without a call that are searched again from the inside; as in [`json`].
const PATIENCE: usize = 4;

/// A call found in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextCall {
    /// The call. Its id is empty, because nobody assigned one.
    pub call: ModelToolCall,
    /// The repairs. Always contains `JsonRepair::CallInText`, which is not lossless, so the call never drives a
    /// write.
    pub repairs: BTreeSet<ReplyRepair>,
}

/// Finds calls: objects such as `{"action": …, "action_input": …}` or `{"name": …, "arguments": …}`, alone or in
/// arrays, and `tool(name="value")`. Only tools in `offered` count.
pub fn calls(text: &str, offered: &[&str]) -> Vec<Result<TextCall, ModelFault>> {
    let mut found = Vec::new();
    if text.len() > MAX_TEXT_BYTES {
        return found;
    }
    let (mut at, mut patience) = (0, PATIENCE);
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(['{', '[', '('])) {
        let start = at + start;
        let mut mender = JsonRepairer::at(text, start);
        let before = found.len();
        match text.as_bytes().get(start) {
            Some(b'(') => invoked(&mut mender, offered, &mut found),
            _ => written(&mut mender, offered, &mut found),
        }
        at = mender.at.max(start + 1);
        // An unclosed bracket consumed the rest of the text, which may contain a call.
        let swallowed = [ReplyRepair::Truncated, ReplyRepair::InnerQuotes];
        let swallowed = swallowed.iter().any(|repair| mender.repairs.contains(repair));
        if swallowed && found.len() == before && patience > 0 {
            (at, patience) = (start + 1, patience - 1);
        }
    }
    found
}

/// Takes the calls in the object or array at the reader's position.
fn written(
    mender: &mut JsonRepairer<'_>,
    offered: &[&str],
    found: &mut Vec<Result<TextCall, ModelFault>>,
) {
    let Ok(value) = mender.read() else { return };
    let items = match &value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(_) => vec![&value],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for item in items {
        let Some((name, arguments)) = named(item) else { continue };
        let Some(tool) = names::resolve(name, offered) else { continue };
        found.push(call(tool, name, arguments, &mender.repairs));
    }
}

/// Returns the name and the arguments of a call written as an object.
fn named(item: &Value) -> Option<(&str, &Value)> {
    const NOTHING: &Value = &Value::Null;
    if let Some(function) = item.get("function").filter(|function| function.is_object()) {
        return named(function);
    }
    let name = NAMES.iter().find_map(|field| item.get(field)?.as_str())?;
    let arguments = ARGUMENTS.iter().find_map(|field| item.get(field));
    Some((name, arguments.unwrap_or(NOTHING)))
}

fn call(
    tool: &str,
    name: &str,
    arguments: &Value,
    repairs: &BTreeSet<ReplyRepair>,
) -> Result<TextCall, ModelFault> {
    let unreadable = |_| ModelFault::ModelArgumentsUnreadable {
        tool: tool.to_owned(),
        written: classify::short(&arguments.to_string()),
        usage: TokenUsage::default(),
    };
    let mut repairs = repairs.clone();
    let arguments = if arguments.is_object() {
        arguments.clone()
    } else {
        let read = json::arguments(arguments).map_err(unreadable)?;
        repairs.extend(read.repairs);
        read.value
    };
    repairs.insert(ReplyRepair::CallInText);
    if name != tool {
        repairs.insert(ReplyRepair::Name);
    }
    let call = ModelToolCall { id: String::new(), name: tool.to_owned(), arguments };
    Ok(TextCall { call, repairs })
}

/// Takes a call such as `tool(name="value")` whose opening parenthesis is at the reader's position.
fn invoked(
    mender: &mut JsonRepairer<'_>,
    offered: &[&str],
    found: &mut Vec<Result<TextCall, ModelFault>>,
) {
    let Some((tool, name)) = name_before(mender.text, mender.at, offered) else { return };
    let start = mender.at;
    match mender.arguments() {
        // `tool()` within a sentence only mentions the tool.
        Ok(map) if map.is_empty() && !stands_alone(mender.text, start - name.len(), mender.at) => {}
        Ok(map) => found.push(call(tool, name, &Value::Object(map), &mender.repairs)),
        // Prose in parentheses is not a call; values without names are a call with unreadable arguments.
        Err(RepairStop::Syntax) if !begins_value(mender.text, start + 1) => {}
        Err(RepairStop::Syntax | RepairStop::Guess | RepairStop::Deep | RepairStop::Many) => {
            let written = mender.text.get(start..).unwrap_or_default();
            let (tool, written) = (tool.to_owned(), classify::short(written));
            let usage = TokenUsage::default();
            found.push(Err(ModelFault::ModelArgumentsUnreadable { tool, written, usage }));
        }
    }
}

/// Returns true if a call is alone on its line, except for punctuation and a label that ends in `:` or `=`.
fn stands_alone(text: &str, from: usize, to: usize) -> bool {
    let (before, after) =
        (text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default());
    let is_mark = |c: &char| matches!(c, '`' | ' ' | '\t' | '-' | '*' | '>' | ';' | ',' | '\r');
    // The search is bounded, so that long runs of punctuation do not take quadratic time.
    let before = before.chars().rev().take(LONGEST_NAME).find(|c| !is_mark(c));
    let after = after.chars().take(LONGEST_NAME).find(|c| !is_mark(c));
    matches!(after, None | Some('\n')) && matches!(before, None | Some('\n' | ':' | '='))
}

fn begins_value(text: &str, at: usize) -> bool {
    let first = text.get(at..).and_then(|rest| rest.trim_start().bytes().next());
    first.is_some_and(|byte| {
        byte.is_ascii_digit() || matches!(byte, b'"' | b'\'' | b'-' | b'{' | b'[')
    })
}

/// Returns the tool whose name precedes a parenthesis, and the name as written.
fn name_before<'a, 't>(
    text: &'t str,
    at: usize,
    offered: &[&'a str],
) -> Option<(&'a str, &'t str)> {
    let before = text.get(..at)?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':' | '/');
    let name = before.char_indices().rev().take(LONGEST_NAME).take_while(|(_, c)| is_part(*c));
    let name = before.get(name.last()?.0..)?;
    let method = name.rsplit_once('.').filter(|(_, method)| METHODS.contains(method));
    let tool = names::resolve(name, offered);
    let tool = tool.or_else(|| method.and_then(|(name, _)| names::resolve(name, offered)))?;
    Some((tool, name))
}

#[cfg(test)]
#[path = "text_calls_tests.rs"]
mod tests;
