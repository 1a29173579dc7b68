//! Finds the JSON in what a model said, and mends it if it must.
//!
//! - in: words, and what the caller takes for right
//! - out: the first right value and everything that was mended to get it
//! - never: mends in silence, digs inside of a value that is not right, or takes more than linear time

use super::json_repair::{JsonRepairer, RepairStop};
use super::reply::JsonRepair;
use crate::document::read_json;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use thiserror::Error;

/// The longest text that is looked at, in bytes.
pub const LONGEST: usize = 16 << 20;
/// How many values that swallow the rest and are not right may be looked into. Each costs one more look at the rest.
const PATIENCE: usize = 4;
const FENCE: &str = "```";

/// A value, and what was mended to get it.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedJson {
    /// The value.
    pub value: Value,
    /// What was mended.
    pub repairs: BTreeSet<JsonRepair>,
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JsonMissing {
    /// There is no JSON in it.
    #[error("there is no JSON in it")]
    Nothing,
    /// There is JSON, but none that the caller takes for right.
    #[error("no JSON in it fits")]
    Unfit,
    /// It is nested too deep or holds too many values.
    #[error("the JSON in it is too large")]
    TooLarge,
    /// The text is longer than [`LONGEST`].
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
}

/// Finds the first value that is `right`: the whole text, else the objects and arrays in it.
pub fn find(
    text: &str,
    mut right: impl FnMut(&Value) -> bool,
) -> Result<RepairedJson, JsonMissing> {
    find_in(text, &mut right, true)
}

fn find_in(
    text: &str,
    right: &mut dyn FnMut(&Value) -> bool,
    may_unpack: bool,
) -> Result<RepairedJson, JsonMissing> {
    if text.len() > LONGEST {
        return Err(JsonMissing::TooLong);
    }
    match read_json(text.trim_start_matches('\u{feff}')) {
        Ok(value) if right(&value) => Ok(RepairedJson { value, repairs: BTreeSet::new() }),
        Ok(Value::String(inner)) if may_unpack => {
            let mut found = find_in(&inner, right, false)?;
            found.repairs.insert(JsonRepair::Coercion);
            Ok(found)
        }
        Ok(_) => Err(JsonMissing::Unfit),
        Err(_) => scan(text, right),
    }
}

/// Tries each bracket that opens outside of what was tried before.
fn scan(text: &str, right: &mut dyn FnMut(&Value) -> bool) -> Result<RepairedJson, JsonMissing> {
    let (mut at, mut patience, mut missing) = (0, PATIENCE, JsonMissing::Nothing);
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(['{', '['])) {
        let start = at + start;
        let mut mender = JsonRepairer::at(text, start);
        let read = mender.read();
        at = mender.at.max(start + 1);
        match read {
            Ok(value) if right(&value) => {
                let mut repairs = mender.repairs;
                around(text.get(..start), text.get(at..), &mut repairs);
                return Ok(RepairedJson { value, repairs });
            }
            // A cut value swallowed the rest; what is right may stand in it.
            Ok(_) if mender.repairs.contains(&JsonRepair::Truncated) => {
                (at, patience, missing) = again(at, start, patience, JsonMissing::Unfit);
            }
            Err(RepairStop::Guess) => (at, patience, missing) = again(at, start, patience, missing),
            Ok(_) => missing = JsonMissing::Unfit,
            Err(RepairStop::Syntax) => {}
            Err(RepairStop::Deep | RepairStop::Many) => return Err(JsonMissing::TooLarge),
        }
    }
    Err(missing)
}

/// Goes on right behind a bracket that led nowhere, while there is patience.
fn again(
    at: usize,
    start: usize,
    patience: usize,
    why: JsonMissing,
) -> (usize, usize, JsonMissing) {
    if patience > 0 { (start + 1, patience - 1, why) } else { (at, 0, why) }
}

/// Tells a fence and words around a value.
fn around(before: Option<&str>, after: Option<&str>, repairs: &mut BTreeSet<JsonRepair>) {
    let before = before.unwrap_or_default().trim_start_matches('\u{feff}').trim();
    let after = after.unwrap_or_default().trim();
    let opened = before.rsplit_once(FENCE).filter(|(_, language)| {
        language.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '+'))
    });
    let closed = after.strip_prefix(FENCE);
    if opened.is_some() || closed.is_some() {
        repairs.insert(JsonRepair::Fence);
    }
    let before = opened.map_or(before, |(before, _)| before);
    let after = closed.unwrap_or(after);
    if !before.trim().is_empty() || !after.trim().is_empty() {
        repairs.insert(JsonRepair::Prose);
    }
}

/// Reads the arguments of a call: an object as a text, and whatever else endpoints make of that.
pub fn arguments(written: &Value) -> Result<RepairedJson, JsonMissing> {
    let coerced = |value| RepairedJson { value, repairs: BTreeSet::from([JsonRepair::Coercion]) };
    match written {
        Value::Null => Ok(coerced(Value::Object(Map::new()))),
        Value::Object(_) => Ok(coerced(written.clone())),
        Value::String(text) if matches!(text.trim(), "" | "null" | "\"\"" | "None") => {
            Ok(coerced(Value::Object(Map::new())))
        }
        Value::String(text) => find(text, Value::is_object),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(JsonMissing::Unfit),
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
