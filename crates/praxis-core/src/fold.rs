//! The one fold: live runs, resume, replay, `--at` and forks all go through [`State::apply`].
//!
//! - in: the entries of a journal in order
//! - out: the state, or the entry that cannot follow what came before
//! - never: skips an entry, or looks at anything but state and entry

use crate::call::tool::Contract;
use crate::dataflow::context::{Context, StepIndex, StepResult};
use crate::dataflow::template::Template;
use crate::execute::step::{Dependent, Given, Needs, Sent, Status, Step};
use crate::fault::Fault;
use crate::ids::{QuestionId, StepId, ToolId};
use crate::intake::plan::PlannedStep;
use crate::journal::event::{
    Ending, Entry, Event, OnWall, Outcome, PlanOutcome, Submission, Verdict,
};
use crate::payload::Payload;
use crate::recover::question::{Answer, Question};
use crate::state::{Phase, State};
use crate::time::At;
use serde_json::Value;
use std::sync::Arc;

/// An entry that cannot follow what came before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} cannot stand here: {why}")]
pub struct Illegal {
    /// Which entry.
    pub seq: u64,
    /// Why not.
    pub why: &'static str,
}

/// How often a call may be lost to a crash before a person is asked.
pub const MOST_LOSSES: u32 = 5;

type Legal = Result<(), &'static str>;

impl State {
    /// Folds one entry in.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), Illegal> {
        let illegal = |why| Illegal { seq: entry.seq, why };
        if entry.seq != self.seq + 1 {
            return Err(illegal("its number does not follow the last one"));
        }
        if entry.at < self.at {
            return Err(illegal("its time is before the last one"));
        }
        if self.active && !matches!(entry.event, Event::Woken { .. }) {
            self.active_ms += entry.at.since(self.at);
        }
        (self.seq, self.at) = (entry.seq, entry.at);
        self.event(&entry.event).map_err(illegal)?;
        self.active = self.is_active();
        Ok(())
    }

    /// Folds a whole journal.
    pub fn replay<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Self, Illegal> {
        let mut state = Self::default();
        entries.into_iter().try_for_each(|entry| state.apply(entry))?;
        Ok(state)
    }

    fn event(&mut self, event: &Event) -> Legal {
        match event {
            Event::TaskSubmitted(submission) => self.submitted(submission),
            Event::Woken { .. } => {
                self.legal(!matches!(self.phase, Phase::Empty), "there is no task")
            }
            Event::StepsPlanned { revision, steps } => self.planned(*revision, steps),
            Event::PlanClosed { revision, outcome } => self.plan_closed(*revision, *outcome),
            Event::StepStarted { step, attempt, generation, tool, arguments, holes } => {
                let (arguments, holes) = (arguments.clone(), holes.clone());
                let sent = Sent { tool: tool.clone(), arguments, holes };
                self.started(step, (*attempt, *generation), sent)
            }
            Event::StepFinished { step, attempt, outcome, retry_at } => {
                self.finished(step, *attempt, outcome, *retry_at)
            }
            Event::StepRefused { step, fault } => self.refused(step, fault),
            Event::RetryDue { step } => self.retry_due(step),
            Event::CheckStarted { step } => self.check_started(step),
            Event::CheckFinished { step, verdict } => self.check_finished(step, verdict),
            Event::QuestionAsked { question } => self.asked(question),
            Event::QuestionAnswered { question, answer, by } => self.answered(question, answer, by),
            Event::TimeUsedUp { after_ms } => self.time_used_up(*after_ms),
            Event::CancelRequested { reason, .. } => {
                self.legal(!self.is_over(), "the task has ended")?;
                self.phase = Phase::Stopping(Ending::Cancelled { reason: reason.clone() });
                Ok(())
            }
            Event::TaskFinished { ending, result_of } => self.task_finished(ending, result_of),
            Event::TaskReopened { epoch, invalidated, contracts, .. } => {
                self.reopened(*epoch, invalidated, contracts)
            }
        }
    }

    #[expect(clippy::unused_self, reason = "reads as a sentence at every call")]
    fn legal(&self, holds: bool, otherwise: &'static str) -> Legal {
        if holds { Ok(()) } else { Err(otherwise) }
    }

    fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Finished(_) | Phase::Empty)
    }

    fn submitted(&mut self, submission: &Submission) -> Legal {
        self.legal(self.phase == Phase::Empty, "the task was submitted before")?;
        self.context = Context::new(submission.metadata.clone());
        self.pin(&submission.contracts);
        self.submission = Some(Arc::new(submission.clone()));
        (self.phase, self.epoch) = (Phase::Planning, 1);
        Ok(())
    }

    fn pin(&mut self, contracts: &[Contract]) {
        let pinned = contracts.iter().map(|c| (c.tool.clone(), Arc::new(c.clone())));
        self.contracts.extend(pinned);
    }

    fn planned(&mut self, revision: u32, steps: &[PlannedStep]) -> Legal {
        let open = matches!(self.phase, Phase::Planning | Phase::Executing);
        self.legal(open, "the task takes no plan now")?;
        let follows = revision == self.revision || revision == self.revision + 1;
        self.legal(follows, "the revision does not follow the last one")?;
        self.revision = revision;
        for planned in steps {
            self.legal(
                self.context.index_of(planned.id.as_str()).is_none(),
                "the step id is taken",
            )?;
            let index = self.context.declare(&planned.id);
            let successes = planned.depends_on.iter().map(|id| (id, Needs::Success));
            for (id, needs) in successes.chain(planned.actions.iter().map(|id| (id, Needs::End))) {
                let needed = self.context.index_of(id.as_str()).filter(|needed| *needed != index);
                let needed = needed.and_then(|needed| self.steps.get_mut(needed.0 as usize));
                let needed = needed.ok_or("the step needs one that is not before it")?;
                needed.dependents.push(Dependent { step: index, needs });
            }
            let template = Template::parse(&planned.parameters, &self.context);
            self.steps.push(Step::new(planned.clone(), template));
            self.agenda.unfinished += 1;
        }
        Ok(())
    }

    fn plan_closed(&mut self, revision: u32, outcome: PlanOutcome) -> Legal {
        let open = matches!(self.phase, Phase::Planning | Phase::Executing) && revision > 0;
        self.legal(open && revision == self.revision, "this revision is not open")?;
        if outcome != PlanOutcome::Complete {
            return Ok(());
        }
        if revision > 1 {
            self.counters.task_replan_count += 1;
        }
        self.phase = Phase::Executing;
        self.agenda.unqueue_all();
        self.rank_steps();
        self.count_open_needs();
        self.queue_ready();
        Ok(())
    }

    /// Long chains first. Steps stand after what they need, so one walk backwards is enough.
    fn rank_steps(&mut self) {
        for index in (0..self.steps.len()).rev() {
            let Some(step) = self.steps.get(index) else { continue };
            let after =
                step.dependents.iter().filter_map(|d| self.step_at(d.step)).map(|d| d.rank).max();
            let own = if step.plan.gathers() { 0 } else { step.plan.expected_ms.unwrap_or(1) };
            let rank = own.saturating_add(after.unwrap_or(0));
            if let Some(step) = self.steps.get_mut(index) {
                step.rank = rank;
            }
        }
    }

    fn count_open_needs(&mut self) {
        let open: Vec<u32> = self.steps.iter().map(|step| self.open_needs(step)).collect();
        for (step, open) in self.steps.iter_mut().zip(open) {
            step.open = open;
        }
    }

    fn open_needs(&self, step: &Step) -> u32 {
        let status = |id: &StepId| self.step(id.as_str()).map_or(Status::Error, |step| step.status);
        let unmet = step.plan.depends_on.iter().filter(|id| status(id) != Status::Success).count();
        let unsettled = step.plan.actions.iter().filter(|id| !status(id).is_final()).count();
        u32::try_from(unmet + unsettled).unwrap_or(u32::MAX)
    }

    fn queue_ready(&mut self) {
        for index in 0..self.steps.len() {
            let index = StepIndex(u32::try_from(index).unwrap_or(u32::MAX));
            let ready = |step: &Step| step.status == Status::Init && step.open == 0;
            if self.step_at(index).is_some_and(ready) {
                self.queue(index);
            }
        }
    }

    fn queue(&mut self, index: StepIndex) {
        let Some(step) = self.steps.get_mut(index.0 as usize) else { return };
        step.status = Status::Init;
        if step.plan.gathers() {
            self.agenda.gather.insert(index);
            return;
        }
        let (rank, step) = (step.rank, step.tool().clone());
        let limited = self.contracts.get(&step).filter(|c| c.concurrent.is_some()).map(|c| &c.tool);
        self.agenda.queue(index, rank, limited);
    }

    fn index(&self, id: &StepId) -> Result<StepIndex, &'static str> {
        self.context.index_of(id.as_str()).ok_or("no such step is planned")
    }

    fn limit_key(&self, index: StepIndex) -> Option<ToolId> {
        self.step_at(index).and_then(|step| self.limited_tool(step)).cloned()
    }

    fn started(&mut self, id: &StepId, (attempt, generation): (u32, u32), sent: Sent) -> Legal {
        let index = self.index(id)?;
        self.legal(self.phase == Phase::Executing, "the task is not executing")?;
        let limited = self.limit_key(index);
        let step = self.steps.get_mut(index.0 as usize).ok_or("no such step is planned")?;
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
        (step.attempt, step.status) = (attempt, Status::Running);
        (step.started_at, step.finished_at) = (Some(self.at), None);
        step.sent = Some(sent);
        let limited = self.limit_key(index);
        self.agenda.begin(limited.as_ref());
        Ok(())
    }

    fn finished(
        &mut self,
        id: &StepId,
        attempt: u32,
        outcome: &Outcome,
        retry_at: Option<At>,
    ) -> Legal {
        let index = self.index(id)?;
        let step = self.step_at(index).ok_or("no such step is planned")?;
        let expected = step.status == Status::Running && step.attempt == attempt;
        self.legal(expected, "this attempt is not running")?;
        let limited = self.limit_key(index);
        self.agenda.end(limited.as_ref());
        match outcome {
            Outcome::Succeeded(output) => self.succeeded(index, output),
            Outcome::Failed { fault, output } => {
                self.counters.consecutive_failures += 1;
                self.note_fault(index, fault);
                match retry_at {
                    Some(due) => self.wait_for_retry(index, due),
                    None => self.failed(index, fault, output.as_ref()),
                }
            }
            Outcome::InDoubt(fault) => {
                self.note_fault(index, fault);
                self.doubt(index);
            }
            Outcome::Lost => self.lost(index),
        }
        Ok(())
    }

    fn note_fault(&mut self, index: StepIndex, fault: &Fault) {
        if let Some(step) = self.steps.get_mut(index.0 as usize) {
            step.fault = Some(fault.clone());
            step.finished_at = Some(self.at);
        }
    }

    fn set_status(&mut self, index: StepIndex, status: Status) {
        if let Some(step) = self.steps.get_mut(index.0 as usize) {
            step.status = status;
        }
    }

    fn wait_for_retry(&mut self, index: StepIndex, due: At) {
        self.counters.step_retry_count += 1;
        if let Some(step) = self.steps.get_mut(index.0 as usize) {
            step.retries += 1;
            step.status = Status::Waiting;
        }
        self.agenda.timers.insert((due, index));
    }

    fn doubt(&mut self, index: StepIndex) {
        self.set_status(index, Status::InDoubt);
        self.agenda.doubts.insert(index);
    }

    /// A call that Praxis did not see the end of: again if it may be, else in doubt.
    fn lost(&mut self, index: StepIndex) {
        let Some(step) = self.steps.get_mut(index.0 as usize) else { return };
        step.losses += 1;
        let fault = Fault::Interrupted { tool: step.tool().clone() };
        let (tool, losses, gathers) = (step.tool().clone(), step.losses, step.plan.gathers());
        self.note_fault(index, &fault);
        let again = self.contracts.get(&tool).is_some_and(|contract| contract.may_run_again());
        if (again && losses < MOST_LOSSES) || gathers {
            self.queue(index);
        } else {
            self.doubt(index);
        }
    }

    fn succeeded(&mut self, index: StepIndex, output: &Payload) {
        self.counters.consecutive_failures = 0;
        self.record(index, Status::Success, output.clone());
        if let Some(step) = self.steps.get_mut(index.0 as usize) {
            step.sent = None;
            step.fault = None;
        }
        self.release(index);
    }

    fn failed(&mut self, index: StepIndex, fault: &Fault, output: Option<&Payload>) {
        self.note_fault(index, fault);
        self.record(
            index,
            Status::Error,
            output.cloned().unwrap_or_else(|| Payload::json(Value::Null)),
        );
        self.release(index);
    }

    /// Keeps the result and, after a success, syncs it.
    fn record(&mut self, index: StepIndex, status: Status, output: Payload) {
        let at = self.at;
        let Some(step) = self.steps.get_mut(index.0 as usize) else { return };
        step.status = status;
        step.finished_at = Some(at);
        let is_success = status == Status::Success;
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
        // What cannot be synced is no fault of the step; `show` says so.
        let _ = self.context.record(index, result, names);
        self.agenda.unfinished = self.agenda.unfinished.saturating_sub(1);
    }

    /// Lets the steps that waited for this one start, or skips them.
    fn release(&mut self, ended: StepIndex) {
        let mut to_visit = vec![ended];
        while let Some(index) = to_visit.pop() {
            let Some(step) = self.steps.get_mut(index.0 as usize) else { continue };
            let succeeded = step.status == Status::Success;
            let dependents = std::mem::take(&mut step.dependents);
            for dependent in &dependents {
                let Some(waiting) = self.steps.get_mut(dependent.step.0 as usize) else { continue };
                if waiting.status != Status::Init {
                    continue;
                }
                if succeeded || dependent.needs == Needs::End {
                    waiting.open = waiting.open.saturating_sub(1);
                    if waiting.open == 0 {
                        self.queue(dependent.step);
                    }
                } else {
                    waiting.status = Status::Skipped;
                    self.agenda.unfinished = self.agenda.unfinished.saturating_sub(1);
                    to_visit.push(dependent.step);
                }
            }
            if let Some(step) = self.steps.get_mut(index.0 as usize) {
                step.dependents = dependents;
            }
        }
    }

    fn refused(&mut self, id: &StepId, fault: &Fault) -> Legal {
        let index = self.index(id)?;
        let limited = self.limit_key(index);
        let rank = self.step_at(index).map_or(0, |step| step.rank);
        let queued = self.agenda.unqueue(index, rank, limited.as_ref());
        self.legal(queued, "the step is not ready")?;
        self.counters.consecutive_failures += 1;
        self.failed(index, fault, None);
        Ok(())
    }

    fn retry_due(&mut self, id: &StepId) -> Legal {
        let index = self.index(id)?;
        let timer = self.agenda.timers.iter().find(|(_, step)| *step == index).copied();
        let timer = timer.ok_or("the step waits for no retry")?;
        self.agenda.timers.remove(&timer);
        self.queue(index);
        Ok(())
    }

    fn check_started(&mut self, id: &StepId) -> Legal {
        let index = self.index(id)?;
        let was_there = self.agenda.doubts.remove(&index);
        self.legal(was_there, "the step is not in doubt")?;
        self.agenda.begin(None);
        Ok(())
    }

    fn check_finished(&mut self, id: &StepId, verdict: &Verdict) -> Legal {
        let index = self.index(id)?;
        let in_doubt = self.step_at(index).is_some_and(|step| step.status == Status::InDoubt);
        self.legal(in_doubt, "the step is not in doubt")?;
        let asked = self.questions.values().any(|question| question.step.as_ref() == Some(id));
        let unasked = self.is_over() || self.agenda.doubts.contains(&index) || asked;
        self.legal(!unasked, "no check of the step is under way")?;
        self.agenda.end(None);
        match verdict {
            Verdict::Done { output } => self.succeeded(index, output),
            Verdict::NotDone => self.queue(index),
            Verdict::Unknown { .. } => {
                if let Some(step) = self.steps.get_mut(index.0 as usize) {
                    step.checked = true;
                }
                self.agenda.doubts.insert(index);
            }
        }
        Ok(())
    }

    fn asked(&mut self, question: &Question) -> Legal {
        self.legal(self.phase == Phase::Executing, "the task is not executing")?;
        if let Some(id) = &question.step {
            let index = self.index(id)?;
            let limited = self.limit_key(index);
            let rank = self.step_at(index).map_or(0, |step| step.rank);
            if self.agenda.unqueue(index, rank, limited.as_ref()) {
                self.set_status(index, Status::Param);
            } else {
                let was_there = self.agenda.doubts.remove(&index);
                self.legal(was_there, "the step has nothing to ask")?;
            }
        }
        self.questions_asked += 1;
        self.questions.insert(question.id.clone(), question.clone());
        Ok(())
    }

    fn answered(&mut self, id: &QuestionId, answer: &Answer, by: &str) -> Legal {
        let question = self.questions.remove(id).ok_or("the question is not open")?;
        self.legal(question.takes(answer), "that is no answer to this question")?;
        let Some(step) = &question.step else {
            return self.time_answered(answer);
        };
        let index = self.index(step)?;
        match answer {
            Answer::Values { values } => {
                let step = self.steps.get_mut(index.0 as usize).ok_or("no such step is planned")?;
                for (pointer, value) in values {
                    step.template.set(pointer, value);
                    let (value, by) = (value.clone(), by.to_owned());
                    step.given.insert(pointer.clone(), Given { value, by, question: id.clone() });
                }
                self.queue(index);
            }
            Answer::Done { output } => self.succeeded(index, &Payload::json(output.clone())),
            Answer::NotDone => self.queue(index),
            Answer::DoAgain => {
                self.new_wish(index);
                self.queue(index);
            }
            Answer::GiveUp { reason } => {
                self.failed(index, &Fault::GivenUp { reason: reason.clone() }, None);
            }
            Answer::MoreTime { .. } => return Err("that is no answer to this question"),
        }
        Ok(())
    }

    /// A new effect is wanted: a new key, and arguments that are looked up anew.
    fn new_wish(&mut self, index: StepIndex) {
        if let Some(step) = self.steps.get_mut(index.0 as usize) {
            step.generation += 1;
            step.sent = None;
            step.checked = false;
        }
    }

    fn time_answered(&mut self, answer: &Answer) -> Legal {
        let Answer::MoreTime { ms } = answer else {
            let after_ms = self.active_ms;
            self.phase = Phase::Stopping(Ending::Failed { fault: Fault::TaskTimeout { after_ms } });
            return Ok(());
        };
        self.added_ms = self.added_ms.saturating_add(*ms);
        self.time_is_up = false;
        Ok(())
    }

    fn time_used_up(&mut self, after_ms: u64) -> Legal {
        self.legal(self.phase == Phase::Executing, "the task is not executing")?;
        let on_wall = self.submission.as_ref().map(|submission| submission.options.on_wall);
        if on_wall == Some(OnWall::Ask) {
            self.time_is_up = true;
        } else {
            self.phase = Phase::Stopping(Ending::Failed { fault: Fault::TaskTimeout { after_ms } });
        }
        Ok(())
    }

    fn task_finished(&mut self, ending: &Ending, result_of: &[StepId]) -> Legal {
        self.legal(!self.is_over(), "the task has ended")?;
        self.legal(self.agenda.running() == 0, "calls are still running")?;
        let done = *ending != Ending::Completed || self.agenda.unfinished == 0;
        self.legal(done, "steps have not ended")?;
        for step in self.steps.iter_mut().filter(|step| !step.status.is_final()) {
            if step.status != Status::InDoubt {
                step.status = Status::Cancelled;
            }
        }
        self.agenda.clear();
        self.questions.clear();
        self.result_of = result_of.to_vec();
        self.phase = Phase::Finished(ending.clone());
        Ok(())
    }

    fn reopened(&mut self, epoch: u32, invalidated: &[StepId], contracts: &[Contract]) -> Legal {
        let over =
            matches!(self.phase, Phase::Finished(Ending::Failed { .. } | Ending::Cancelled { .. }));
        self.legal(over, "only a failed or cancelled task can be reopened")?;
        self.legal(epoch == self.epoch + 1, "the epoch does not follow the last one")?;
        self.epoch = epoch;
        self.pin(contracts);
        for id in invalidated {
            let index = self.index(id)?;
            self.context.forget(index);
            self.new_wish(index);
            self.set_status(index, Status::Init);
        }
        self.agenda.unfinished = 0;
        for step in self.steps.iter_mut().filter(|step| step.status != Status::Success) {
            self.agenda.unfinished += 1;
            (step.retries, step.losses) = (0, 0);
            if step.status != Status::InDoubt {
                step.status = Status::Init;
            }
        }
        self.counters.consecutive_failures = 0;
        (self.active_ms, self.time_is_up) = (0, false);
        self.phase = Phase::Executing;
        self.count_open_needs();
        self.queue_ready();
        self.doubts_again();
        Ok(())
    }

    fn doubts_again(&mut self) {
        for (index, step) in self.steps.iter().enumerate() {
            if step.status == Status::InDoubt {
                self.agenda.doubts.insert(StepIndex(u32::try_from(index).unwrap_or(u32::MAX)));
            }
        }
    }
}
