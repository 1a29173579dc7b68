//! The tools offered to both sides of the comparison, and tool results of realistic length.

use super::case::{ExpectedCall, GoalCase};
use super::chance::seed;
use super::pace::OFFERED;
use super::written::schema;
use crate::dataflow::sample;
use praxis_rehearsal::chance::SeededChance;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The field that pads a result.
pub(super) const LONG: &str = "zz_details";

/// The manifests of a suite, by id.
pub(crate) struct Catalog {
    all: BTreeMap<String, Value>,
}

impl Catalog {
    pub(crate) fn new(all: BTreeMap<String, Value>) -> Self {
        Self { all }
    }

    /// Returns the tools of the expected calls and random others.
    pub(crate) fn offer(&self, case: &str, calls: &[ExpectedCall]) -> Vec<Value> {
        let mut chosen: BTreeMap<&str, &Value> = BTreeMap::new();
        for call in calls {
            chosen.extend(self.all.get_key_value(&call.tool).map(|(id, tool)| (id.as_str(), tool)));
        }
        let ids: Vec<&String> = self.all.keys().collect();
        let mut chance = SeededChance::of(seed(case, 5));
        while chosen.len() < OFFERED.min(self.all.len()) {
            let id = ids.get(chance.below(ids.len()));
            chosen.extend(
                id.and_then(|id| self.all.get_key_value(*id)).map(|(id, t)| (id.as_str(), t)),
            );
        }
        chosen.into_values().cloned().collect()
    }
}

/// Generates a result with the declared fields.
pub(crate) fn result(fields: &Map<String, Value>, place: &str) -> Value {
    let value = |(name, declared): (&String, &Value)| {
        (name.clone(), sample(&schema(declared), &format!("{place}/{name}")))
    };
    Value::Object(fields.iter().map(value).collect())
}

/// Returns the case with results of at least `tokens` tokens.
pub(crate) fn with_results_of(case: &GoalCase, tokens: usize) -> GoalCase {
    let mut case = case.clone();
    lengthen_all(&mut case.calls, tokens);
    case
}

/// Pads every result, unless a later call takes it whole: the arguments of that call are fixed already.
pub(crate) fn lengthen_all(calls: &mut [ExpectedCall], tokens: usize) {
    let written: String = calls.iter().map(|call| call.parameters.to_string()).collect();
    for (at, call) in calls.iter_mut().enumerate() {
        let whole = written.contains(&format!("{{{{call_{at}.outputs}}}}"));
        if let Ok(Value::Object(result)) = &mut call.answer
            && !whole
        {
            lengthen(result, tokens);
        }
    }
}

/// Pads a result that is shorter than `tokens`.
fn lengthen(result: &mut Map<String, Value>, tokens: usize) {
    let _ = result.remove(LONG);
    let letters = Value::Object(result.clone()).to_string().len();
    let missing = (tokens * 4).saturating_sub(letters);
    if missing > 0 {
        let words = "one of several fields that a service sends along. ";
        let text: String = words.chars().cycle().take(missing).collect();
        result.insert(LONG.to_owned(), Value::from(text));
    }
}
