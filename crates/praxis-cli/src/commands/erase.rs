//! `praxis erase`: erases a task.

use crate::args_act::Erase;
use crate::context::{CliContext, runtime};
use crate::failure::CommandFailure;
use crate::send_order;
use praxis_engine::order::ClientOrder;
use std::io::BufRead;
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, erase: &Erase) -> Result<ExitCode, CommandFailure> {
    let task = context.task(&context.reader()?, &erase.which)?;
    if !erase.yes && !confirmed(context, task.as_str())? {
        return Ok(ExitCode::SUCCESS);
    }
    runtime()?.block_on(async {
        let done = send_order::order(context, &ClientOrder::Erase { task: task.clone() }).await?;
        // The logs of programs belong to the task, too; a missing folder is no error.
        let _ = std::fs::remove_dir_all(context.folder.logs().join(task.as_str()));
        note!("{}", context.say(format!("erased {task}"), format!("已删除 {task}")));
        if let Some(owner) = done.owner {
            send_order::leave(owner).await?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn confirmed(context: &CliContext, task: &str) -> Result<bool, CommandFailure> {
    if !context.interactive {
        return Err(CommandFailure::usage(
            "not_confirmed",
            ("erasing cannot be undone", "删除无法撤销"),
        ));
    }
    let (en, zh) = (format!("erase {task} for good? [y/N] "), format!("永久删除 {task}？[y/N] "));
    crate::say::print_note(&context.say(en, zh));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| {
        let words = (format!("cannot read the answer: {error}"), format!("无法读取回答：{error}"));
        CommandFailure::usage("not_confirmed", words)
    })?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
