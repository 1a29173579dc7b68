//! What should happen next. Looks at the state alone; the same state gives the same answer.

use crate::ask::errand::Errand;
use crate::dataflow::context::StepIndex;
use crate::execute::twin;
use crate::goal::next;
use crate::state::{Phase, State};

/// Something to be done. [`begin`](crate::execute::start::begin) turns it into the events that start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Make the call of a step.
    Make(StepIndex),
    /// Put together what the actions of a step gave.
    Gather(StepIndex),
    /// Do what comes next in the frame of a step: another pass, or its end.
    Turn(StepIndex),
    /// Ask a person for parameters that a tool did not take.
    AskAgain(StepIndex),
    /// Ask the tool that knows, or else a person, whether a call took effect.
    Clarify(StepIndex),
    /// Ask a person for more time.
    AskForTime,
    /// Ask a model.
    Ask(Errand),
    /// Find out without a model how the request stands to earlier work.
    ChooseStrategy,
    /// Look up what earlier tasks taught. Whoever drives the task does it, and records what was found.
    Recall,
    /// Choose the tools without a model.
    Choose,
    /// Make the plan of a workflow.
    Follow,
    /// Ask a person whether the plan may run.
    ApprovePlan,
    /// Help a step that failed.
    Mend(StepIndex),
    /// Judge the outcome without a model.
    Judge,
    /// Put the answer together without a model.
    Answer,
    /// Reflect without a model.
    Reflect,
    /// Change the plan as reflection says.
    Revise,
    /// Ask a person how to go on.
    AskForHelp,
    /// Look back without a model.
    Learn,
    /// End the task.
    Close,
}

/// The effects that should be started now.
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
    // A task that gives up planning ends here: a call that began beside it would still run.
    let ends = going.contains(&Effect::Close);
    let early = if state.phase == Phase::Planning && !ends { calls(state) } else { vec![] };
    let told = next::telling(state).filter(|_| !ends);
    clarify.chain(early).chain(going).chain(told).collect()
}

/// The calls that can be made now, and the steps that need help.
fn calls(state: &State) -> Vec<Effect> {
    let limit_of = |tool: &_| state.contract(tool).and_then(|c| c.concurrent).unwrap_or(u32::MAX);
    let gather = state.agenda.gather.iter().map(|step| Effect::Gather(*step));
    let turns = state.agenda.frames.iter().map(|step| Effect::Turn(*step));
    let again = state.agenda.complaints.iter().map(|step| Effect::AskAgain(*step));
    let gather = gather.chain(turns).chain(again);
    let Some(course) = state.goal.as_deref() else {
        let calls = state.agenda.next(state.slots(), limit_of).into_iter().map(Effect::Make);
        return gather.chain(calls).collect();
    };
    if next::wants_approval(state, course) {
        return vec![Effect::ApprovePlan];
    }
    let free = |step: StepIndex| {
        !next::waits_for_approval(state, step) && !twin::is_under_way(state, step)
    };
    let calls = state.agenda.next_of(state.slots(), limit_of, free).into_iter().map(Effect::Make);
    next::ailing(state).chain(gather).chain(calls).collect()
}
