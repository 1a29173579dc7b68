//! `praxis ps`: the tasks.

use crate::args::Ps;
use crate::failure::Failure;
use crate::home::Desk;
use crate::view::text::{Paint, cut, pad, task_mark};
use praxis_adapters::sqlite::reader::Filter;
use praxis_core::state::TaskStatus;
use std::process::ExitCode;

pub(crate) fn run(desk: &Desk, ps: &Ps) -> Result<ExitCode, Failure> {
    let status = ps.status.as_deref().map(status).transpose()?;
    if !desk.has_tasks()? {
        note!("{}", desk.say("no task yet", "还没有任务"));
        return Ok(ExitCode::SUCCESS);
    }
    let listed = desk.reader()?.list(&Filter { status, most: ps.most })?;
    let paint = Paint(desk.colors);
    let runs = |status: TaskStatus| !status.is_final() && status != TaskStatus::Waiting;
    let is_left = listed.iter().any(|task| runs(task.status)) && !desk.folder.has_owner();
    for task in listed {
        if desk.json {
            out!("{}", serde_json::to_string(&task).unwrap_or_default());
            continue;
        }
        let waits = task.waits_for.map(|what| format!(" ({what})")).unwrap_or_default();
        let status = pad(&format!("{}{waits}", task.status.word()), 18);
        let mark = task_mark(task.status, paint);
        let (steps, time) = (format!("{}/{}", task.done, task.total), task.updated_at);
        out!("{mark} {}  {status} {steps:>9}  {time}  {}", task.task, cut(&task.goal, 48));
    }
    if is_left {
        // Said of tasks that would run if somebody drove them.
        let en = "nobody drives the tasks that are executing; `praxis resume` takes them up";
        let zh = "没有进程在推进执行中的任务；`praxis resume` 可接着执行";
        note!("{}", desk.say(en, zh));
    }
    Ok(ExitCode::SUCCESS)
}

fn status(word: &str) -> Result<TaskStatus, Failure> {
    let all = [
        TaskStatus::Pending,
        TaskStatus::Planning,
        TaskStatus::Executing,
        TaskStatus::Waiting,
        TaskStatus::Completed,
        TaskStatus::Failed,
        TaskStatus::Cancelled,
    ];
    all.into_iter().find(|status| status.word() == word).ok_or_else(|| {
        let words = all.map(TaskStatus::word).join(", ");
        let en = format!("`{word}` is no status; there are {words}");
        Failure::usage("bad_status", (en, format!("没有状态 `{word}`；现有 {words}")))
    })
}
