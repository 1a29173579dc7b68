//! Decides what happens next, from the state alone: the same state gives the same effects.

pub mod next;

pub mod answer;

pub mod begin;

pub mod work;

mod apply;

use crate::dataflow::context::StepIndex;
use crate::effect::Effect;
use crate::execute::twin;
use crate::state::{Phase, State};

/// Returns the effects to start now.
pub fn decide(state: &State) -> Vec<Effect> {
    let busy = state.agenda.running() > 0 || state.asks_under_way() > 0;
    let going = match &state.phase {
        Phase::Empty => return vec![],
        Phase::Finished(_) => return next::finished(state),
        Phase::Stopping(_) if busy => return vec![],
        Phase::Stopping(_) => return vec![Effect::Close],
        Phase::Planning => next::planning,
        Phase::Executing if state.agenda.unfinished == 0 && state.goal.is_none() => {
            return vec![Effect::Close];
        }
        Phase::Executing => |state: &State| next::executing(state).unwrap_or_else(|| calls(state)),
        Phase::Evaluating => next::evaluating,
        Phase::Reflecting => next::reflecting,
    };
    let clarify = state.agenda.doubts.iter().map(|step| Effect::Clarify(*step));
    if state.is_held() {
        return clarify.collect();
    }
    if state.time_is_up {
        return clarify.chain([Effect::AskForTime]).collect();
    }
    let going = going(state);
    // The task ends here because planning failed; a call that began beside it would still run.
    let ends = going.contains(&Effect::Close);
    let early = if state.phase == Phase::Planning && !ends { calls(state) } else { vec![] };
    let told = next::message_effect(state).filter(|_| !ends);
    clarify.chain(early).chain(going).chain(told).collect()
}

/// Returns the calls that can be made now, and the recovery of failing steps.
fn calls(state: &State) -> Vec<Effect> {
    let limit_of = |tool: &_| state.contract(tool).and_then(|c| c.concurrent).unwrap_or(u32::MAX);
    let gather = state.agenda.gather.iter().map(|step| Effect::Gather(*step));
    let turns = state.agenda.frames.iter().map(|step| Effect::Turn(*step));
    let again = state.agenda.complaints.iter().map(|step| Effect::AskAgain(*step));
    let gather = gather.chain(turns).chain(again);
    let Some(goal_state) = state.goal.as_deref() else {
        let calls = state.agenda.next(state.slots(), limit_of).into_iter().map(Effect::Make);
        return gather.chain(calls).collect();
    };
    if next::wants_approval(state, goal_state) {
        return vec![Effect::ApprovePlan];
    }
    let free = |step: StepIndex| {
        !next::waits_for_approval(state, step) && !twin::is_under_way(state, step)
    };
    let calls = state.agenda.next_of(state.slots(), limit_of, free).into_iter().map(Effect::Make);
    next::failing_steps(state).chain(gather).chain(calls).collect()
}
