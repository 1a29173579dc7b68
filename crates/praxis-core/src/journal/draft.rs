//! A call that waits for approval, and edits of its arguments by a person.
//!
//! - in: the arguments as they would be sent, their schema, and new values by JSON pointer
//! - out: the call with the new values, or every error by its pointer
//! - never: adds an argument that neither the call nor its schema has

use crate::dataflow::resolve::Hole;
use crate::field_error::FieldError;
use crate::hash::content_hash;
use crate::ids::ToolId;
use crate::payload::{LARGE_BYTES, text_is_within};
use crate::pointer::{Pointer, index};
use crate::schema::Schema;
use crate::slot::patch::patch;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A call as it would be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentDraft {
    /// The schema of the arguments, with the overrides of the flow node.
    pub schema: Value,
    /// The arguments; `null` where a hole is.
    pub arguments: Value,
    /// Values of the arguments that are stored in blobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<Hole>,
}

/// Returns a fingerprint of everything that a call sends. An approval is valid only for this fingerprint.
pub fn call_fingerprint(tool: &ToolId, arguments: &Value, holes: &[Hole]) -> String {
    let whole = json!({"tool": tool, "arguments": arguments, "holes": holes});
    content_hash(whole.to_string().as_bytes()).chars().take(32).collect()
}

impl ArgumentDraft {
    /// Returns the call with the given values set at their pointers.
    pub fn edited(&self, values: &BTreeMap<String, Value>) -> Result<Self, Vec<FieldError>> {
        if values.is_empty() {
            return Err(vec![FieldError::new("", ("no value given", "未给出值"))]);
        }
        let mut edited = self.clone();
        let mut errors: Vec<FieldError> =
            values.iter().filter_map(|(at, value)| edited.put(at, value).err()).flatten().collect();
        errors.extend(edited.misfits(values));
        errors.sort_by(|one, other| one.pointer.cmp(&other.pointer));
        if errors.is_empty() { Ok(edited) } else { Err(errors) }
    }

    /// Returns the top-level arguments that differ from those of another draft.
    pub fn changed(&self, before: &Self) -> Map<String, Value> {
        let Value::Object(now) = &self.arguments else { return Map::new() };
        let is_new = |key: &String, value: &Value| before.arguments.get(key) != Some(value);
        let changed = now.iter().filter(|(key, value)| is_new(key, value));
        changed.map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    fn put(&mut self, at: &str, value: &Value) -> Result<(), Vec<FieldError>> {
        let place = Pointer::new(at.to_owned());
        if !text_is_within(value, LARGE_BYTES) {
            return Err(vec![too_long(at)]);
        }
        let is_in_hole = |hole: &Hole| Pointer::from(&*hole.at).holds(&place);
        if self.holes.iter().any(is_in_hole) {
            let words = (
                "this is part of a large value; give the whole value instead",
                "这是大对象的一部分；请给出整个值",
            );
            return Err(vec![FieldError::new(at, words)]);
        }
        let is_there = place.find(&self.arguments).is_some();
        let tokens = place.tokens().filter(|_| is_there).unwrap_or_default();
        if is_there && replace(&mut self.arguments, &tokens, value) {
            self.holes.retain(|hole| !place.covers(&hole.at));
            return Ok(());
        }
        let answer = BTreeMap::from([(place, value.clone())]);
        self.arguments = patch(&self.schema, &self.arguments, &answer)?;
        Ok(())
    }

    /// Returns the schema errors. If there are holes, only the edited places are checked; blobs are validated when
    /// they are read.
    fn misfits(&self, values: &BTreeMap<String, Value>) -> Vec<FieldError> {
        let Ok(schema) = Schema::with_formats(&self.schema) else { return vec![] };
        let mut errors = schema.errors(&self.arguments);
        let is_edited = |error: &FieldError| {
            values.keys().any(|at| Pointer::new(at.clone()).covers(&error.pointer))
        };
        errors.retain(|error| self.holes.is_empty() || is_edited(error));
        errors
    }
}

/// Replaces the value at a path. Returns false if nothing is there.
fn replace(data: &mut Value, tokens: &[String], value: &Value) -> bool {
    let Some((first, rest)) = tokens.split_first() else {
        *data = value.clone();
        return true;
    };
    let inner = match data {
        Value::Object(map) => map.get_mut(first),
        Value::Array(items) => index(first).and_then(|index| items.get_mut(index)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    };
    inner.is_some_and(|inner| replace(inner, rest, value))
}

/// Returns the error for an answer that is too long for the journal.
pub(super) fn too_long(pointer: &str) -> FieldError {
    let words = (
        format!("an answer may have at most {LARGE_BYTES} bytes"),
        format!("回答最多 {LARGE_BYTES} 字节"),
    );
    FieldError::new(pointer, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> ArgumentDraft {
        let schema = json!({"type": "object", "additionalProperties": false, "properties": {
            "amount": {"type": "integer", "maximum": 100}, "to": {"type": "object", "properties": {
                "name": {"type": "string"}}}, "note": {"type": "string"}, "file": {"type": "string"},
        }});
        let arguments = json!({"amount": 50, "to": {"name": "Lin"}, "file": null});
        let hole = Hole { at: "/file".into(), blob: "blob_1".into(), key: None };
        ArgumentDraft { schema, arguments, holes: vec![hole] }
    }

    fn edit(at: &str, value: Value) -> Result<Value, String> {
        let edited = draft().edited(&BTreeMap::from([(at.to_owned(), value)]));
        edited.map(|edited| edited.arguments).map_err(|errors| errors[0].pointer.clone())
    }

    #[test]
    fn other_values_take_the_places_of_those_that_are_there_and_of_those_that_the_schema_knows() {
        let with =
            |amount: u32, name: &str| json!({"amount": amount, "to": {"name": name}, "file": null});
        assert_eq!(edit("/amount", json!(10)), Ok(with(10, "Lin")));
        assert_eq!(edit("/to/name", json!("Ada")), Ok(with(50, "Ada")));
        assert_eq!(edit("/note", json!("hi")).map(|all| all["note"].clone()), Ok(json!("hi")));
    }

    // `/file2` begins as `/file` does, but is another argument.
    #[test]
    fn an_edit_of_one_argument_leaves_large_values_of_others_alone() {
        let with_two = || {
            let mut draft = draft();
            draft.schema["properties"]["file2"] = json!({"type": "string"});
            draft.arguments["file2"] = Value::Null;
            let at = "/file2".into();
            draft.holes.push(Hole { at, blob: "blob_2".into(), key: None });
            draft
        };
        for (edited, kept) in [("/file", "/file2"), ("/file2", "/file")] {
            let values = BTreeMap::from([(edited.to_owned(), json!("small"))]);
            let draft = with_two().edited(&values).unwrap();
            let left: Vec<&str> = draft.holes.iter().map(|hole| &*hole.at).collect();
            assert_eq!(left, [kept]);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_at_its_place() {
        for (at, value) in [
            ("/amount", json!("ten")),
            ("/amount", json!(500)),
            ("/amuont", json!(5)),
            ("/to/name", json!(7)),
            ("/file/0", json!("x")),
        ] {
            assert_eq!(edit(at, value), Err(at.to_owned()));
        }
        assert_eq!(draft().edited(&BTreeMap::new()).unwrap_err()[0].pointer, "");
    }

    #[test]
    fn a_large_value_can_be_replaced_as_a_whole_and_is_no_hole_any_more() {
        let edited = draft().edited(&BTreeMap::from([("/file".to_owned(), json!("short"))]));
        let edited = edited.unwrap();
        assert_eq!((edited.arguments["file"].clone(), edited.holes.len()), (json!("short"), 0));
    }

    #[test]
    fn every_difference_in_what_is_sent_makes_another_print() {
        let (it, pay) = (draft(), ToolId::from("pay"));
        let same = call_fingerprint(&pay, &it.arguments, &it.holes);
        assert_eq!(call_fingerprint(&pay, &draft().arguments, &draft().holes), same);
        assert_ne!(call_fingerprint(&ToolId::from("book"), &it.arguments, &it.holes), same);
        assert_ne!(call_fingerprint(&pay, &json!({"amount": 51}), &it.holes), same);
        assert_ne!(call_fingerprint(&pay, &it.arguments, &[]), same);
    }
}
