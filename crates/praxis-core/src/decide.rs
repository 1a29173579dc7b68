//! What should happen next. Looks at the state alone; the same state gives the same answer.

use crate::dataflow::context::StepIndex;
use crate::state::{Phase, State};

/// Something to be done. [`begin`](crate::execute::start::begin) turns it into the events that start it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Make the call of a step.
    Make(StepIndex),
    /// Put together what the actions of a step gave.
    Gather(StepIndex),
    /// Ask the tool that knows, or else a person, whether a call took effect.
    Clarify(StepIndex),
    /// Ask a person for more time.
    AskForTime,
    /// End the task.
    Close,
}

/// The effects that should be started now.
pub fn decide(state: &State) -> Vec<Effect> {
    match &state.phase {
        Phase::Empty | Phase::Planning | Phase::Finished(_) => vec![],
        Phase::Stopping(_) if state.agenda.running() > 0 => vec![],
        Phase::Stopping(_) => vec![Effect::Close],
        Phase::Executing if state.agenda.unfinished == 0 => vec![Effect::Close],
        Phase::Executing => next_steps(state),
    }
}

fn next_steps(state: &State) -> Vec<Effect> {
    let clarify = state.agenda.doubts.iter().map(|step| Effect::Clarify(*step));
    if state.asked_for_time() {
        return clarify.collect();
    }
    if state.time_is_up {
        return clarify.chain([Effect::AskForTime]).collect();
    }
    let limit_of = |tool: &_| state.contract(tool).and_then(|c| c.concurrent).unwrap_or(u32::MAX);
    let calls = state.agenda.next(state.slots(), limit_of).into_iter().map(Effect::Make);
    let gather = state.agenda.gather.iter().map(|step| Effect::Gather(*step));
    clarify.chain(gather).chain(calls).collect()
}
