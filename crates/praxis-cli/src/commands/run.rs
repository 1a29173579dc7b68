//! `praxis run`: submits a goal or a plan and follows the task.

use crate::args_goal::{RunArgs, TaskArgs};
use crate::context::{CliContext, runtime};
use crate::failure::{CommandFailure, Exit};
use crate::goal_request::{self, GoalArgs};
use crate::{approval_args, examples, inputs, send_order};
use praxis_adapters::ids::TaskIds;
use praxis_core::document::DocumentFormat;
use praxis_core::goal::spec::PlanApproval;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::intake::plan;
use praxis_core::journal::options::RunOptions;
use praxis_core::problem::Problem;
use praxis_core::time::parse_span_ms;
use praxis_engine::order::ClientOrder;
use praxis_engine::submit::PlanRequest;
use serde_json::Value;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;

pub(crate) fn run(context: &CliContext, run: &RunArgs) -> Result<ExitCode, CommandFailure> {
    carry_through(context, &order(context, run)?, run.detach)
}

/// Submits a task and follows it to its end, or leaves it in the background.
pub(crate) fn carry_through(
    context: &CliContext,
    order: &ClientOrder,
    is_detached: bool,
) -> Result<ExitCode, CommandFailure> {
    runtime()?.block_on(async {
        if is_detached {
            return detach(context, order).await;
        }
        let done = send_order::order(context, order).await?;
        let Some(task) = done.receipt.tasks.first().cloned() else { return Ok(ExitCode::SUCCESS) };
        tell_replayed(context, &done, &task);
        let watch =
            tokio::spawn(cancel_on_interrupt(context.folder.control_socket(), task.clone()));
        let code = send_order::see_through(context, done, &task).await;
        watch.abort();
        code
    })
}

/// Prints a note if the idempotency key belongs to an earlier task.
pub(crate) fn tell_replayed(context: &CliContext, done: &send_order::OrderDone, task: &TaskId) {
    if done.receipt.replayed {
        let en = format!("the idempotency key already belongs to {task}; showing that task");
        note!("{}", context.say(en, format!("幂等键已属于 {task}，以下显示该任务")));
    }
}

fn order(context: &CliContext, run: &RunArgs) -> Result<ClientOrder, CommandFailure> {
    let example = run.example.as_deref().map(|name| examples::goal(context, name)).transpose()?;
    let typed = || goal_words(run).map(|words| (words, Value::Null));
    let Some((words, beside)) = example.or_else(typed) else {
        refuse_goal_flags(run)?;
        return Ok(ClientOrder::Run(Box::new(request(context, run)?)));
    };
    let all = run.yes || approval_args::allows_all(&run.given);
    let approval = match (run.review, all) {
        (true, _) => Some(PlanApproval::Review),
        (false, true) => Some(PlanApproval::Allow),
        (false, false) => None,
    };
    let wanted = GoalArgs {
        words: &words,
        beside: &beside,
        given: &run.given,
        pursuit: &run.pursuit,
        approval,
    };
    Ok(ClientOrder::Pursue(Box::new(goal_request::goal(context, &wanted)?)))
}

/// Returns the goal text, or `None` if a plan file was named.
fn goal_words(run: &RunArgs) -> Option<String> {
    let what = run.what.as_ref()?;
    let words = what.to_string_lossy();
    let is_word = !words.contains(char::is_whitespace);
    // A single word that looks like a path is a file that does not exist: no goal is written like that.
    let is_path = words.is_ascii()
        && (words.contains('/') || words.starts_with('.') || words.starts_with('~'));
    let is_named = DocumentFormat::of_name(&words).is_some() || is_path;
    let is_plan = what.exists() || (is_word && is_named);
    (!is_plan).then(|| words.into_owned())
}

/// Refuses flags that control planning: for a given plan they would have no effect.
fn refuse_goal_flags(run: &RunArgs) -> Result<(), CommandFailure> {
    let mut flags = run.pursuit.flags();
    flags.extend(run.review.then_some("--review"));
    flags.extend(run.yes.then_some("--yes"));
    if flags.is_empty() {
        return Ok(());
    }
    let flags = flags.join(", ");
    let words = (
        format!("{flags}: only for goals, but this is a plan"),
        format!("{flags}：只能用于目标，而这里是计划"),
    );
    let next = ("remove the flag, or describe a goal in words", "请去掉该选项，或用文字描述目标");
    Err(CommandFailure::usage("usage", words).next(next))
}

fn request(context: &CliContext, run: &RunArgs) -> Result<PlanRequest, CommandFailure> {
    let document = inputs::plan(run)?;
    if document.value.get("flow").is_some() && document.value.get("nodes").is_some() {
        return Err(is_flow(&document.name));
    }
    let plan = plan::read(&document.value)
        .map_err(|problems| CommandFailure::refused(problems, &document.name))?;
    let metadata = inputs::metadata(&document.value, &run.given)?;
    let described = if plan.description.is_empty() { &document.name } else { &plan.description };
    Ok(PlanRequest {
        goal: described.clone(),
        plan,
        toolbox: Arc::new(inputs::toolbox(context, &run.given.tools)?),
        metadata,
        options: options(context, &run.given)?,
        idempotency_key: Some(key(&run.given)),
        document: Some(document.text),
        tenant: Tenant::default(),
        parent: None,
        step_model: None,
        flow: None,
    })
}

/// Refusal for a flow file, which `praxis flow run` runs: that command can ask for missing inputs.
fn is_flow(name: &str) -> CommandFailure {
    let words = (format!("{name} is a flow, not a plan"), format!("{name} 是流程，不是计划"));
    let command = format!("praxis flow run {name}");
    CommandFailure::usage("flow_shape", words)
        .next((format!("run it with `{command}`"), format!("用 `{command}` 执行")))
}

/// Returns the idempotency key, generated if none was given, so that a lost order can be sent again.
pub(crate) fn key(given: &TaskArgs) -> String {
    let own = || TaskIds::default().next().as_str().replacen("task_", "cli_", 1);
    given.idempotency_key.clone().unwrap_or_else(own)
}

pub(crate) fn options(
    context: &CliContext,
    given: &TaskArgs,
) -> Result<RunOptions, CommandFailure> {
    let settings = &context.settings.run;
    let span = |flag: &str, text: Option<&str>| {
        let read = |text: &str| parse_span_ms(text).filter(|ms| *ms > 0);
        text.map(|text| read(text).ok_or_else(|| no_span(flag, text))).transpose()
    };
    let timeout = span("--timeout", given.timeout.as_deref())?;
    let answer_within = span("--answer-within", given.answer_within.as_deref())?;
    Ok(RunOptions {
        parallel_max_concurrent: settings.parallel_max_concurrent,
        parallel_min_steps: settings.parallel_min_steps,
        parallel: settings.parallel,
        task_timeout_ms: timeout.unwrap_or(settings.task_timeout_ms),
        on_wall: settings.on_wall.resolve(context.interactive),
        on_unresolved: settings.on_unresolved,
        max_step_retries: settings.limits.cap(settings.max_step_retries, 3),
        max_consecutive_failures: settings.limits.cap(settings.max_consecutive_failures, 3),
        answer_within_ms: answer_within.or(settings.answer_within_ms),
        unanswered: approval_args::unanswered(context, given)?,
        approval: approval_args::policy(context, given)?,
        lang: context.lang,
    })
}

/// Submits the task to an owner in the background.
async fn detach(context: &CliContext, order: &ClientOrder) -> Result<ExitCode, CommandFailure> {
    start_owner(context)?;
    let receipt = send_order::order_elsewhere(context, order).await?;
    for task in &receipt.tasks {
        out!("{task}");
        note!("{}praxis watch {task}", context.say("  next    ", "  下一步  "));
    }
    Ok(ExitCode::SUCCESS)
}

/// Starts a background owner; it exits at once if the folder already has an owner.
fn start_owner(context: &CliContext) -> Result<(), CommandFailure> {
    let failed = |error: std::io::Error| {
        let words = (
            format!("cannot start the owner process in the background: {error}"),
            format!("无法启动后台进程：{error}"),
        );
        CommandFailure::new(Exit::Unreachable, "owner_not_started", words)
    };
    context.folder.make()?;
    let log = std::fs::File::options().create(true).append(true).open(context.folder.owner_log());
    let binary = std::env::current_exe().map_err(failed)?;
    let started = std::process::Command::new(binary)
        .args([super::owner::NAME, "--data"])
        .arg(context.folder.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log.map_err(failed)?)
        .spawn();
    started.map(drop).map_err(failed)
}

/// Cancels the task on the first Ctrl-C and exits at once on the second.
pub(crate) async fn cancel_on_interrupt(socket: std::path::PathBuf, task: TaskId) {
    let mut asked = false;
    while tokio::signal::ctrl_c().await.is_ok() {
        if asked {
            std::process::exit(i32::from(Exit::Cancelled as u8));
        }
        asked = true;
        let reason = "interrupted from the terminal".to_owned();
        let cancel = ClientOrder::Cancel { task: task.clone(), reason, by: whoami() };
        let socket = socket.clone();
        // A refusal means that the task has ended meanwhile, which the follower sees too.
        tokio::spawn(async move { praxis_adapters::control::send(&socket, &cancel).await });
    }
}

/// Failure for a text that is not a duration above zero; `flag` is the option that it was given with, or empty.
pub(crate) fn no_span(flag: &str, word: &str) -> CommandFailure {
    let words = (
        format!("expected a duration above zero, got `{word}`"),
        format!("应为大于零的时长，实际为 `{word}`"),
    );
    CommandFailure::refused(vec![Problem::new("bad_span", flag, words)], "")
}

/// Returns the actor for the journal, such as `cli:uid1000`.
pub(crate) fn whoami() -> String {
    format!("cli:uid{}", nix::unistd::getuid())
}
