//! Finds the JSON in the text of a model and repairs it if necessary.
//!
//! - in: a text, and a predicate that accepts the wanted value
//! - out: the first accepted value and every repair that was made to read it
//! - never: repairs silently, searches inside a rejected value that is complete, or takes more than linear time

use super::json_repair::{JsonRepairer, RepairStop};
use super::reply::ReplyRepair;
use crate::document::read_json;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use thiserror::Error;

/// Maximum length of a text, in bytes.
pub const MAX_TEXT_BYTES: usize = 16 << 20;
/// Maximum number of rejected values that reach the end of the text and are searched again from the inside. Each
/// costs one more pass over the rest.
const PATIENCE: usize = 4;
const FENCE: &str = "```";

/// A value and the repairs that were made to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedJson {
    /// The value.
    pub value: Value,
    /// The repairs.
    pub repairs: BTreeSet<ReplyRepair>,
}

/// The reason why no value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum JsonMissing {
    /// The text contains no JSON.
    #[error("it contains no JSON")]
    Nothing,
    /// The text contains JSON, but no value that the caller accepts.
    #[error("no JSON in it has the expected form")]
    Unfit,
    /// The JSON is nested too deep or holds too many values.
    #[error("the JSON in it is too large")]
    TooLarge,
    /// The text is longer than [`MAX_TEXT_BYTES`].
    #[error("it is longer than {MAX_TEXT_BYTES} bytes")]
    TooLong,
}

/// Finds the first value that `right` accepts: the whole text, else the objects and arrays in it.
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
    if text.len() > MAX_TEXT_BYTES {
        return Err(JsonMissing::TooLong);
    }
    match read_json(text.trim_start_matches('\u{feff}')) {
        Ok(value) if right(&value) => Ok(RepairedJson { value, repairs: BTreeSet::new() }),
        Ok(Value::String(inner)) if may_unpack => {
            let mut found = find_in(&inner, right, false)?;
            found.repairs.insert(ReplyRepair::Coercion);
            Ok(found)
        }
        Ok(_) => Err(JsonMissing::Unfit),
        Err(_) => scan(text, right),
    }
}

/// Tries each opening bracket outside of the values tried before.
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
            // A cut value reaches the end of the text; the wanted one may be inside it.
            Ok(_) if mender.repairs.contains(&ReplyRepair::Truncated) => {
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

/// Continues right after the opening bracket of a rejected value, while there is `patience`.
fn again(
    at: usize,
    start: usize,
    patience: usize,
    why: JsonMissing,
) -> (usize, usize, JsonMissing) {
    if patience > 0 { (start + 1, patience - 1, why) } else { (at, 0, why) }
}

/// Records a code fence and prose around a value.
fn around(before: Option<&str>, after: Option<&str>, repairs: &mut BTreeSet<ReplyRepair>) {
    let before = before.unwrap_or_default().trim_start_matches('\u{feff}').trim();
    let after = after.unwrap_or_default().trim();
    let opened = before.rsplit_once(FENCE).filter(|(_, language)| {
        language.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '+'))
    });
    let closed = after.strip_prefix(FENCE);
    if opened.is_some() || closed.is_some() {
        repairs.insert(ReplyRepair::Fence);
    }
    let before = opened.map_or(before, |(before, _)| before);
    let after = closed.unwrap_or(after);
    if !before.trim().is_empty() || !after.trim().is_empty() {
        repairs.insert(ReplyRepair::Prose);
    }
}

/// Reads the arguments of a call: an object written as a string, and the variants that endpoints send instead.
pub fn arguments(written: &Value) -> Result<RepairedJson, JsonMissing> {
    let coerced = |value| RepairedJson { value, repairs: BTreeSet::from([ReplyRepair::Coercion]) };
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
