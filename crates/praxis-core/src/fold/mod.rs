//! The single fold: live runs, resume, replay, `--at` and forks all go through [`State::apply`].
//!
//! - in: the entries of a journal in order
//! - out: the state, or the first entry that cannot follow the ones before it
//! - never: skips an entry, or reads anything but the state and the entry

mod plan;

mod step;

mod frame;

mod question;

mod answer;

mod task;

mod goal;

mod recovery;

use crate::journal::event::{Entry, Event, of_a_flow};
use crate::journal::outcome::TaskEnding;
use crate::state::goal_state::UnfitAnswer;
use crate::state::step::SentCall;
use crate::state::{Phase, State};
use recovery::Amendment;

/// A journal entry that cannot follow the entries before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the journal is inconsistent: event {seq} is not allowed in this state ({why})")]
pub struct IllegalEvent {
    /// The sequence number of the entry.
    pub seq: u64,
    /// The reason.
    pub why: &'static str,
}

/// The number of times that a call may be lost to a crash before a person is asked.
pub const MAX_LOSSES: u32 = 5;

type FoldResult = Result<(), &'static str>;

impl State {
    /// Folds one entry, except for [`active`](State::active): that needs a decision and is set by [`State::apply`].
    pub(crate) fn fold(&mut self, entry: &Entry) -> Result<(), IllegalEvent> {
        let illegal = |why| IllegalEvent { seq: entry.seq, why };
        if entry.seq != self.seq + 1 {
            return Err(illegal("its sequence number is not the next one"));
        }
        if entry.at < self.at {
            return Err(illegal("its time is before that of the previous event"));
        }
        if self.active && !matches!(entry.event, Event::Woken { .. }) {
            self.active_ms += entry.at.since(self.at);
        }
        (self.seq, self.at) = (entry.seq, entry.at);
        self.event(&entry.event).map_err(illegal)
    }

    fn event(&mut self, event: &Event) -> FoldResult {
        match event {
            Event::TaskSubmitted(submission) => self.submitted(submission),
            Event::Woken { .. } => {
                self.legal(!matches!(self.phase, Phase::Empty), "the task was not submitted")
            }
            Event::AskStarted { ask, purpose, model, reserved, .. } => {
                self.ask_started(*ask, purpose, (model, *reserved))
            }
            Event::AskFinished { ask, outcome } => self.ask_finished(*ask, outcome),
            Event::AnswerRefused { purpose, said, reasoning, problems, .. } => {
                let (said, reasoning) = (said.clone(), reasoning.clone());
                let unfit = UnfitAnswer { said, reasoning, problems: problems.clone(), times: 1 };
                self.answer_refused(purpose, unfit)
            }
            Event::StrategyChosen { strategy, .. } => self.strategy_chosen(*strategy),
            Event::Recalled { memories } => self.recalled(memories),
            Event::ToolsSelected { selection, contracts } => {
                self.tools_selected(selection, contracts)
            }
            Event::StepsPlanned { revision, steps, names, .. } => {
                self.planned(*revision, steps, names)
            }
            Event::PlanClosed { revision, outcome, promise, .. } => {
                self.plan_closed(*revision, *outcome)?;
                self.promised(promise.as_deref())
            }
            Event::PlanRevised(revision) => self.revised(revision),
            Event::StepsRewired { changes } => changes
                .iter()
                .try_for_each(|change| self.rewire(&change.step_id, &change.depends_on)),
            Event::StepReflected { step, reflection } => self.step_reflected(step, reflection),
            Event::StepAmended { step, rung, tool, parameters, set, why, by } => {
                let (tool, parameters) = (tool.as_ref(), parameters.as_ref());
                self.amended(step, &Amendment { rung: *rung, tool, parameters, set, why, by })
            }
            Event::RepairWanted { step } => self.repair_wanted(step),
            Event::RecoveryEnded { step, overall, .. } => self.recovery_ended(step, *overall),
            Event::TaskJudged(judgement) => self.task_judged(judgement),
            Event::TaskReflected(reflection) => self.task_reflected(reflection),
            Event::AnswerGiven { answer, title, .. } => self.answer_given(answer, title),
            Event::OutputExtracted { step, excerpts, .. } => self.extracted(step, excerpts),
            Event::MessageTold { .. } => self.told(),
            Event::WallHit(hit) => self.wall_hit(*hit),
            Event::TaskLearnt(_) => self.learnt(),
            of_a_flow!() => self.of_a_flow(event),
            Event::StepStarted { .. }
            | Event::StepFinished { .. }
            | Event::StepInherited { .. }
            | Event::StepRefused { .. }
            | Event::RetryDue { .. }
            | Event::CheckStarted { .. }
            | Event::CheckFinished { .. }
            | Event::QuestionAsked { .. }
            | Event::QuestionAnswered { .. }
            | Event::TimeUsedUp { .. }
            | Event::CancelRequested { .. }
            | Event::TaskFinished { .. }
            | Event::TaskReopened { .. } => self.of_a_step(event),
        }
    }

    /// Folds events of single steps, of questions and of the task as a whole.
    fn of_a_step(&mut self, event: &Event) -> FoldResult {
        match event {
            Event::StepStarted { step, attempt, generation, tool, arguments, holes, reserved } => {
                let (arguments, holes) = (arguments.clone(), holes.clone());
                let sent = SentCall { tool: tool.clone(), arguments, holes };
                self.started(step, (*attempt, *generation), sent)?;
                self.set_aside(step, *reserved)
            }
            Event::StepFinished { step, attempt, outcome, retry_at, usage } => {
                self.spent(step, outcome, *usage)?;
                self.finished(step, *attempt, outcome, *retry_at)
            }
            Event::StepInherited { step, tool, output, .. } => {
                self.inherited(step, tool.as_ref(), output)
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
                self.phase = Phase::Stopping(TaskEnding::Cancelled { reason: reason.clone() });
                Ok(())
            }
            Event::TaskFinished { ending, result_of } => self.task_finished(ending, result_of),
            Event::TaskReopened { epoch, invalidated, contracts, .. } => {
                self.reopened(*epoch, invalidated, contracts)
            }
            Event::AskStarted { .. }
            | Event::AskFinished { .. }
            | Event::AnswerRefused { .. }
            | Event::StrategyChosen { .. }
            | Event::Recalled { .. }
            | Event::ToolsSelected { .. }
            | Event::StepsPlanned { .. }
            | Event::PlanClosed { .. }
            | Event::PlanRevised(_)
            | Event::StepsRewired { .. }
            | Event::StepReflected { .. }
            | Event::StepAmended { .. }
            | Event::RepairWanted { .. }
            | Event::RecoveryEnded { .. }
            | Event::TaskJudged(_)
            | Event::TaskReflected(_)
            | Event::AnswerGiven { .. }
            | Event::OutputExtracted { .. }
            | Event::MessageTold { .. }
            | Event::WallHit(_)
            | Event::TaskLearnt(_)
            | Event::TaskSubmitted(_)
            | Event::Woken { .. } => Err("not a step event"),
            of_a_flow!() => Err("not a step event"),
        }
    }

    /// Folds events that only flows have.
    fn of_a_flow(&mut self, event: &Event) -> FoldResult {
        if let Event::SlotsFilled { step, values, arguments } = event {
            return self.slots_filled(step, values, arguments);
        }
        if let Event::FrameOpened { step, variables } = event {
            return self.frame_opened(step, variables);
        }
        if let Event::PassStarted { step, pass, variables } = event {
            return self.pass_started(step, *pass, variables.as_ref());
        }
        if let Event::StepsAdded { step, steps } = event {
            return self.steps_added(step, steps);
        }
        let Event::PassEnded { step, pass, failed, set, collected } = event else {
            return Err("not a flow event");
        };
        let ended = (failed.is_some(), set.as_ref(), collected.as_ref());
        self.pass_ended(step, *pass, ended)
    }

    fn legal(&self, holds: bool, otherwise: &'static str) -> FoldResult {
        if holds { Ok(()) } else { Err(otherwise) }
    }

    fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Finished(_) | Phase::Empty)
    }
}
