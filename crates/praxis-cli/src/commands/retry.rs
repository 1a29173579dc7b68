//! `praxis retry`: continues a failed or cancelled task with its pinned tools and flow, or with the current ones.

use super::orders::carry_out;
use super::run::whoami;
use crate::args_act::{RetryArgs, With};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::flow_files::sound;
use crate::{goal_request, inputs};
use praxis_adapters::sqlite::JournalReader;
use praxis_core::call::tool::Toolbox;
use praxis_core::flow::file::Bundle;
use praxis_core::ids::{StepId, TaskId};
use praxis_core::journal::event::Event;
use praxis_core::journal::submission::{FlowPin, StepModel, Submission};
use praxis_core::problem::Problem;
use praxis_engine::order::ClientOrder;
use praxis_engine::renew::RenewOrder;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Retries a failed or cancelled task.
pub(crate) fn run(context: &CliContext, retry: &RetryArgs) -> Result<ExitCode, CommandFailure> {
    if retry.with == With::Original {
        only_with_current(retry)?;
    }
    let reader = context.reader()?;
    let task = context.task(&reader, &retry.which)?;
    let is_left = !context.folder.has_owner() && reader.runnable()?.contains(&task);
    let order = match retry.with {
        With::Original => again(&task, retry, None),
        With::Current => as_it_is_now(context, &reader, &task, retry)?,
    };
    let resume = format!("praxis resume {task}");
    carry_out(context, &order).map_err(|failure| {
        if !is_left || !failure.is("task_running") {
            return failure;
        }
        failure.next((
            format!("no process is running it; run `{resume}` to continue it"),
            format!("没有进程在运行该任务；运行 `{resume}` 可恢复执行"),
        ))
    })
}

/// Refuses flags that have an effect only with `--with current`.
fn only_with_current(retry: &RetryArgs) -> Result<(), CommandFailure> {
    let flag = match (retry.tools.is_empty(), retry.flow.is_none() && retry.flows.is_empty()) {
        (true, true) => return Ok(()),
        (false, _) => "--tools",
        (true, false) => "--flow",
    };
    let words = (
        format!("{flag} requires `--with current`; otherwise the original tools and flow are used"),
        format!("{flag} 必须与 `--with current` 一起使用；否则沿用原来的工具和流程"),
    );
    Err(CommandFailure::usage("usage", words).next((
        format!("add `--with current`, or remove {flag}"),
        format!("加上 `--with current`，或去掉 {flag}"),
    )))
}

fn again(task: &TaskId, retry: &RetryArgs, current: Option<Arc<Toolbox>>) -> ClientOrder {
    let from = retry.from.as_deref().map(StepId::from);
    ClientOrder::Retry { task: task.clone(), from, current, by: whoami() }
}

/// Builds the order with the current tools; if the flow has changed, a `RenewOrder` with the current flow.
fn as_it_is_now(
    context: &CliContext,
    reader: &JournalReader,
    task: &TaskId,
    retry: &RetryArgs,
) -> Result<ClientOrder, CommandFailure> {
    let toolbox = Arc::new(inputs::toolbox(context, &retry.tools)?);
    let first = reader.entries(task, 0)?.into_iter().next().map(|entry| entry.event);
    let Some(Event::TaskSubmitted(submission)) = first else {
        return Ok(again(task, retry, Some(toolbox)));
    };
    let Some(pin) = &submission.flow else {
        return match &retry.flow {
            None => Ok(again(task, retry, Some(toolbox))),
            Some(_) => Err(no_flow()),
        };
    };
    let flow = flow_now(pin, retry, &toolbox)?;
    if flow.version() == pin.version {
        return Ok(again(task, retry, Some(toolbox)));
    }
    note!(
        "{}",
        context.say(
            "the flow has changed: continuing as a new task that keeps the finished, unchanged steps",
            "流程已改变：将作为新任务继续，保留已完成且未改动的步骤",
        )
    );
    let (task, from) = (task.clone(), retry.from.as_deref().map(StepId::from));
    let step_model = step_model(context, &submission);
    let renew = RenewOrder { task, flow, toolbox, step_model, from, by: whoami() };
    Ok(ClientOrder::Renew(Box::new(renew)))
}

/// Returns a model for a task that was submitted without one, because the changed flow may need it.
fn step_model(context: &CliContext, submission: &Submission) -> Option<Box<StepModel>> {
    match submission.step_model {
        Some(_) => None,
        None => goal_request::step_model(context, None, None).ok().flatten(),
    }
}

/// Reads the current version of the flow from its file.
fn flow_now(pin: &FlowPin, retry: &RetryArgs, toolbox: &Toolbox) -> Result<Bundle, CommandFailure> {
    let known = pin.source.as_ref().filter(|_| retry.flow.is_none());
    let file = retry.flow.clone().or_else(|| known.map(|source| PathBuf::from(&source.file)));
    let Some(file) = file else { return Err(nowhere(&pin.name)) };
    let folders = known.into_iter().flat_map(|source| &source.folders).map(PathBuf::from);
    let folders: Vec<PathBuf> = retry.flows.iter().cloned().chain(folders).collect();
    let read = sound(&file, &folders, toolbox).map_err(|failure| {
        if failure.exit != Exit::NotFound {
            return failure;
        }
        failure.next((
            "give the flow file with `--flow FILE`, or keep the original flow with `--with original`",
            "用 `--flow FILE` 指定流程文件，或用 `--with original` 沿用原来的流程",
        ))
    });
    read.map(|(files, _)| files.bundle())
}

fn no_flow() -> CommandFailure {
    let words = ("the task did not run a flow", "该任务执行的不是流程");
    CommandFailure::usage("flow_changed", words).next(("remove --flow", "去掉 --flow"))
}

/// Refusal for a task without a `FlowSource`, such as one that a program submitted.
fn nowhere(name: &str) -> CommandFailure {
    let words = (
        format!("the task did not record which file the flow `{name}` came from"),
        format!("任务没有记录流程 `{name}` 来自哪个文件"),
    );
    let next = ("give the flow file with `--flow FILE`", "用 `--flow FILE` 指定流程文件");
    let problem = Problem::new("flow_changed", "", words).next(next);
    CommandFailure { exit: Exit::Usage, problems: vec![problem] }
}
