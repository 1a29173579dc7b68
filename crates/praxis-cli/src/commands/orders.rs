//! `praxis cancel`, `resume`, `retry`: one order each.

use super::run::whoami;
use crate::args::Which;
use crate::args_act::{Cancel, Resume, Retry, With};
use crate::failure::Failure;
use crate::home::{Desk, runtime};
use crate::{inputs, office};
use praxis_core::ids::StepId;
use praxis_engine::order::Order;
use std::process::ExitCode;
use std::sync::Arc;

/// Stops a task.
pub(crate) fn cancel(desk: &Desk, cancel: &Cancel) -> Result<ExitCode, Failure> {
    let task = desk.task(&desk.reader()?, &cancel.which)?;
    runtime()?.block_on(async {
        let order =
            Order::Cancel { task: task.clone(), reason: cancel.reason.clone(), by: whoami() };
        let done = office::order(desk, &order).await?;
        // The order was to stop it, so a stopped task is a success.
        office::see_through(desk, done, &task).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Takes up what was interrupted.
pub(crate) fn resume(desk: &Desk, resume: &Resume) -> Result<ExitCode, Failure> {
    if resume.task.is_some() || resume.last {
        let which = Which { task: resume.task.clone(), last: resume.last };
        let task = desk.task(&desk.reader()?, &which)?;
        return carry_out(desk, &Order::Resume { task: Some(task) });
    }
    runtime()?.block_on(async {
        let done = office::order(desk, &Order::Resume { task: None }).await?;
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

/// Takes up a failed or cancelled task again.
pub(crate) fn retry(desk: &Desk, retry: &Retry) -> Result<ExitCode, Failure> {
    if retry.with == With::Original && !retry.tools.is_empty() {
        let words = (
            "--tools is for `--with current`; a task is retried with its own tools otherwise",
            "--tools 须与 `--with current` 同用；否则任务沿用其原有工具",
        );
        return Err(Failure::usage("usage", words).next((
            "add `--with current`, or leave --tools out",
            "加上 `--with current`，或去掉 --tools",
        )));
    }
    let reader = desk.reader()?;
    let task = desk.task(&reader, &retry.which)?;
    let is_left = !desk.folder.has_owner() && reader.runnable()?.contains(&task);
    let current = match retry.with {
        With::Original => None,
        With::Current => Some(Arc::new(inputs::toolbox(desk, &retry.tools)?)),
    };
    let from = retry.from.as_deref().map(StepId::from);
    let resume = format!("praxis resume {task}");
    let retried = carry_out(desk, &Order::Retry { task, from, current, by: whoami() });
    retried.map_err(|failure| {
        if !is_left || !failure.is("task_running") {
            return failure;
        }
        failure.next((
            format!("nobody drives it; `{resume}` takes it up"),
            format!("没有进程在推进它；`{resume}` 可接着执行"),
        ))
    })
}

/// Gets the order carried out and follows its task.
pub(crate) fn carry_out(desk: &Desk, order: &Order) -> Result<ExitCode, Failure> {
    runtime()?.block_on(async {
        let done = office::order(desk, order).await?;
        let Some(task) = done.receipt.tasks.first().cloned() else { return Ok(ExitCode::SUCCESS) };
        office::see_through(desk, done, &task).await
    })
}
