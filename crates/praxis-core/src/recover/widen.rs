//! Widens a search that found nothing by leaving out a narrowing parameter.
//!
//! - in: a call whose tool declares `not_empty`, with the parameters that may be left out
//! - out: the first of these that the plan chose by itself, and the parameters without it
//! - never: leaves out a value that the user said or another step gave, or one that the tool requires

use super::own::is_plans_own;
use crate::inputs::Inputs;
use crate::state::State;
use crate::state::step::Step;
use serde_json::Value;

/// Returns the parameter to leave out next, and the remaining parameters.
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
