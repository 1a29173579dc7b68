//! The beginning, the end and the reopening of a task.

use super::Legal;
use crate::call::tool::Contract;
use crate::dataflow::context::{Context, StepIndex};
use crate::execute::step::Status;
use crate::ids::StepId;
use crate::journal::event::{Ending, Submission};
use crate::state::{Phase, State};
use std::sync::Arc;

impl State {
    pub(super) fn submitted(&mut self, submission: &Submission) -> Legal {
        self.legal(self.phase == Phase::Empty, "the task was submitted before")?;
        self.context = Context::new(submission.metadata.clone());
        self.pin(&submission.contracts);
        self.submission = Some(Arc::new(submission.clone()));
        (self.phase, self.epoch) = (Phase::Planning, 1);
        Ok(())
    }

    pub(super) fn pin(&mut self, contracts: &[Contract]) {
        let pinned = contracts.iter().map(|c| (c.tool.clone(), Arc::new(c.clone())));
        self.contracts.extend(pinned);
    }

    pub(super) fn task_finished(&mut self, ending: &Ending, result_of: &[StepId]) -> Legal {
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

    pub(super) fn reopened(
        &mut self,
        epoch: u32,
        invalidated: &[StepId],
        contracts: &[Contract],
    ) -> Legal {
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
        (self.agenda.unfinished, self.succeeded) = (0, 0);
        for step in &mut self.steps {
            if step.status == Status::Success {
                self.succeeded += 1;
                continue;
            }
            self.agenda.unfinished += 1;
            (step.retries, step.losses) = (0, 0);
            if step.status != Status::InDoubt {
                step.status = Status::Init;
            }
        }
        self.counters.consecutive_failures = 0;
        self.result_of.clear();
        (self.active_ms, self.time_is_up) = (0, false);
        self.phase = Phase::Executing;
        self.count_open_needs();
        self.queue_ready();
        self.doubts_again();
        Ok(())
    }

    pub(super) fn doubts_again(&mut self) {
        for (index, step) in self.steps.iter().enumerate() {
            if step.status == Status::InDoubt {
                self.agenda.doubts.insert(StepIndex(u32::try_from(index).unwrap_or(u32::MAX)));
            }
        }
    }
}
