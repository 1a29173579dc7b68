//! Decides which steps run again and which results are kept when a failed task is retried or a task is forked.

use crate::call::tool::Contract;
use crate::dataflow::resolve::Hole;
use crate::ids::{StepId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::journal::event::{Entry, Event, of_a_flow, of_a_goal};
use crate::payload::Payload;
use crate::state::State;
use crate::state::step::{SentCall, Step, StepStatus};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the chosen steps and all steps that depend on them, directly or indirectly. Most steps come after their
/// dependencies, so few passes are enough; a revision may have put one before.
pub fn with_all_after(state: &State, chosen: BTreeSet<StepId>) -> BTreeSet<StepId> {
    let steps: Vec<&PlannedStep> = state.steps.iter().map(|step| &step.plan).collect();
    with_all_after_in(&steps, chosen)
}

fn with_all_after_in(steps: &[&PlannedStep], mut chosen: BTreeSet<StepId>) -> BTreeSet<StepId> {
    loop {
        let before = chosen.len();
        for step in steps {
            let ways = step.ways().iter().map(|way| &way.from);
            let mut needs = step.depends_on.iter().chain(&step.actions).chain(ways);
            if needs.any(|id| chosen.contains(id)) {
                chosen.insert(step.id.clone());
            }
        }
        if chosen.len() == before {
            return chosen;
        }
    }
}

/// Returns the steps that need a new generation: those from a step on, failed ones whose tool changed, and all that
/// depend on them. Steps that were never tried are left out.
pub fn invalidated(state: &State, from: Option<&StepId>, changed: &[Contract]) -> Vec<StepId> {
    let tool_changed = |step: &&Step| {
        step.status == StepStatus::Error && changed.iter().any(|now| now.tool == *step.tool())
    };
    let with_new_tool = state.steps.iter().filter(tool_changed).map(|step| &step.plan.id);
    let chosen = with_all_after(state, from.into_iter().chain(with_new_tool).cloned().collect());
    let was_tried = |step: &&Step| chosen.contains(&step.plan.id) && step.attempt > 0;
    state.steps.iter().filter(was_tried).map(|step| step.plan.id.clone()).collect()
}

/// Returns a `StepInherited` event for each result that a fork keeps, in the order in which the steps finished.
/// `then` is the state after the `shared` entries; `anew` are the steps that run again.
pub fn inherited(then: &State, shared: &[Entry], anew: &BTreeSet<StepId>) -> Vec<Event> {
    let is_kept =
        |step: &&Step| step.status == StepStatus::Success && !anew.contains(&step.plan.id);
    let calls = calls(shared);
    let mut kept: Vec<(u64, &StepId)> = Vec::new();
    for step in then.steps.iter().filter(is_kept) {
        // A step that a person declared done has no recorded end: it comes last.
        let ended = calls.get(&step.plan.id).and_then(|call| call.ended);
        kept.push((ended.unwrap_or(u64::MAX), &step.plan.id));
    }
    kept.sort_by_key(|(ended, _)| *ended);
    let inherit = |(_, id): (u64, &StepId)| {
        let output = then.context.result(then.context.index_of(id.as_str())?)?.output.clone();
        let SentCall { tool, arguments, holes } = calls.get(id)?.sent.clone()?;
        Some(Event::StepInherited { step: id.clone(), tool, arguments, holes, output })
    };
    kept.into_iter().filter_map(inherit).collect()
}

/// Returns a `StepInherited` event for each result that another version of the plan keeps: of steps that succeeded,
/// are unchanged, and depend on no step that runs again. `entries` are all entries of the task, `now` are the steps
/// of the other version; `from` and all steps that depend on it run again in any case.
pub fn inherited_by_plan(
    then: &State,
    entries: &[Entry],
    now: &[PlannedStep],
    from: Option<&StepId>,
) -> Vec<Event> {
    let steps: Vec<&PlannedStep> = now.iter().collect();
    let known: BTreeSet<&StepId> = now.iter().map(|step| &step.id).collect();
    let gone = then.steps.iter().map(|step| &step.plan.id).filter(|id| !known.contains(id));
    let changed = now.iter().filter(|step| !is_as_it_was(then, step)).map(|step| &step.id);
    let mut anew: BTreeSet<StepId> = gone.chain(changed).chain(from).cloned().collect();
    loop {
        anew = with_all_after_in(&steps, anew);
        let kept = inherited(then, entries, &anew);
        let has_result = |id: &StepId| {
            let of =
                |event: &Event| matches!(event, Event::StepInherited { step, .. } if step == id);
            kept.iter().any(of)
        };
        // A step without a recorded call cannot be inherited, nor can the steps that depend on it.
        let open = |id: &&&StepId| !anew.contains(**id) && !has_result(id);
        let Some(open) = known.iter().find(open).map(|id| (*id).clone()) else {
            return kept;
        };
        anew.insert(open);
    }
}

/// Returns true if a step succeeded and is unchanged in another version of the plan. The name and the expected
/// duration do not matter.
fn is_as_it_was(then: &State, now: &PlannedStep) -> bool {
    let was = then.step(now.id.as_str()).filter(|step| step.status == StepStatus::Success);
    was.is_some_and(|step| {
        let (name, expected_ms) = (now.name.clone(), now.expected_ms);
        PlannedStep { name, expected_ms, ..step.plan.clone() } == *now
    })
}

/// The last call of a step.
#[derive(Default)]
struct LastCall {
    sent: Option<SentCall>,
    ended: Option<u64>,
}

fn calls(entries: &[Entry]) -> BTreeMap<&StepId, LastCall> {
    let mut calls: BTreeMap<&StepId, LastCall> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::StepStarted { step, tool, arguments, holes, .. } => {
                calls.entry(step).or_default().sent = Some(sent(tool.as_ref(), arguments, holes));
            }
            Event::StepInherited { step, tool, arguments, holes, .. } => {
                let sent = Some(sent(tool.as_ref(), arguments, holes));
                calls.insert(step, LastCall { sent, ended: Some(entry.seq) });
            }
            Event::StepFinished { step, .. } | Event::CheckFinished { step, .. } => {
                calls.entry(step).or_default().ended = Some(entry.seq);
            }
            of_a_goal!() => {}
            of_a_flow!() => {}
            Event::TaskSubmitted(_)
            | Event::Woken { .. }
            | Event::StepsPlanned { .. }
            | Event::PlanClosed { .. }
            | Event::StepRefused { .. }
            | Event::RetryDue { .. }
            | Event::CheckStarted { .. }
            | Event::QuestionAsked { .. }
            | Event::QuestionAnswered { .. }
            | Event::TimeUsedUp { .. }
            | Event::CancelRequested { .. }
            | Event::TaskFinished { .. }
            | Event::TaskReopened { .. } => {}
        }
    }
    calls
}

fn sent(tool: Option<&ToolId>, arguments: &Payload, holes: &[Hole]) -> SentCall {
    SentCall { tool: tool.cloned(), arguments: arguments.clone(), holes: holes.to_vec() }
}
