//! `praxis ps`: lists tasks.

use crate::args::Ps;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::goal_request::tag;
use crate::view::state_words::said;
use crate::view::text::{Paint, cut, enclosed, pad, task_mark};
use praxis_adapters::sqlite::JournalReader;
use praxis_adapters::sqlite::reader::{ListedTask, TaskFilter};
use praxis_core::journal::event::Event;
use praxis_core::lang::Lang;
use praxis_core::state::TaskStatus;
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, ps: &Ps) -> Result<ExitCode, CommandFailure> {
    let status = ps.status.as_deref().map(status).transpose()?;
    let tags = ps.tags.iter().map(|word| tag(word)).collect::<Result<Vec<_>, _>>()?;
    if !context.has_tasks()? {
        note!("{}", context.say("no tasks yet", "还没有任务"));
        return Ok(ExitCode::SUCCESS);
    }
    let listed = listed(&context.reader()?, status, (&tags, ps.most))?;
    let paint = Paint(context.colors);
    let runs = |status: TaskStatus| !status.is_final() && status != TaskStatus::Waiting;
    let is_left = listed.iter().any(|task| runs(task.status)) && !context.folder.has_owner();
    for task in listed {
        if context.json {
            out!("{}", serde_json::to_string(&task).unwrap_or_default());
            continue;
        }
        let lang = context.lang;
        let waits = task.waits_for.map(|what| match lang {
            Lang::En => format!(" ({what})"),
            Lang::Zh => enclosed(said(&what, lang), lang),
        });
        let (status, waits) = (said(task.status.word(), lang), waits.unwrap_or_default());
        let status = pad(&format!("{status}{waits}"), 18);
        let mark = task_mark(task.status, paint);
        let (steps, time) = (format!("{}/{}", task.done, task.total), task.updated_at);
        out!("{mark} {}  {status} {steps:>9}  {time}  {}", task.task, cut(&task.goal, 48));
    }
    if is_left {
        let en = "no process is running the unfinished tasks; run `praxis resume` to continue them";
        let zh = "没有进程在运行未完成的任务；运行 `praxis resume` 可恢复执行";
        note!("{}", context.say(en, zh));
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists the newest matching tasks. Tags are stored only in the journals, so each journal is read.
fn listed(
    reader: &JournalReader,
    status: Option<TaskStatus>,
    (tags, most): (&[(String, String)], u32),
) -> Result<Vec<ListedTask>, CommandFailure> {
    if tags.is_empty() {
        return Ok(reader.list(&TaskFilter { status, most })?);
    }
    let all = reader.list(&TaskFilter { status, most: u32::MAX })?;
    let is_tagged = |task: &ListedTask| {
        // An unreadable task matches no tag; `praxis show` reports its problem.
        let entries = reader.readable(&task.task, 0).map(|(entries, _)| entries);
        let first = entries.ok().and_then(|entries| entries.into_iter().next());
        let Some(Event::TaskSubmitted(submission)) = first.map(|entry| entry.event) else {
            return false;
        };
        tags.iter().all(|(key, value)| submission.tags.get(key) == Some(value))
    };
    Ok(all.into_iter().filter(is_tagged).take(most as usize).collect())
}

fn status(word: &str) -> Result<TaskStatus, CommandFailure> {
    TaskStatus::of_word(word).ok_or_else(|| {
        let words = TaskStatus::ALL.map(TaskStatus::word).join(", ");
        let en = format!("unknown status `{word}`; expected one of {words}");
        CommandFailure::usage("bad_status", (en, format!("未知状态 `{word}`；可选：{words}")))
    })
}
