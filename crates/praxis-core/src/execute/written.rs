//! The string parameters of a step that the author of the plan or flow wrote literally.

use crate::pointer::pointer_to;
use crate::state::State;
use crate::state::step::Step;
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the strings as written, placeholders included, without those that were replaced later. Empty for a goal's
/// plan and for an agent's calls, because a model wrote those.
pub fn texts(state: &State, step: &Step) -> BTreeMap<String, String> {
    if state.goal.is_some() || step.plan.is_literal() || step.given.contains_key("") {
        return BTreeMap::new();
    }
    let Value::Object(all) = step.plan.all_parameters() else { return BTreeMap::new() };
    let is_kept = |name: &str| !step.given.contains_key(pointer_to("", name).as_str());
    let text = |(name, value): (String, Value)| {
        let text = value.as_str().filter(|_| is_kept(&name))?.to_owned();
        Some((name, text))
    };
    all.into_iter().filter_map(text).collect()
}
