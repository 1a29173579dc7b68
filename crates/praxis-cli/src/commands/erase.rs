//! `praxis erase`: forgets a task.

use crate::args_act::Erase;
use crate::failure::Failure;
use crate::home::{Desk, runtime};
use crate::office;
use praxis_engine::order::Order;
use std::io::BufRead;
use std::process::ExitCode;

pub(crate) fn run(desk: &Desk, erase: &Erase) -> Result<ExitCode, Failure> {
    let task = desk.task(&desk.reader()?, &erase.which)?;
    if !erase.yes && !confirmed(desk, task.as_str())? {
        return Ok(ExitCode::SUCCESS);
    }
    runtime()?.block_on(async {
        let done = office::order(desk, &Order::Erase { task: task.clone() }).await?;
        // What programs said belongs to the task too; that it has none is no error.
        let _ = std::fs::remove_dir_all(desk.folder.logs().join(task.as_str()));
        note!("{}", desk.say(format!("erased {task}"), format!("已删除 {task}")));
        if let Some(owner) = done.owner {
            office::leave(owner).await?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn confirmed(desk: &Desk, task: &str) -> Result<bool, Failure> {
    if !desk.asks {
        return Err(Failure::usage("not_confirmed", ("erasing cannot be undone", "删除无法撤销")));
    }
    let (en, zh) = (format!("erase {task} for good? [y/N] "), format!("永久删除 {task}？[y/N] "));
    crate::say::print_note(&desk.say(en, zh));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| {
        let words = (format!("no answer can be read: {error}"), format!("无法读取回答：{error}"));
        Failure::usage("not_confirmed", words)
    })?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
