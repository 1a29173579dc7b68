//! Folds the life of a step: start, end, failure, loss, and the effects on its dependents.

use super::{FoldResult, MAX_LOSSES};
use crate::ask::reply::TokenUsage;
use crate::budget::ledger::Reserved;
use crate::call::own::OwnCall;
use crate::call::own_tools::own;
use crate::dataflow::context::{StepIndex, StepResult};
use crate::fault::Fault;
use crate::ids::{StepId, ToolId};
use crate::journal::outcome::{CallOutcome, TaskEnding};
use crate::payload::{Payload, PayloadValue};
use crate::state::complaints::rejected_parameters;
use crate::state::step::{SentCall, StepNeeds, StepStatus};
use crate::state::wait::due;
use crate::state::{Phase, State};
use crate::time::Timestamp;
use serde_json::Value;
use std::sync::Arc;

impl State {
    pub(super) fn index(&self, id: &StepId) -> Result<StepIndex, &'static str> {
        self.context.index_of(id.as_str()).ok_or("the plan has no such step")
    }

    pub(super) fn started(
        &mut self,
        id: &StepId,
        (attempt, generation): (u32, u32),
        sent: SentCall,
    ) -> FoldResult {
        let index = self.index(id)?;
        self.legal(self.may_start_steps(), "the task is not executing")?;
        let limited = self.limit_key(index);
        let arguments = sent.arguments.clone();
        let step = self.steps.get_mut(index).ok_or("the plan has no such step")?;
        let follows = attempt == step.attempt + 1 && generation == step.generation;
        let rank = step.rank;
        let queued = if step.plan.gathers() {
            self.agenda.gather.remove(&index)
        } else {
            self.agenda.unqueue(index, rank, limited.as_ref())
        };
        if !follows || !queued {
            return Err("the step is not ready for this attempt");
        }
        (step.attempt, step.status) = (attempt, StepStatus::Running);
        (step.started_at, step.finished_at) = (Some(self.at), None);
        let is_new = step.sent.replace(sent).is_none() && !step.plan.gathers();
        if step.plan.body().is_some() {
            self.frame_begins(index);
            return Ok(());
        }
        if own(step.tool()) == Some(OwnCall::Wait) {
            return self.wait(index, &arguments);
        }
        let limited = self.limit_key(index);
        self.agenda.begin(limited.as_ref());
        if self.goal.is_some() {
            self.count_call(index, &arguments, is_new);
        }
        Ok(())
    }

    pub(super) fn finished(
        &mut self,
        id: &StepId,
        attempt: u32,
        outcome: &CallOutcome,
        retry_at: Option<Timestamp>,
    ) -> FoldResult {
        let index = self.index(id)?;
        let step = self.step_at(index).ok_or("the plan has no such step")?;
        let waits = step.status == StepStatus::Waiting && own(step.tool()) == Some(OwnCall::Wait);
        let expected = (step.status == StepStatus::Running || waits) && step.attempt == attempt;
        self.legal(expected, "this attempt is not running")?;
        if step.plan.body().is_some() {
            self.frame_ends(index, outcome)?;
        } else if waits {
            self.agenda.timers.retain(|(_, waiting)| *waiting != index);
        } else {
            let limited = self.limit_key(index);
            self.agenda.end(limited.as_ref());
        }
        match outcome {
            CallOutcome::Succeeded(_) | CallOutcome::Failed { .. } if self.is_dropped(index) => {
                self.superseded(index);
            }
            CallOutcome::Succeeded(output) => self.succeeded(index, output),
            CallOutcome::Failed { fault: fault @ Fault::Cancelled { .. }, .. }
                if matches!(self.phase, Phase::Stopping(_)) =>
            {
                self.note_fault(index, fault);
                self.set_status(index, StepStatus::Cancelled);
            }
            CallOutcome::Failed { fault, output } => {
                self.count_failure(index, fault);
                self.note_fault(index, fault);
                match retry_at {
                    Some(due) => self.wait_for_retry(index, due),
                    None => self.failed_or_ails(index, fault, output.as_ref()),
                }
            }
            CallOutcome::InDoubt(fault) => {
                self.note_fault(index, fault);
                self.doubt(index);
            }
            CallOutcome::Lost => self.lost(index),
        }
        Ok(())
    }

    /// Reserves tokens for the model that a call asks.
    pub(super) fn set_aside(&mut self, id: &StepId, reserved: Option<Reserved>) -> FoldResult {
        let Some(reserved) = reserved else { return Ok(()) };
        let index = self.index(id)?;
        let price = self.step_model().and_then(|(pinned_model, _)| pinned_model.price.clone());
        self.ledger.reserve(reserved, price.as_ref());
        if let Some(step) = self.steps.get_mut(index) {
            step.reserved = Some(reserved);
        }
        Ok(())
    }

    /// Settles the reservation of a call that asked a model. Without a reported usage the whole reservation counts as
    /// used.
    pub(super) fn spent(
        &mut self,
        id: &StepId,
        outcome: &CallOutcome,
        usage: Option<TokenUsage>,
    ) -> FoldResult {
        let index = self.index(id)?;
        let step = self.steps.get_mut(index).ok_or("the plan has no such step")?;
        let Some(reserved) = step.reserved.take() else { return Ok(()) };
        let price = self.step_model().and_then(|(pinned_model, _)| pinned_model.price.clone());
        let used = usage.unwrap_or_else(|| reserved.as_usage());
        self.ledger.settle(reserved, used, price.as_ref(), self.at);
        self.ledger.failed_calls += u64::from(!matches!(outcome, CallOutcome::Succeeded(_)));
        Ok(())
    }

    /// Starts the timer of a wait step. Without a valid time it is due at once.
    fn wait(&mut self, index: StepIndex, arguments: &Payload) -> FoldResult {
        let until = match arguments.whole() {
            PayloadValue::Value(given) => due(given, self.at).unwrap_or(self.at),
            PayloadValue::InBlob { .. } => self.at,
        };
        self.set_status(index, StepStatus::Waiting);
        self.agenda.timers.insert((until, index));
        Ok(())
    }

    fn is_dropped(&self, index: StepIndex) -> bool {
        self.step_at(index).is_some_and(|step| step.dropped)
    }

    /// Fails a step, unless a person can correct its parameters or recovery can help.
    pub(super) fn failed_or_ails(
        &mut self,
        index: StepIndex,
        fault: &Fault,
        output: Option<&Payload>,
    ) {
        let gathers = self.step_at(index).is_some_and(|step| step.plan.gathers());
        let step = self.step_at(index);
        if step.is_some_and(|step| !rejected_parameters(self, step, fault).is_empty()) {
            self.note_fault(index, fault);
            self.set_status(index, StepStatus::Param);
            self.agenda.complaints.insert(index);
        } else if self.can_be_helped(fault) && !gathers {
            self.enter_recovery(index, fault);
        } else {
            self.failed(index, fault, output);
        }
    }

    /// Counts one more failure in a row and stops the task at `max_consecutive_failures`. Literal steps do not count
    /// (an agent's model is told of the failure), nor do failures that were already counted inside a frame.
    fn count_failure(&mut self, index: StepIndex, fault: &Fault) {
        let was_tried = self.step_at(index).is_some_and(|step| step.plan.is_literal());
        if was_tried || matches!(fault, Fault::InnerStepFailed { .. }) {
            return;
        }
        self.counters.consecutive_failures += 1;
        let options = self.submission.as_ref().map(|submission| &submission.options);
        let cap = options.and_then(|options| options.max_consecutive_failures);
        let id = self.context.id_of(index).cloned();
        if cap.is_some_and(|cap| self.counters.consecutive_failures >= cap)
            && self.phase == Phase::Executing
        {
            let fault = Fault::StepsFailed { steps: id.into_iter().collect() };
            self.phase = Phase::Stopping(TaskEnding::Failed { fault });
        }
    }

    pub(super) fn note_fault(&mut self, index: StepIndex, fault: &Fault) {
        if let Some(step) = self.steps.get_mut(index) {
            step.fault = Some(fault.clone());
            if !matches!(fault, Fault::Interrupted { .. }) {
                step.was_slow = matches!(fault, Fault::Timeout { .. });
            }
            step.finished_at = Some(self.at);
        }
    }

    pub(super) fn set_status(&mut self, index: StepIndex, status: StepStatus) {
        if let Some(step) = self.steps.get_mut(index) {
            step.status = status;
        }
    }

    pub(super) fn wait_for_retry(&mut self, index: StepIndex, due: Timestamp) {
        self.counters.step_retry_count += 1;
        if let Some(step) = self.steps.get_mut(index) {
            step.retries += 1;
            step.status = StepStatus::Waiting;
        }
        self.agenda.timers.insert((due, index));
    }

    pub(super) fn doubt(&mut self, index: StepIndex) {
        self.set_status(index, StepStatus::InDoubt);
        self.agenda.doubts.insert(index);
    }

    /// Handles a call that was lost to a crash: it is queued again if its tool may run again, otherwise it is in
    /// doubt.
    pub(super) fn lost(&mut self, index: StepIndex) {
        let Some(step) = self.steps.get_mut(index) else { return };
        step.losses += 1;
        let fault = Fault::Interrupted { tool: step.tool().clone() };
        let (tool, losses, gathers) = (step.tool().clone(), step.losses, step.plan.gathers());
        self.note_fault(index, &fault);
        let again = self.contracts.get(&tool).is_some_and(|contract| contract.may_run_again());
        if again && self.is_dropped(index) {
            return self.superseded(index);
        }
        if (again && losses < MAX_LOSSES) || gathers {
            self.queue(index);
        } else {
            self.doubt(index);
        }
    }

    pub(super) fn succeeded(&mut self, index: StepIndex, output: &Payload) {
        self.counters.consecutive_failures = 0;
        self.log_success(index, output);
        self.record(index, StepStatus::Success, output.clone());
        if let Some(step) = self.steps.get_mut(index) {
            step.sent = None;
            step.fault = None;
        }
        self.release(index);
    }

    pub(super) fn failed(&mut self, index: StepIndex, fault: &Fault, output: Option<&Payload>) {
        self.note_fault(index, fault);
        self.record(
            index,
            StepStatus::Error,
            output.cloned().unwrap_or_else(|| Payload::json(Value::Null)),
        );
        self.release(index);
    }

    /// Records the result of a step; the fields of a success are synced to the runtime metadata.
    pub(super) fn record(&mut self, index: StepIndex, status: StepStatus, output: Payload) {
        let at = self.at;
        let Some(step) = self.steps.get_mut(index) else { return };
        step.status = status;
        step.finished_at = Some(at);
        let is_success = status == StepStatus::Success;
        self.succeeded += u32::from(is_success && !index.is_inner());
        self.given_up = self.given_up.saturating_sub(u32::from(is_success && step.dropped));
        let result = StepResult {
            step_id: step.plan.id.clone(),
            step_name: step.plan.name.as_str().into(),
            tool_id: step.tool().clone(),
            output,
            is_success,
            error_message: step.fault.as_ref().filter(|_| !is_success).map(ToString::to_string),
            duration_ms: step.duration_ms().unwrap_or_default(),
        };
        let declared = self.contracts.get(&result.tool_id).map(Arc::clone);
        let names = declared.as_ref().map_or(&[][..], |contract| &contract.output_params);
        // A result that cannot be synced is not a fault of the step; `show` reports it.
        let _ = self.context.record(index, result, names);
        self.ended(index);
    }

    /// Queues or skips the dependents of a step that ended.
    pub(super) fn release(&mut self, ended: StepIndex) {
        let mut to_visit = vec![ended];
        while let Some(index) = to_visit.pop() {
            let Some(step) = self.steps.get_mut(index) else { continue };
            let succeeded = step.status == StepStatus::Success;
            let dependents = std::mem::take(&mut step.dependents);
            for dependent in &dependents {
                let skipped = match dependent.needs {
                    StepNeeds::Success => self.tell_dependent(dependent.step, succeeded),
                    StepNeeds::End => self.tell_dependent(dependent.step, true),
                    StepNeeds::Way(way) => self.tell_way(dependent.step, way, index),
                };
                to_visit.extend(skipped);
            }
            if let Some(step) = self.steps.get_mut(index) {
                step.dependents = dependents;
            }
        }
    }

    /// Tells a dependent that one need is met. If it never will be, the dependent is skipped and returned.
    fn tell_dependent(&mut self, index: StepIndex, met: bool) -> Option<StepIndex> {
        let waiting = self.steps.get_mut(index)?;
        if waiting.status != StepStatus::Init {
            return None;
        }
        if !met {
            self.skip(index);
            return Some(index);
        }
        waiting.open = waiting.open.saturating_sub(1);
        let ready = waiting.open == 0 && !waiting.dropped;
        let early = self
            .goal
            .as_ref()
            .is_some_and(|goal_state| goal_state.planning.drafting.open.is_some());
        if ready && (!early || self.may_start_early(index)) {
            self.queue(index);
        }
        None
    }

    /// Tells a dependent the outcome of one incoming edge. After the last edge it is queued if any was taken;
    /// otherwise it is skipped and returned.
    fn tell_way(&mut self, index: StepIndex, way: u32, from: StepIndex) -> Option<StepIndex> {
        let taken = self.way(index, way).and_then(|way| self.is_taken(way, from))?;
        let waiting = self.steps.get_mut(index)?;
        if waiting.status != StepStatus::Init {
            return None;
        }
        waiting.open = waiting.open.saturating_sub(1);
        waiting.taken += u32::from(taken);
        if waiting.open > 0 {
            return None;
        }
        if waiting.is_due() {
            self.queue(index);
            return None;
        }
        self.skip(index);
        Some(index)
    }

    /// Marks a step as skipped.
    pub(super) fn skip(&mut self, index: StepIndex) {
        self.set_status(index, StepStatus::Skipped);
        self.ended(index);
    }

    /// Counts a step as ended, in the task and in its frame.
    fn ended(&mut self, index: StepIndex) {
        self.agenda.unfinished = self.agenda.unfinished.saturating_sub(1);
        self.ended_inside(index);
    }

    pub(super) fn inherited(
        &mut self,
        id: &StepId,
        tool: Option<&ToolId>,
        output: &Payload,
    ) -> FoldResult {
        let index = self.index(id)?;
        let limited = self.limit_key(index);
        let rank = self.step_at(index).map_or(0, |step| step.rank);
        let queued = self.agenda.unqueue(index, rank, limited.as_ref());
        let queued = queued || self.agenda.gather.remove(&index);
        self.legal(queued, "the step is not ready")?;
        if let (Some(step), Some(tool)) = (self.steps.get_mut(index), tool) {
            step.plan.tool = tool.clone();
        }
        self.succeeded(index, output);
        Ok(())
    }

    pub(super) fn refused(&mut self, id: &StepId, fault: &Fault) -> FoldResult {
        let index = self.index(id)?;
        let limited = self.limit_key(index);
        let rank = self.step_at(index).map_or(0, |step| step.rank);
        let queued = self.agenda.unqueue(index, rank, limited.as_ref());
        self.legal(queued, "the step is not ready")?;
        self.count_failure(index, fault);
        self.failed_or_ails(index, fault, None);
        Ok(())
    }

    pub(super) fn retry_due(&mut self, id: &StepId) -> FoldResult {
        let index = self.index(id)?;
        let timer = self.agenda.timers.iter().find(|(_, step)| *step == index).copied();
        let timer = timer.ok_or("the step is not waiting for a retry")?;
        self.agenda.timers.remove(&timer);
        self.queue(index);
        Ok(())
    }
}
