//! Fills missing required fields with the defaults of the schema.
//!
//! - in: the schema, and the data so far
//! - out: the data with defaults filled in, and the list of these defaults
//! - never: uses a default that violates its own schema, or fills an optional field

use super::look::parts;
use super::patch::patch;
use super::remaining::{allows_empty, remaining};
use crate::pointer::Pointer;
use crate::schema::Schema;
use serde_json::Value;
use std::collections::BTreeMap;

/// The limit on rounds: a default may bring further required fields with it.
const MOST_ROUNDS: usize = 16;

/// Data with defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultedData {
    /// The data.
    pub data: Value,
    /// The values that are defaults, by pointer.
    pub by_default: BTreeMap<Pointer, Value>,
}

/// Fills in a default for every missing required field that has one.
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

/// Returns the default of a schema if it is valid.
fn default(schema: &Value) -> Option<Value> {
    let found = parts(schema, schema).into_iter().find_map(|part| part.get("default").cloned())?;
    let is_empty = found == "" && !allows_empty(schema, schema);
    let fits = Schema::with_formats(schema).is_ok_and(|compiled| compiled.fits(&found));
    (fits && !is_empty).then_some(found)
}
