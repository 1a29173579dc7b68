//! `praxis watch`: follows a task that another process drives.

use super::follow::Follower;
use crate::args::{Show, Watch};
use crate::context::{CliContext, runtime};
use crate::failure::{CommandFailure, Exit};
use praxis_core::ids::TaskId;
use praxis_core::problem::Bilingual;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

/// Interval of the checks for an owner.
const LOOK_FOR_OWNER: Duration = Duration::from_millis(250);
/// Number of checks in a row that must find no owner: one owner may just be replacing another.
const MISSED: u32 = 6;

pub(crate) fn run(context: &CliContext, watch: &Watch) -> Result<ExitCode, CommandFailure> {
    let task = context.task(&context.reader()?, &watch.which)?;
    // A person can resume the task elsewhere and keep watching here; a script would wait forever.
    let stays = context.show_progress && std::io::stdout().is_terminal();
    runtime()?.block_on(async {
        let mut follower = Follower::new(context, watch.from)?;
        let mut told = false;
        loop {
            tokio::select! {
                followed = follower.follow(&task, std::future::pending) => {
                    followed?;
                    follower.tell_the_rest(&task).await?;
                    return follower.conclude(&task);
                }
                () = nobody_drives(context, told) => {
                    if !stays {
                        return Err(left(&task));
                    }
                    follower.remark(undriven(&task).tell(context.lang).to_owned());
                    told = true;
                }
                // Ctrl-C stops watching, not the task.
                _ = tokio::signal::ctrl_c() => return Ok(ExitCode::SUCCESS),
            }
        }
    })
}

/// Resolves once the folder has had no owner for a while. If that is `known`, waits until an owner came and left
/// again.
async fn nobody_drives(context: &CliContext, known: bool) {
    let mut missed = if known { MISSED } else { 0 };
    loop {
        tokio::time::sleep(LOOK_FOR_OWNER).await;
        let before = missed;
        missed = if context.folder.has_owner() { 0 } else { missed.saturating_add(1) };
        if before < MISSED && missed >= MISSED {
            return;
        }
    }
}

/// Failure for scripts: no process drives the task.
fn left(task: &TaskId) -> CommandFailure {
    let words = (format!("no process is running {task}"), format!("没有进程在运行 {task}"));
    let next = format!("run `praxis resume {task}` to continue and follow it");
    let failure = CommandFailure::new(Exit::Unreachable, "task_undriven", words);
    failure.next((next, format!("运行 `praxis resume {task}` 可恢复执行并跟踪")))
}

/// The same message as one line for a person.
fn undriven(task: &TaskId) -> Bilingual {
    let en = format!("no process is running {task}; run `praxis resume {task}` to continue it");
    (en, format!("没有进程在运行 {task}；运行 `praxis resume {task}` 可恢复执行")).into()
}

/// Prints a note if the shown task is runnable and no process drives it.
pub(crate) fn warn_if_undriven(context: &CliContext, show: &Show) -> Result<(), CommandFailure> {
    if show.at.is_some() || context.folder.has_owner() {
        return Ok(());
    }
    let reader = context.reader()?;
    let task = context.task(&reader, &show.which)?;
    if reader.runnable()?.contains(&task) {
        note!("{}", undriven(&task).tell(context.lang));
    }
    Ok(())
}
