//! Leaves out what only narrows a search that found nothing.
//!
//! - in: a call whose tool says that an empty output is none, and which parameters it may do without
//! - out: the first of them that the plan chose by itself, and the parameters without it
//! - never: leaves out what the user said, what a step gave, or what the tool needs

use super::own::is_plans_own;
use crate::inputs::Inputs;
use crate::state::State;
use crate::state::step::Step;
use serde_json::Value;

/// The parameter that is left out next, and those that stay.
pub fn wider(state: &State, step: &Step, inputs: &Inputs<'_>) -> Option<(String, Value)> {
    let tool = inputs.library?.tool(&step.plan.tool)?;
    let planned = step.plan.parameters.as_object()?;
    let narrows = |name: &&String| {
        let value = planned.get(*name);
        value.is_some_and(|value| is_plans_own(state, step, (name, value)))
    };
    let name = tool.not_empty.as_ref()?.widen.iter().find(narrows)?;
    let mut parameters = planned.clone();
    parameters.remove(name);
    Some((name.clone(), Value::Object(parameters)))
}
