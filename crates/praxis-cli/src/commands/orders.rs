//! `praxis cancel` and `resume`: one order each.

use super::run::whoami;
use crate::args::TaskChoice;
use crate::args_act::{Cancel, Resume};
use crate::failure::CommandFailure;
use crate::home::{CliContext, runtime};
use crate::office;
use praxis_engine::order::ClientOrder;
use std::process::ExitCode;

/// Stops a task.
pub(crate) fn cancel(desk: &CliContext, cancel: &Cancel) -> Result<ExitCode, CommandFailure> {
    let task = desk.task(&desk.reader()?, &cancel.which)?;
    runtime()?.block_on(async {
        let order =
            ClientOrder::Cancel { task: task.clone(), reason: cancel.reason.clone(), by: whoami() };
        let done = office::order(desk, &order).await?;
        // The order was to stop it, so a stopped task is a success.
        office::see_through(desk, done, &task).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Takes up what was interrupted.
pub(crate) fn resume(desk: &CliContext, resume: &Resume) -> Result<ExitCode, CommandFailure> {
    if resume.task.is_some() || resume.last {
        let which = TaskChoice { task: resume.task.clone(), last: resume.last };
        let task = desk.task(&desk.reader()?, &which)?;
        return carry_out(desk, &ClientOrder::Resume { task: Some(task) });
    }
    runtime()?.block_on(async {
        let done = office::order(desk, &ClientOrder::Resume { task: None }).await?;
        match done.receipt.tasks.as_slice() {
            [] => note!("{}", desk.say("nothing is left to take up", "没有需要继续的任务")),
            tasks => office::tell_recovered(desk, tasks),
        }
        if let Some(owner) = done.owner {
            office::leave(owner).await?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Gets the order carried out and follows its task.
pub(crate) fn carry_out(
    desk: &CliContext,
    order: &ClientOrder,
) -> Result<ExitCode, CommandFailure> {
    runtime()?.block_on(async {
        let done = office::order(desk, order).await?;
        let Some(task) = done.receipt.tasks.first().cloned() else { return Ok(ExitCode::SUCCESS) };
        office::see_through(desk, done, &task).await
    })
}
