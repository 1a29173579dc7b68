//! The tools that both sides are offered, and results as long as real ones are.

use super::case::Gold;
use super::chance::seed;
use super::pace::{OFFERED, RESULT_TOKENS};
use super::written::schema;
use crate::dataflow::sample;
use praxis_testkit::rehearsal::chance::Chance;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The manifests of a suite, by id.
pub(crate) struct Catalog {
    all: BTreeMap<String, Value>,
}

impl Catalog {
    pub(crate) fn new(all: BTreeMap<String, Value>) -> Self {
        Self { all }
    }

    /// The tools of the right calls, and others by chance.
    pub(crate) fn offer(&self, case: &str, calls: &[Gold]) -> Vec<Value> {
        let mut chosen: BTreeMap<&str, &Value> = BTreeMap::new();
        for call in calls {
            chosen.extend(self.all.get_key_value(&call.tool).map(|(id, tool)| (id.as_str(), tool)));
        }
        let ids: Vec<&String> = self.all.keys().collect();
        let mut chance = Chance::of(seed(case, 5));
        while chosen.len() < OFFERED.min(self.all.len()) {
            let id = ids.get(chance.below(ids.len()));
            chosen.extend(id.and_then(|id| self.all.get_key_value(*id)).map(|(id, t)| (id.as_str(), t)));
        }
        chosen.into_values().cloned().collect()
    }
}

/// A result with the declared fields, and text until it is as long as a real one.
pub(crate) fn result(fields: &Map<String, Value>, place: &str) -> Value {
    let value = |(name, declared): (&String, &Value)| {
        (name.clone(), sample(&schema(declared), &format!("{place}/{name}")))
    };
    let mut result: Map<String, Value> = fields.iter().map(value).collect();
    lengthen(&mut result);
    Value::Object(result)
}

/// Adds text to a result that is shorter than a real one.
pub(crate) fn lengthen(result: &mut Map<String, Value>) {
    let letters = Value::Object(result.clone()).to_string().len();
    let missing = (RESULT_TOKENS * 4).saturating_sub(letters);
    if missing > 0 {
        let words = "one of several fields that a service sends along. ";
        let text: String = words.chars().cycle().take(missing).collect();
        result.insert("zz_details".to_owned(), Value::from(text));
    }
}
