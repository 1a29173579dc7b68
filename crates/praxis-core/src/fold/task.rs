//! Folds the start, the end and the reopening of a task.

use super::FoldResult;
use crate::call::tool::Contract;
use crate::dataflow::context::{Context, StepIndex, Variables};
use crate::ids::StepId;
use crate::journal::outcome::TaskEnding;
use crate::journal::submission::Submission;
use crate::state::goal_state::{GoalLog, GoalState, ModelCalls, PlanningState};
use crate::state::step::{Step, StepStatus};
use crate::state::{Phase, State};
use std::sync::Arc;

impl State {
    pub(super) fn submitted(&mut self, submission: &Submission) -> FoldResult {
        self.legal(self.phase == Phase::Empty, "the task was already submitted")?;
        self.context = Context::new(submission.metadata.clone());
        if submission.flow.is_some() {
            self.context.open_scope("", Variables::default());
        }
        self.pin(&submission.contracts);
        self.goal = submission.brief.as_ref().map(|_| Box::default());
        self.submission = Some(Arc::new(submission.clone()));
        (self.phase, self.epoch) = (Phase::Planning, 1);
        Ok(())
    }

    pub(super) fn pin(&mut self, contracts: &[Contract]) {
        let pinned = contracts.iter().map(|c| (c.tool.clone(), Arc::new(c.clone())));
        self.contracts.extend(pinned);
    }

    pub(super) fn task_finished(
        &mut self,
        ending: &TaskEnding,
        result_of: &[StepId],
    ) -> FoldResult {
        self.legal(!self.is_over(), "the task has ended")?;
        self.legal(self.agenda.running() == 0, "calls are still running")?;
        self.legal(self.asks_that_count() == 0, "model calls are still running")?;
        let done = *ending != TaskEnding::Completed || self.agenda.unfinished == 0;
        self.legal(done, "steps have not ended")?;
        for step in self.steps.everywhere_mut().filter(|step| !step.status.is_final()) {
            if step.status != StepStatus::InDoubt {
                step.status = StepStatus::Cancelled;
            }
        }
        self.agenda.clear();
        self.questions.clear();
        self.result_of = result_of.to_vec();
        if *ending == TaskEnding::Completed {
            // A completed task is never reopened, so frames that failures left behind are not needed.
            let owners: Vec<StepIndex> = self.frames.keys().copied().collect();
            for owner in owners {
                self.frame_closed(owner);
            }
        }
        self.phase = Phase::Finished(ending.clone());
        Ok(())
    }

    pub(super) fn reopened(
        &mut self,
        epoch: u32,
        invalidated: &[StepId],
        contracts: &[Contract],
    ) -> FoldResult {
        let over = matches!(
            self.phase,
            Phase::Finished(TaskEnding::Failed { .. } | TaskEnding::Cancelled { .. })
        );
        self.legal(over, "only a failed or cancelled task can be reopened")?;
        self.legal(epoch == self.epoch + 1, "the epoch is not the next one")?;
        self.epoch = epoch;
        self.pin(contracts);
        for id in invalidated {
            let index = self.index(id)?;
            self.context.forget(index);
            self.new_generation(index);
            self.set_status(index, StepStatus::Init);
        }
        for step in self.steps.everywhere_mut().filter(|step| step.status != StepStatus::Success) {
            (step.retries, step.losses) = (0, 0);
            // A failed call of an agent stays failed: its model was told.
            let was_heard = step.plan.is_literal() && step.status == StepStatus::Error;
            if step.status != StepStatus::InDoubt && !was_heard {
                step.status = StepStatus::Init;
            }
        }
        let count = |of: &dyn Fn(&Step) -> bool| {
            u32::try_from(self.steps.iter().filter(|step| of(step)).count()).unwrap_or(u32::MAX)
        };
        let succeeded = |step: &Step| step.status == StepStatus::Success;
        self.given_up = count(&|step| step.dropped && !succeeded(step));
        self.succeeded = count(&succeeded);
        self.reopen_frames();
        self.count_unfinished();
        self.counters.consecutive_failures = 0;
        self.result_of.clear();
        (self.active_ms, self.time_is_up) = (0, false);
        self.phase = Phase::Executing;
        self.take_up_goal();
        self.requeue_all();
        self.doubts_again();
        Ok(())
    }

    /// Resumes a goal: with planning if there is no plan, otherwise with the steps that are left.
    fn take_up_goal(&mut self) {
        let has_plan = self.revision > 0 && self.steps.iter().any(|step| !step.dropped);
        // A reopened task has its whole budget again, as it has its whole time.
        self.ledger.renew_budget();
        let Some(goal_state) = self.goal.as_deref_mut() else { return };
        let planning = &mut goal_state.planning;
        let planning = PlanningState {
            strategy: planning.strategy,
            memories: planning.memories.take(),
            selection: planning.selection.take().filter(|chosen| chosen.rejected.is_none()),
            approved: planning.approved,
            ..PlanningState::default()
        };
        let asks = ModelCalls { made: goal_state.asks.made, ..ModelCalls::default() };
        let log = GoalLog { lines: std::mem::take(&mut goal_state.log.lines), told: 0 };
        *goal_state = GoalState { asks, log, planning, ..GoalState::default() };
        if !has_plan {
            self.phase = Phase::Planning;
        }
        for step in self.steps.iter_mut().filter(|step| step.dropped) {
            step.status = StepStatus::Skipped;
        }
        self.count_unfinished();
    }

    pub(super) fn doubts_again(&mut self) {
        let doubts = self.steps.everywhere().filter(|(_, step)| step.status == StepStatus::InDoubt);
        self.agenda.doubts.extend(doubts.map(|(index, _)| index));
    }
}
