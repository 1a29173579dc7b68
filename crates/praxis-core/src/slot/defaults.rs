//! Fills what is missing with the defaults of the schema.
//!
//! - in: the schema, and the data so far
//! - out: the data with the defaults of required fields in it, and which they are
//! - never: takes a default that does not fit its own schema, or fills what may be left out

use super::look::parts;
use super::patch::patch;
use super::remaining::{allows_empty, remaining};
use crate::pointer::Pointer;
use crate::schema::Schema;
use serde_json::Value;
use std::collections::BTreeMap;

/// How often a default may bring another required field with it.
const MOST_ROUNDS: usize = 16;

/// Data with defaults in it.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultedData {
    /// The data.
    pub data: Value,
    /// What is a default in it.
    pub by_default: BTreeMap<Pointer, Value>,
}

/// The data with a default wherever a required field is missing and has one.
pub fn with_defaults(schema: &Value, data: &Value) -> DefaultedData {
    let mut filled = DefaultedData { data: data.clone(), by_default: BTreeMap::new() };
    for _ in 0..MOST_ROUNDS {
        let missing = remaining(schema, &filled.data).into_iter();
        let missing = missing.filter(|(place, _)| place.find(&filled.data).is_none());
        let found: BTreeMap<Pointer, Value> =
            missing.filter_map(|(place, field)| Some((place, default(&field)?))).collect();
        match patch(schema, &filled.data, &found) {
            Ok(data) if !found.is_empty() => filled.data = data,
            Ok(_) | Err(_) => break,
        }
        filled.by_default.extend(found);
    }
    filled
}

/// The default of a schema, if it is one that can stand there.
fn default(schema: &Value) -> Option<Value> {
    let found = parts(schema, schema).into_iter().find_map(|part| part.get("default").cloned())?;
    let is_empty = found == "" && !allows_empty(schema, schema);
    let fits = Schema::with_formats(schema).is_ok_and(|compiled| compiled.fits(&found));
    (fits && !is_empty).then_some(found)
}
