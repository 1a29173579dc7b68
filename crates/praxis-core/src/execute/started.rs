//! Builds the `StepStarted` event, and tells apart calls that a fork simulates.

use crate::call::risk::Risk;
use crate::dataflow::resolve::Hole;
use crate::document::DEEPEST;
use crate::field_error::FieldError;
use crate::ids::ToolId;
use crate::journal::event::Event;
use crate::journal::submission::EffectMode;
use crate::payload::Payload;
use crate::state::State;
use crate::state::step::Step;

pub(crate) fn started(
    step: &Step,
    tool: Option<ToolId>,
    arguments: Payload,
    holes: Vec<Hole>,
) -> Event {
    Event::StepStarted {
        step: step.plan.id.clone(),
        attempt: step.attempt + 1,
        generation: step.generation,
        tool,
        arguments,
        holes,
        reserved: None,
    }
}

/// Returns the fork's `EffectMode` for a step that changes something; `None` for other steps and for tasks that are
/// not forks.
pub fn simulation(state: &State, step: &Step) -> Option<EffectMode> {
    let parent = state.submission.as_ref()?.parent.as_ref()?;
    let risk = state.contract(step.tool()).map_or(Risk::Write, |contract| contract.risk);
    (risk > Risk::Read).then_some(parent.effects)
}

/// Returns true if a step's call is simulated and not made: its output is the parent's, or made up.
pub fn is_simulated(state: &State, step: &Step) -> bool {
    !step.plan.gathers() && simulation(state, step) == Some(EffectMode::Simulate)
}

/// Returns the error for a value that is nested too deeply to be read back.
pub fn too_deep() -> FieldError {
    let words = (
        format!("the value is nested deeper than {DEEPEST} levels"),
        format!("值的嵌套超过 {DEEPEST} 层"),
    );
    FieldError::new("", words)
}
