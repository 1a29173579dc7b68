//! Turns arrivals into events.
//!
//! - in: results of calls, replies of models, commands of people, due timers
//! - out: the events that follow in the current state; none for an outdated arrival
//! - never: folds or appends anything

use crate::arrival::{Arrival, CommandRefusal, CommandReply, TaskCommand, UnsuccessfulCall};
use crate::driver::TaskDriver;
use crate::seams::{ModelAnswered, ModelCallFailed};
use crate::stopped::DriverStopped;
use praxis_core::ask::reply::TokenUsage;
use praxis_core::dataflow::context::StepIndex;
use praxis_core::decide::answer;
use praxis_core::decide::work::WorkResult;
use praxis_core::evaluate::extract;
use praxis_core::execute::own_calls;
use praxis_core::execute::twin;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::journal::event::Event;
use praxis_core::journal::outcome::{AskOutcome, CallOutcome, PlanOutcome};
use praxis_core::journal::question::{EXPIRY, Question, QuestionAnswer, QuestionSubject};
use praxis_core::library::Library;
use praxis_core::payload::Payload;
use praxis_core::plan::draft;
use praxis_core::problem::Problem;
use praxis_core::recover::retry::{RetryHistory, after_fault};
use praxis_core::state::Phase;
use praxis_core::state::step::StepStatus;
use serde_json::Value;

impl TaskDriver {
    /// Returns the events of due timers, of expired questions and of a reached deadline.
    pub(crate) fn due(&self) -> Vec<Event> {
        let now = self.now();
        let due = self.state.agenda.timers.iter().take_while(|(at, _)| *at <= now);
        let ids = due.filter_map(|(_, index)| self.state.step_at(*index));
        let mut events: Vec<Event> = ids.map(own_calls::when_due).collect();
        events.extend(self.state.expired(now).filter_map(|question| {
            let answer = self.state.unanswered(question)?;
            let (question, by) = (question.clone(), EXPIRY.to_owned());
            Some(Event::QuestionAnswered { question, answer, by })
        }));
        if self.state.deadline().is_some_and(|deadline| deadline <= now) {
            // The time since the last event is active time, too.
            let after_ms = self.state.active_ms.saturating_add(now.since(self.state.at));
            events.push(Event::TimeUsedUp { after_ms });
        }
        events
    }

    /// Turns an arrival into events; an outdated one gives none.
    pub(crate) async fn take(
        &mut self,
        arrival: Arrival,
        replies: &mut Vec<CommandReply>,
    ) -> Result<Vec<Event>, DriverStopped> {
        Ok(match arrival {
            Arrival::Returned { step, attempt, result, usage } => {
                let ended = self.returned((step, attempt), result, usage);
                let heir =
                    ended.as_ref().and_then(|ended| twin::taken_over(&self.state, step, ended));
                ended.into_iter().chain(heir).collect()
            }
            Arrival::Checked { step, verdict } => {
                let step = self.state.step_at(step).map(|step| step.plan.id.clone());
                step.map(|step| Event::CheckFinished { step, verdict }).into_iter().collect()
            }
            Arrival::Heard { .. } => vec![],
            Arrival::Answered { ask, result } => self.answered(ask, result).await?,
            Arrival::Worked { seq, result } => self.worked(seq, result).await?,
            Arrival::Command(command, reply) => match self.command(command) {
                Ok(events) => {
                    replies.push(reply);
                    events
                }
                Err(refusal) => {
                    let _ = reply.send(Err(refusal));
                    vec![]
                }
            },
        })
    }

    /// Returns the events of background work, if the task has not changed since the work started.
    async fn worked(
        &mut self,
        seq: u64,
        result: Result<WorkResult, DriverStopped>,
    ) -> Result<Vec<Event>, DriverStopped> {
        if !self.awaits_work(seq) {
            return Ok(vec![]);
        }
        let mut events = Vec::new();
        for event in result?.events {
            events.push(self.spill(event).await?);
        }
        Ok(events)
    }

    /// Returns the event that ends a model call, and the events that follow from its reply.
    async fn answered(
        &mut self,
        ask: u32,
        result: Result<ModelAnswered, Box<ModelCallFailed>>,
    ) -> Result<Vec<Event>, DriverStopped> {
        let goal_state = self.state.goal.as_deref();
        if !goal_state.is_some_and(|goal_state| goal_state.asks.under_way.contains_key(&ask)) {
            return Ok(vec![]);
        }
        let (outcome, meaning) = match result {
            Ok(ModelAnswered { reply, spent }) => {
                let usage = reply.usage.plus(spent);
                let blobs = self.load(extract::needs(&self.state, ask)).await?;
                let meaning = answer::events(&self.state, ask, &reply, &self.inputs(&blobs));
                let reply = serde_json::to_value(&reply);
                let reply = reply.map_err(|error| DriverStopped::Unwritable(error.to_string()))?;
                (AskOutcome::Answered { reply: Payload::json(reply), usage }, meaning)
            }
            Err(unanswered) => {
                let ModelCallFailed { fault, spent } = *unanswered;
                let cut = self.plan_cut(ask);
                (AskOutcome::Failed { fault, usage: spent }, cut.into_iter().collect())
            }
        };
        let mut events = vec![self.spill(Event::AskFinished { ask, outcome }).await?];
        for event in meaning {
            events.push(self.spill(event).await?);
        }
        Ok(events)
    }

    /// Closes a plan whose streamed reply broke off: the steps that ran are kept.
    pub(crate) fn plan_cut(&self, ask: u32) -> Option<Event> {
        let goal_state = self.state.goal.as_deref()?;
        let going = !matches!(self.state.phase, Phase::Stopping(_));
        let plans = goal_state.asks.under_way.get(&ask)?.purpose.plans() && going;
        let revision = goal_state.planning.drafting.open.filter(|_| plans)?;
        Some(Event::closed(revision, PlanOutcome::Cut))
    }

    fn returned(
        &self,
        (index, attempt): (StepIndex, u32),
        result: Result<Payload, UnsuccessfulCall>,
        usage: Option<TokenUsage>,
    ) -> Option<Event> {
        let step = self.state.step_at(index)?;
        if step.status != StepStatus::Running || step.attempt != attempt {
            return None;
        }
        let id = step.plan.id.clone();
        let (outcome, retry_at) = match (result, self.state.contract(step.tool())) {
            (Ok(output), _) => (CallOutcome::Succeeded(output), None),
            (Err(UnsuccessfulCall { fault, output }), Some(contract)) => {
                let effect = self.state.effect_id(step);
                let options = self.state.submission.as_ref().map(|submission| &submission.options);
                let most = options.and_then(|options| options.max_step_retries);
                let tried =
                    RetryHistory { retries: step.retries, most, effect: &effect, now: self.now() };
                let (outcome, retry_at) = after_fault(fault, contract, tried);
                (outcome.having_said(output), retry_at)
            }
            (Err(UnsuccessfulCall { fault, output }), None) => {
                (CallOutcome::Failed { fault, output }, None)
            }
        };
        // A stopping task, or a dropped step, is not retried.
        let going = !matches!(self.state.phase, Phase::Stopping(_)) && !step.dropped;
        let retry_at = retry_at.filter(|_| going);
        Some(Event::StepFinished { step: id, attempt, outcome, retry_at, usage })
    }

    fn command(&self, command: TaskCommand) -> Result<Vec<Event>, CommandRefusal> {
        match command {
            TaskCommand::Cancel { reason, by } => match self.state.phase {
                Phase::Finished(_) => Err(CommandRefusal::TaskEnded(self.state.status())),
                Phase::Stopping(_) => Err(CommandRefusal::Stopping),
                Phase::Empty
                | Phase::Planning
                | Phase::Executing
                | Phase::Evaluating
                | Phase::Reflecting => Ok(vec![Event::CancelRequested { reason, by }]),
            },
            TaskCommand::Answer { question, answer, by } => {
                let open = self.state.questions.get(&question);
                let asked = open.ok_or_else(|| CommandRefusal::NotOpen(question.clone()))?;
                asked.check(&answer).map_err(CommandRefusal::BadAnswer)?;
                if answer == QuestionAnswer::Guess {
                    self.can_be_guessed(asked)?;
                }
                let edited = match (&answer, self.library.as_deref()) {
                    (QuestionAnswer::Edit { plan }, Some(library)) => self.edited(plan, library)?,
                    _ => vec![],
                };
                let too = self.state.answered_too(asked, &answer);
                let all = [(question, answer)].into_iter().chain(too);
                let answered = all.map(|(question, answer)| {
                    let by = by.clone();
                    Event::QuestionAnswered { question, answer, by }
                });
                Ok(answered.chain(edited).collect())
            }
        }
    }

    /// Checks that a model can guess the answer: a model is pinned, the tool of the step has not been called yet, and
    /// the question is not about an unresolved placeholder. In the other cases a model cannot know the value.
    fn can_be_guessed(&self, question: &Question) -> Result<(), CommandRefusal> {
        let step = question.step.as_ref().and_then(|id| self.state.step(id.as_str()));
        let was_sent = step.is_some_and(|step| step.sent.is_some());
        let missed = matches!(
            &question.about,
            QuestionSubject::Param { fault: Fault::UnresolvedPlaceholder { .. }, .. }
        );
        let detail = match (self.state.step_model(), was_sent || missed) {
            (Some(_), false) => return Ok(()),
            (None, _) => (
                "the task has no model that could guess; give the values",
                "该任务没有可以猜测的模型，请给出值",
            ),
            (Some(_), true) => {
                ("a model cannot know this; give the values", "模型无从得知，请给出值")
            }
        };
        Err(CommandRefusal::BadAnswer(vec![FieldError::new("", detail)]))
    }

    /// Returns the events of a plan that a person edited while it waited for approval.
    fn edited(&self, plan: &Value, library: &Library) -> Result<Vec<Event>, CommandRefusal> {
        let refused = |problems: Vec<Problem>| {
            let error = |problem: Problem| FieldError::new(problem.at, problem.message);
            CommandRefusal::BadAnswer(problems.into_iter().map(error).collect())
        };
        draft::by_hand(&self.state, plan, library).map_err(refused)
    }
}
