//! Retries a failed or cancelled task, in a new epoch.

use crate::arrival::CommandError;
use crate::arrival::CommandRefusal;
use crate::driver::TaskDriver;
use crate::engine::Engine;
use crate::refused::{OrderRefused, RefusedKind, no_step};
use crate::submit::SubmitError;
use praxis_core::call::tool::Contract;
use praxis_core::call::tool::Toolbox;
use praxis_core::ids::{StepId, TaskId, ToolId};
use praxis_core::journal::event::Event;
use praxis_core::problem::Problem;
use praxis_core::recover::keep_done::invalidated;
use praxis_core::state::{State, TaskStatus};
use std::sync::Arc;

/// The parameters of a retry.
pub(crate) struct RetryOrder {
    /// The first step to run again, as a new effect, with all steps after it.
    pub(crate) from: Option<StepId>,
    /// The current tools, to replace those that the task is pinned to.
    pub(crate) current: Option<Arc<Toolbox>>,
    /// The person who retries the task.
    pub(crate) by: String,
}

impl Engine {
    /// Reopens the task. When this returns, that is durable and the task is driven.
    pub(crate) async fn retry(&self, task: &TaskId, retry: RetryOrder) -> Result<(), OrderRefused> {
        let running = || CommandError::from(CommandRefusal::Running);
        let mut driver = self.seated(task).ok_or_else(running)?;
        self.read_in(&mut driver).await?;
        can_be_reopened(&driver.state)?;
        let contracts = match &retry.current {
            Some(toolbox) => self.repin(&mut driver, toolbox).await?,
            None => vec![],
        };
        if let Some(from) =
            retry.from.as_ref().filter(|id| driver.state.step(id.as_str()).is_none())
        {
            return Err(OrderRefused::new(RefusedKind::NotFound, no_step(from)));
        }
        let invalidated = invalidated(&driver.state, retry.from.as_ref(), &contracts);
        let epoch = driver.state.epoch + 1;
        let reopened = Event::TaskReopened { epoch, invalidated, contracts, by: retry.by };
        Ok(self.drive(driver, vec![reopened]).await?)
    }

    /// Pins the current tools in the driver; returns the contracts that differ from those the task is pinned to.
    async fn repin(
        &self,
        driver: &mut TaskDriver,
        toolbox: &Toolbox,
    ) -> Result<Vec<Contract>, OrderRefused> {
        let wanted: Vec<&ToolId> = driver.state.contracts.keys().collect();
        driver.tools = self.tools().pin(toolbox, &wanted).await.map_err(SubmitError::Tool)?;
        let was = |now: &Contract| driver.state.contract(&now.tool);
        let changed = |now: &Contract| was(now).is_none_or(|then| **then != *now);
        Ok(driver.tools.contracts().into_iter().filter(changed).collect())
    }
}

pub(crate) fn can_be_reopened(state: &State) -> Result<(), OrderRefused> {
    let problem = match state.status() {
        TaskStatus::Failed | TaskStatus::Cancelled => return Ok(()),
        TaskStatus::Completed => {
            Problem::new("task_completed", "", ("the task is already completed", "任务已完成"))
        }
        _ => Problem::new("task_running", "", ("the task has not ended", "任务尚未结束")),
    };
    Err(OrderRefused::new(RefusedKind::Invalid, problem))
}
