//! Folds checks of steps in doubt, questions and their answers, and the time limit of the task.

use super::answer::{answered_whole, denied, edited};
use super::{FoldResult, MAX_LOSSES};
use crate::dataflow::context::StepIndex;
use crate::fault::Fault;
use crate::ids::{QuestionId, StepId};
use crate::intake::unanswered::UnansweredAction;
use crate::journal::options::OnLimit;
use crate::journal::outcome::{CheckVerdict, TaskEnding};
use crate::journal::question::{EXPIRY, Question, QuestionAnswer, QuestionSubject};
use crate::journal::slot::FilledSlot;
use crate::journal::task_reflection::{ReflectionTrigger, TaskReflection};
use crate::payload::Payload;
use crate::pointer::Pointer;
use crate::pointer::pointer_to;
use crate::state::goal_log::LogLine;
use crate::state::goal_state::ReplanAdvice;
use crate::state::step::{ParameterOverride, StepStatus};
use crate::state::{Phase, State};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

impl State {
    pub(super) fn check_started(&mut self, id: &StepId) -> FoldResult {
        let index = self.index(id)?;
        let was_there = self.agenda.doubts.remove(&index);
        self.legal(was_there, "the step is not in doubt")?;
        self.agenda.begin(None);
        Ok(())
    }

    pub(super) fn check_finished(&mut self, id: &StepId, verdict: &CheckVerdict) -> FoldResult {
        let index = self.index(id)?;
        let in_doubt = self.step_at(index).is_some_and(|step| step.status == StepStatus::InDoubt);
        self.legal(in_doubt, "the step is not in doubt")?;
        let asked = self.questions.values().any(|question| question.step.as_ref() == Some(id));
        let unasked = self.is_over() || self.agenda.doubts.contains(&index) || asked;
        self.legal(!unasked, "no check of the step is running")?;
        self.agenda.end(None);
        match verdict {
            CheckVerdict::Done { output } => self.succeeded(index, output),
            CheckVerdict::NotDone => self.queue(index),
            CheckVerdict::Unknown { .. } => self.doubt_checked(index),
            CheckVerdict::Lost => self.check_lost(index),
        }
        Ok(())
    }

    /// Marks a step as checked without a result, so that a person is asked next.
    fn doubt_checked(&mut self, index: StepIndex) {
        if let Some(step) = self.steps.get_mut(index) {
            step.checked = true;
        }
        self.agenda.doubts.insert(index);
    }

    /// Repeats a check that was lost to a crash if its tool may run again, up to [`MAX_LOSSES`] losses; then a
    /// person is asked.
    fn check_lost(&mut self, index: StepIndex) {
        let Some(step) = self.steps.get_mut(index) else { return };
        step.losses += 1;
        let checker = self.contracts.get(step.tool()).and_then(|c| c.check_with.as_ref());
        let checker = checker.and_then(|tool| self.contracts.get(tool));
        if step.losses < MAX_LOSSES && checker.is_some_and(|c| c.may_run_again()) {
            self.agenda.doubts.insert(index);
        } else {
            self.doubt_checked(index);
        }
    }

    pub(super) fn asked(&mut self, question: &Question) -> FoldResult {
        let going = !matches!(self.phase, Phase::Empty | Phase::Finished(_) | Phase::Stopping(_));
        self.legal(going, "the task is not executing")?;
        if let Some(id) = &question.step {
            let index = self.index(id)?;
            let limited = self.limit_key(index);
            let rank = self.step_at(index).map_or(0, |step| step.rank);
            if self.agenda.unqueue(index, rank, limited.as_ref()) {
                self.set_status(index, StepStatus::Param);
            } else {
                let complains = self.agenda.complaints.remove(&index);
                let was_there =
                    complains || self.agenda.doubts.remove(&index) || self.stops_ailing(index);
                self.legal(was_there, "the step has no reason to ask")?;
            }
        }
        self.questions_asked += 1;
        if let Some(ms) = question.within_ms {
            self.expiries.retain(|id, _| self.questions.contains_key(id));
            self.expiries.insert(question.id.clone(), self.at.plus_ms(ms));
        }
        self.questions.insert(question.id.clone(), question.clone());
        Ok(())
    }

    /// Takes a step out of recovery because a person is asked about it. Returns false if it was not there.
    fn stops_ailing(&mut self, index: StepIndex) -> bool {
        let goal_state = self.goal.as_deref_mut();
        let was_ailing =
            goal_state.is_some_and(|goal_state| goal_state.recovery.ailing.remove(&index));
        if was_ailing {
            self.set_status(index, StepStatus::Param);
        }
        was_ailing
    }

    pub(super) fn answered(
        &mut self,
        id: &QuestionId,
        answer: &QuestionAnswer,
        by: &str,
    ) -> FoldResult {
        let question = self.questions.remove(id).ok_or("the question is not open")?;
        self.legal(question.takes(answer), "the answer does not match the question")?;
        let Some(step) = &question.step else {
            return self.task_answered(&question, answer);
        };
        let index = self.index(step)?;
        match answer {
            QuestionAnswer::Values { values } => {
                self.take_values(index, &question, (values, by))?;
            }
            QuestionAnswer::Said { .. } => {
                let QuestionSubject::Param { fields, .. } = &question.about else {
                    return Err("the answer does not match the question");
                };
                self.take_values(index, &question, (&answer.values(fields), by))?;
            }
            QuestionAnswer::Skip => {
                self.skip(index);
                self.release(index);
            }
            QuestionAnswer::Guess => self.may_be_guessed(index)?,
            QuestionAnswer::Done { output } => {
                self.succeeded(index, &Payload::json(output.clone()));
            }
            QuestionAnswer::NotDone => self.queue(index),
            QuestionAnswer::Approve => {
                let print = if let QuestionSubject::Approval { print, .. } = &question.about {
                    print.clone()
                } else {
                    None
                };
                self.call_approved(index, print);
                self.queue(index);
            }
            QuestionAnswer::DoAgain => {
                self.new_generation(index);
                self.queue(index);
            }
            QuestionAnswer::GiveUp { reason } => {
                let fault = denied(&question, reason);
                if matches!(fault, Fault::CallDenied { .. }) {
                    self.failed_or_ails(index, &fault, None);
                } else {
                    self.failed(index, &fault, None);
                }
                if by == EXPIRY && question.otherwise == UnansweredAction::Fail {
                    let fault = Fault::GivenUp { reason: reason.clone() };
                    self.phase = Phase::Stopping(TaskEnding::Failed { fault });
                }
            }
            QuestionAnswer::MoreTime { .. }
            | QuestionAnswer::Raise { .. }
            | QuestionAnswer::Settle
            | QuestionAnswer::Edit { .. }
            | QuestionAnswer::Advise { .. } => {
                return Err("the answer does not match the question");
            }
        }
        Ok(())
    }

    /// Lets a model guess missing values: it is asked again when the step starts.
    fn may_be_guessed(&mut self, index: StepIndex) -> FoldResult {
        self.legal(self.step_model().is_some(), "no model is available to guess the value")?;
        if self.step_at(index).is_some_and(|step| step.sent.is_some()) {
            self.new_generation(index);
        }
        if let Some(step) = self.steps.get_mut(index) {
            (step.was_filled, step.may_be_guessed) = (false, true);
        }
        self.queue(index);
        Ok(())
    }

    /// Sets the values of an answer and queues the step.
    fn take_values(
        &mut self,
        index: StepIndex,
        question: &Question,
        (values, by): (&BTreeMap<String, Value>, &str),
    ) -> FoldResult {
        let edited = edited(question, values)?;
        let whole = match &edited {
            Some(edited) => Some(edited.changed.clone()),
            None => answered_whole(question, values),
        };
        for (pointer, value) in values {
            let given = ParameterOverride {
                value: value.clone(),
                by: by.to_owned(),
                question: Some(question.id.clone()),
                rung: None,
                left_out: false,
                slot: None,
            };
            self.put(index, (pointer, given), whole.as_ref())?;
        }
        let approves = matches!(question.about, QuestionSubject::Approval { .. });
        if approves {
            self.call_approved(index, edited.map(|edited| edited.print));
        }
        if !approves && self.step_at(index).is_some_and(|step| step.sent.is_some()) {
            self.new_generation(index);
        }
        self.queue(index);
        Ok(())
    }

    /// Sets the values that were found for a step that has not started.
    pub(super) fn slots_filled(
        &mut self,
        id: &StepId,
        values: &BTreeMap<String, FilledSlot>,
        whole: &Map<String, Value>,
    ) -> FoldResult {
        let index = self.index(id)?;
        self.fill_ends(index);
        let waits = self.step_at(index).is_some_and(|step| step.status == StepStatus::Init);
        self.legal(waits, "the step is not about to start")?;
        for (pointer, slot) in values {
            let given = ParameterOverride {
                value: slot.value.clone(),
                by: String::new(),
                question: None,
                rung: None,
                left_out: false,
                slot: Some((slot.source.clone(), slot.confidence)),
            };
            self.put(index, (pointer, given), Some(whole))?;
        }
        Ok(())
    }

    /// Sets one value at its pointer. If the template has no such place, the whole top-level parameter is set
    /// instead.
    fn put(
        &mut self,
        index: StepIndex,
        (pointer, given): (&String, ParameterOverride),
        whole: Option<&Map<String, Value>>,
    ) -> FoldResult {
        let step = self.steps.get_mut(index).ok_or("the plan has no such step")?;
        match whole {
            Some(whole) if !step.template.set_precisely(pointer, &given.value) => {
                let first = Pointer::new(pointer.clone()).tokens().unwrap_or_default();
                let first = first.first().cloned().unwrap_or_default();
                let value = whole.get(&first).cloned().unwrap_or_default();
                step.template.set(&pointer_to("", &first), &value);
            }
            Some(_) => {}
            None => step.template.set(pointer, &given.value),
        }
        step.given.insert(pointer.clone(), given);
        Ok(())
    }

    /// Applies an answer that concerns the whole task.
    fn task_answered(&mut self, question: &Question, answer: &QuestionAnswer) -> FoldResult {
        match (&question.about, answer) {
            (QuestionSubject::Time { .. }, _) => self.time_answered(answer),
            (QuestionSubject::Budget { hit }, QuestionAnswer::Settle) if self.goal.is_none() => {
                self.wall_hit(*hit)?;
            }
            (_, QuestionAnswer::Settle) => self.settle(),
            (QuestionSubject::Budget { hit }, QuestionAnswer::Raise { by }) => {
                self.raised(hit.wall, *by);
            }
            (QuestionSubject::Budget { hit }, _) => self.wall_hit(*hit)?,
            (QuestionSubject::Plan { revision, .. }, QuestionAnswer::Approve) => {
                self.plan_approved(*revision)?;
            }
            (QuestionSubject::Plan { .. }, QuestionAnswer::Edit { .. }) => self.plan_put_aside()?,
            (QuestionSubject::Help { .. }, QuestionAnswer::Advise { text }) => {
                self.advised(text)?;
            }
            (_, QuestionAnswer::GiveUp { reason }) => {
                let fault = Fault::GivenUp { reason: reason.clone() };
                self.phase = Phase::Stopping(TaskEnding::Failed { fault });
            }
            (_, _) => return Err("the answer does not match the question"),
        }
        Ok(())
    }

    /// Approves a revision of the plan: its steps may make their calls as planned.
    pub(super) fn plan_approved(&mut self, revision: u32) -> FoldResult {
        self.goal_state_mut()?.planning.approved = revision;
        for step in self.steps.iter_mut().filter(|step| !step.dropped) {
            step.approved |= step.revision <= revision;
        }
        Ok(())
    }

    /// Gives up the open steps, because a person writes the next plan.
    fn plan_put_aside(&mut self) -> FoldResult {
        self.give_up_open_steps();
        self.goal_state_mut()?.planning.drafting.by_hand = true;
        self.phase = Phase::Planning;
        Ok(())
    }

    /// Starts a replan of the rest with the advice of a person.
    fn advised(&mut self, text: &str) -> FoldResult {
        let line = LogLine::Person { about: "help".to_owned(), said: text.to_owned() };
        self.log(line);
        let goal_state = self.goal_state_mut()?;
        goal_state.asks.unanswered.clear();
        goal_state.asks.unfit.clear();
        goal_state.planning.given_up_plans.clear();
        goal_state.planning.drafting.misses = 0;
        goal_state.recovery.helped = true;
        goal_state.recovery.reflection = Some(TaskReflection::advised(text));
        goal_state.recovery.said_last =
            ReplanAdvice { strategy: "full_replan".to_owned(), reflection: text.to_owned() };
        goal_state.recovery.trigger.get_or_insert(ReflectionTrigger::Judgement);
        self.phase = Phase::Reflecting;
        Ok(())
    }

    /// Begins a new generation: a new idempotency key, and arguments that are resolved again.
    pub(super) fn new_generation(&mut self, index: StepIndex) {
        self.frame_closed(index);
        if let Some(step) = self.steps.get_mut(index) {
            step.generation += 1;
            step.sent = None;
            step.checked = false;
            (step.approved, step.approved_print) = (false, None);
        }
    }

    fn time_answered(&mut self, answer: &QuestionAnswer) {
        if let QuestionAnswer::MoreTime { ms } = answer {
            self.added_ms = self.added_ms.saturating_add(*ms);
            self.time_is_up = false;
        } else {
            let after_ms = self.active_ms;
            self.phase =
                Phase::Stopping(TaskEnding::Failed { fault: Fault::TaskTimeout { after_ms } });
        }
    }

    pub(super) fn time_used_up(&mut self, after_ms: u64) -> FoldResult {
        let going = !matches!(self.phase, Phase::Empty | Phase::Finished(_) | Phase::Stopping(_));
        self.legal(going, "the task is not executing")?;
        let on_wall = self.submission.as_ref().map(|submission| submission.options.on_wall);
        if on_wall == Some(OnLimit::Ask) {
            self.time_is_up = true;
        } else {
            self.phase =
                Phase::Stopping(TaskEnding::Failed { fault: Fault::TaskTimeout { after_ms } });
        }
        Ok(())
    }
}
