//! The portrait of a `State`: its meaning, independent of its representation. Every version of the fold must give the
//! same portrait for the same journal.
//!
//! - in: a state
//! - out: statuses, generations, results, metadata, questions and counts by name; no indices, queues or texts for
//!   people
//! - never: changes for an existing journal; a new concept appears only where it occurs

use crate::budget::ledger::Ledger;
use crate::dataflow::context::StepIndex;
use crate::hash::content_hash;
use crate::journal::memory::RecalledTask;
use crate::payload::PayloadValue;
use crate::state::State;
use crate::state::frame::{FrameState, path};
use crate::state::goal_state::{GoalState, PendingModelCall};
use crate::state::step::Step;
use serde_json::{Map, Value, json};

/// Returns the portrait of a state.
pub fn portrait(state: &State) -> Value {
    let mut portrait = json!({
        "seq": state.seq,
        "at": state.at,
        "status": state.status(),
        "phase": state.phase,
        "epoch": state.epoch,
        "revision": state.revision,
        "task": state.submission.as_ref().map(|submission| &submission.task),
        "tools": state.contracts.values().map(|c| json!([c.tool, c.version])).collect::<Value>(),
        "steps": state.steps.iter().map(|step| of_step(state, step)).collect::<Value>(),
        "metadata": metadata(state),
        "questions": state.questions,
        "questions_asked": state.questions_asked,
        "step_retries": state.counters.step_retry_count,
        "replans": state.counters.task_replan_count,
        "failures_in_a_row": state.counters.consecutive_failures,
        "active_ms": state.active_ms,
        "added_ms": state.added_ms,
        "time_is_up": state.time_is_up,
        "wake_at": state.wake_at(),
        "in_flight": state.agenda.running(),
        "result_of": state.result_of,
    });
    if let (false, Some(portrait)) = (state.frames.is_empty(), portrait.as_object_mut()) {
        portrait.insert("frames".to_owned(), frames(state));
    }
    if let (Some(goal_state), Some(portrait)) = (state.goal.as_deref(), portrait.as_object_mut()) {
        portrait.insert("goal".to_owned(), of_goal(goal_state, &state.ledger));
    }
    portrait
}

/// Returns the frames by the step that holds them.
fn frames(state: &State) -> Value {
    let frame = |(owner, frame): (&StepIndex, &FrameState)| {
        let id = state.context.id_of(*owner)?;
        let step = state.step_at(*owner)?;
        let inner = frame.steps.iter().filter_map(|index| state.step_at(*index));
        let told = json!({
            "pass": frame.pass, "over": frame.over, "open": frame.open, "failed": frame.failed,
            "collected": frame.collected, "variables": state.context.variables(&path(step, frame.pass)),
            "steps": inner.map(|step| of_step(state, step)).collect::<Value>(),
        });
        Some((id.to_string(), told))
    };
    Value::Object(state.frames.iter().filter_map(frame).collect())
}

fn of_goal(goal_state: &GoalState, ledger: &Ledger) -> Value {
    let open = |asking: &PendingModelCall| json!([asking.purpose, asking.model, asking.reserved]);
    let mut goal = json!({
        "asks": goal_state.asks.made,
        "asking": goal_state.asks.under_way.values().map(open).collect::<Value>(),
        "unfit": goal_state.asks.unfit.iter().map(|(purpose, unfit)| json!([purpose, unfit.times])).collect::<Value>(),
        "unanswered": goal_state.asks.unanswered.keys().collect::<Vec<_>>(),
        "strategy": goal_state.planning.strategy,
        "tools": goal_state.planning.selection.as_ref().map(|chosen| &chosen.tools),
        "drafting": [json!(goal_state.planning.drafting.open), json!(goal_state.planning.drafting.misses), json!(goal_state.planning.drafting.rest)],
        "ledger": ledger,
        "lines": goal_state.log.lines.len(),
        "ailing": goal_state.recovery.ailing,
        "trigger": goal_state.recovery.trigger,
        "judgement": goal_state.evaluation.judgement,
        "answer": goal_state.evaluation.answer,
        "approved": goal_state.planning.approved,
        "settle": goal_state.evaluation.settle,
        "learnt": goal_state.learnt,
    });
    if let (Some(memories), Some(goal)) = (&goal_state.planning.memories, goal.as_object_mut()) {
        let told = |it: &RecalledTask| json!([it.task, it.similarity, it.hash]);
        goal.insert("memories".to_owned(), memories.iter().map(told).collect());
    }
    goal
}

/// Returns the hash of the portrait.
pub fn fingerprint(state: &State) -> String {
    content_hash(portrait(state).to_string().as_bytes())
}

fn of_step(state: &State, step: &Step) -> Value {
    let index = state.context.index_of(step.plan.id.as_str());
    let result = index.and_then(|index| state.context.result(index)).map(|result| {
        json!({
            "tool": result.tool_id, "output": result.output,
            "is_success": result.is_success, "duration_ms": result.duration_ms,
        })
    });
    json!({
        "id": step.plan.id,
        "tool": step.tool(),
        "needs": [step.plan.depends_on, step.plan.actions],
        "status": step.status,
        "attempt": step.attempt,
        "generation": step.generation,
        "retries": step.retries,
        "losses": step.losses,
        "started_at": step.started_at,
        "finished_at": step.finished_at,
        "sent": step.sent.as_ref().map(|sent| json!([sent.tool, sent.arguments, sent.holes])),
        "checked": step.checked,
        "fault": step.fault,
        "approved": step.approved,
        "given": step.given,
        "result": result,
        "synced": index.map(|index| state.context.synced_fields(index)),
    })
}

/// Returns every metadata name with its value and, if several steps wrote it, the writers that it shadows.
fn metadata(state: &State) -> Value {
    let shown = |datum: &PayloadValue<'_>| match datum {
        PayloadValue::Value(value) => json!({ "json": value }),
        PayloadValue::InBlob { stored, key } => json!({ "blob": stored.blob, "key": key }),
    };
    let named = |(name, datum): (String, PayloadValue<'_>)| {
        let writer = state.context.runtime(&name).map(|(_, StepIndex(index))| index);
        let entry = json!({
            "value": shown(&datum), "writer": writer, "shadows": state.context.shadowed(&name),
        });
        (name, entry)
    };
    let named: Map<String, Value> = state.context.all_metadata().into_iter().map(named).collect();
    Value::Object(named)
}
