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

/// How often it looks whether somebody drives the task.
const LOOK_FOR_OWNER: Duration = Duration::from_millis(250);
/// So many times in a row nobody must be there: owners come and go.
const MISSED: u32 = 6;

pub(crate) fn run(context: &CliContext, watch: &Watch) -> Result<ExitCode, CommandFailure> {
    let task = context.task(&context.reader()?, &watch.which)?;
    // A person can take the task up elsewhere and go on looking here; a script would wait for ever.
    let stays = context.draws && std::io::stdout().is_terminal();
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
                // Looking away changes nothing for the task.
                _ = tokio::signal::ctrl_c() => return Ok(ExitCode::SUCCESS),
            }
        }
    })
}

/// Ends when nobody has driven the folder's tasks for a while; if that is known, when it is so again.
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

/// Why it leaves, for a script.
fn left(task: &TaskId) -> CommandFailure {
    let words = (format!("nobody drives {task}"), format!("没有进程在推进 {task}"));
    let next = format!("`praxis resume {task}` takes it up and follows it");
    let failure = CommandFailure::new(Exit::Unreachable, "task_undriven", words);
    failure.next((next, format!("`praxis resume {task}` 可接着执行并跟踪")))
}

/// The same in one line, for a person.
fn undriven(task: &TaskId) -> Bilingual {
    let en = format!("nobody drives {task}; `praxis resume {task}` takes it up");
    (en, format!("没有进程在推进 {task}；`praxis resume {task}` 可接着执行")).into()
}

/// Says so if a task that is shown would run if somebody drove it.
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
