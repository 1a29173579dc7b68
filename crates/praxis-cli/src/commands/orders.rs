//! `praxis cancel` and `praxis resume`, each a single `ClientOrder`.

use super::run::whoami;
use crate::args::TaskChoice;
use crate::args_act::{Cancel, Resume};
use crate::context::{CliContext, runtime};
use crate::failure::CommandFailure;
use crate::send_order;
use praxis_engine::order::ClientOrder;
use std::process::ExitCode;

/// Cancels a task.
pub(crate) fn cancel(context: &CliContext, cancel: &Cancel) -> Result<ExitCode, CommandFailure> {
    let task = context.task(&context.reader()?, &cancel.which)?;
    runtime()?.block_on(async {
        let order =
            ClientOrder::Cancel { task: task.clone(), reason: cancel.reason.clone(), by: whoami() };
        let done = send_order::order(context, &order).await?;
        // The order was to stop the task, so a stopped task is a success.
        send_order::see_through(context, done, &task).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Resumes one interrupted task, or all of them.
pub(crate) fn resume(context: &CliContext, resume: &Resume) -> Result<ExitCode, CommandFailure> {
    if resume.task.is_some() || resume.last {
        let which = TaskChoice { task: resume.task.clone(), last: resume.last };
        let task = context.task(&context.reader()?, &which)?;
        return carry_out(context, &ClientOrder::Resume { task: Some(task) });
    }
    runtime()?.block_on(async {
        let done = send_order::order(context, &ClientOrder::Resume { task: None }).await?;
        match done.receipt.tasks.as_slice() {
            [] => note!("{}", context.say("no tasks to resume", "没有需要恢复执行的任务")),
            tasks => send_order::tell_recovered(context, tasks),
        }
        if let Some(owner) = done.owner {
            send_order::leave(owner).await?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Sends an order and follows its task.
pub(crate) fn carry_out(
    context: &CliContext,
    order: &ClientOrder,
) -> Result<ExitCode, CommandFailure> {
    runtime()?.block_on(async {
        let done = send_order::order(context, order).await?;
        let Some(task) = done.receipt.tasks.first().cloned() else { return Ok(ExitCode::SUCCESS) };
        send_order::see_through(context, done, &task).await
    })
}
