//! `praxis diff`, `praxis replay` and `praxis export`: views of recorded tasks.

use super::follow::blob;
use super::recorded;
use crate::args::{Diff, Export, TaskChoice};
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::say::print_out;
use crate::view::text::{Paint, short};
use praxis_adapters::sqlite::JournalReader;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::Entry;
use praxis_core::replay::ReplayError;
use praxis_core::state::State;
use praxis_core::view::account::Accounts;
use praxis_core::view::compare::compare;
use praxis_core::view::history::history;
use std::process::ExitCode;

fn load(
    context: &CliContext,
    reader: &JournalReader,
    which: &TaskChoice,
) -> Result<(Vec<Entry>, State), CommandFailure> {
    let entries = reader.entries(&context.task(reader, which)?, 0)?;
    let state = State::replay(&entries).map_err(CommandFailure::illegal)?;
    Ok((entries, state))
}

/// Compares two tasks. The exit code is 0 even if they differ.
pub(crate) fn diff(context: &CliContext, diff: &Diff) -> Result<ExitCode, CommandFailure> {
    let reader = context.reader()?;
    let (left, right) = pair(context, &reader, diff)?;
    let accounts =
        |task: &TaskId| Accounts::read(&reader.entries(task, 0)?).map_err(CommandFailure::illegal);
    let differences = compare(&accounts(&left)?, &accounts(&right)?);
    let paint = Paint(context.colors);
    if context.json {
        for difference in &differences {
            out!("{}", serde_json::to_string(difference).unwrap_or_default());
        }
        return Ok(ExitCode::SUCCESS);
    }
    out!("{} {left}\n{} {right}", paint.red("-"), paint.green("+"));
    for difference in &differences {
        let step = difference.step.as_ref().map(|step| format!("{step}: ")).unwrap_or_default();
        out!("{step}{}", paint.bold(&difference.what));
        out!("  {} {}", paint.red("-"), short(&difference.left, 160));
        out!("  {} {}", paint.green("+"), short(&difference.right, 160));
    }
    if differences.is_empty() {
        out!("{}", context.say("no differences", "没有差别"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the two tasks to compare: two given ones, a given one and the last, or the last fork and its parent.
fn pair(
    context: &CliContext,
    reader: &JournalReader,
    diff: &Diff,
) -> Result<(TaskId, TaskId), CommandFailure> {
    let named =
        |task: &str| context.task(reader, &TaskChoice { task: Some(task.to_owned()), last: false });
    let last = || context.task(reader, &TaskChoice { task: None, last: true });
    match (diff.tasks.as_slice(), diff.last) {
        ([left, right], false) => Ok((named(left)?, named(right)?)),
        ([left], true) => Ok((named(left)?, last()?)),
        ([], true) => {
            let fork = last()?;
            let state =
                State::replay(&reader.entries(&fork, 0)?).map_err(CommandFailure::illegal)?;
            let parent = state.submission.as_ref().and_then(|s| s.parent.as_ref());
            let none = || {
                let words = (
                    "the last task is not a fork",
                    "最近的任务不是派生任务（用 `praxis fork` 创建的任务）",
                );
                CommandFailure::usage("usage", words)
                    .next(("give a task to compare it with", "请再给出一个要比较的任务"))
            };
            Ok((parent.map(|parent| parent.task.clone()).ok_or_else(none)?, fork))
        }
        _ => {
            let words = (
                "give two tasks, or one task and --last, or only --last if the last task is a fork",
                "请给出两个任务，或一个任务和 --last；若最近的任务是派生任务，可只给 --last",
            );
            Err(CommandFailure::usage("usage", words))
        }
    }
}

/// Prints the execution history as Markdown, or the journal entries as JSON lines.
pub(crate) fn export(context: &CliContext, export: &Export) -> Result<ExitCode, CommandFailure> {
    let reader = context.reader()?;
    let entries = reader.entries(&context.task(&reader, &export.which)?, 0)?;
    if export.md {
        let accounts = Accounts::read(&entries).map_err(CommandFailure::illegal)?;
        print_out(&history(&entries, &accounts, context.lang));
        return Ok(ExitCode::SUCCESS);
    }
    State::replay(&entries).map_err(CommandFailure::illegal)?;
    for entry in &entries {
        out!("{}", serde_json::to_string(entry).unwrap_or_default());
    }
    Ok(ExitCode::SUCCESS)
}

/// Replays the decisions of a task.
pub(crate) fn replay(context: &CliContext, which: &TaskChoice) -> Result<ExitCode, CommandFailure> {
    let (entries, _) = load(context, &context.reader()?, which)?;
    let same = recorded::decided_anew(&entries, |id| blob(context, id).ok());
    let same = same.map_err(|error| {
        if let (true, ReplayError::Diverged(divergence)) = (context.json, &error) {
            out!("{}", serde_json::to_string(divergence).unwrap_or_default());
        }
        recorded::failure(&error)
    })?;
    if context.json {
        out!("{}", serde_json::to_string(&same).unwrap_or_default());
    } else {
        out!(
            "{}{}",
            context.say("no divergence: ", "与记录一致："),
            recorded::told_same(context, same)
        );
    }
    Ok(ExitCode::SUCCESS)
}
