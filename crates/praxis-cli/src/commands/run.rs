//! `praxis run`: takes a plan in and sees it through.

use crate::args::Run;
use crate::failure::{Exit, Failure};
use crate::home::{Desk, runtime};
use crate::{inputs, office};
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::intake::plan;
use praxis_core::journal::event::Options;
use praxis_core::time::parse_span_ms;
use praxis_engine::order::Order;
use praxis_engine::submit::Request;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;

pub(crate) fn run(desk: &Desk, run: &Run) -> Result<ExitCode, Failure> {
    let order = Order::Run(Box::new(request(desk, run)?));
    runtime()?.block_on(async {
        if run.detach {
            return detach(desk, &order).await;
        }
        let done = office::order(desk, &order).await?;
        let Some(task) = done.receipt.tasks.first().cloned() else { return Ok(ExitCode::SUCCESS) };
        if done.receipt.replayed {
            let en = format!("the key belongs to {task}, which is shown");
            note!("{}", desk.say(en, format!("此键属于 {task}，以下为该任务")));
        }
        let watch = tokio::spawn(cancel_on_interrupt(desk.folder.control_socket(), task.clone()));
        let code = office::see_through(desk, done, &task).await;
        watch.abort();
        code
    })
}

fn request(desk: &Desk, run: &Run) -> Result<Request, Failure> {
    let document = inputs::plan(desk, run)?;
    let plan = plan::read(&document.value)
        .map_err(|problems| Failure::refused(problems, &document.name))?;
    let metadata = inputs::metadata(&document.value, run)?;
    let described = if plan.description.is_empty() { &document.name } else { &plan.description };
    Ok(Request {
        goal: described.clone(),
        plan,
        toolbox: Arc::new(inputs::toolbox(desk, &run.tools)?),
        metadata,
        options: options(desk, run)?,
        // Always a key: an order that was lost on its way can be sent again.
        idempotency_key: Some(run.idempotency_key.clone().unwrap_or_else(own_key)),
        document: Some(document.text),
        tenant: Tenant::default(),
        parent: None,
    })
}

fn own_key() -> String {
    praxis_adapters::ids::TaskIds::default().next().as_str().replacen("task_", "cli_", 1)
}

fn options(desk: &Desk, run: &Run) -> Result<Options, Failure> {
    let settings = &desk.settings.run;
    let given = run.timeout.as_deref().map(|text| {
        let span = parse_span_ms(text).filter(|ms| *ms > 0);
        span.ok_or_else(|| no_span(&format!("--timeout {text}")))
    });
    Ok(Options {
        parallel_max_concurrent: settings.parallel_max_concurrent,
        parallel_min_steps: settings.parallel_min_steps,
        parallel: settings.parallel,
        task_timeout_ms: given.transpose()?.unwrap_or(settings.task_timeout_ms),
        on_wall: settings.on_wall.settle(desk.asks),
        on_unresolved: settings.on_unresolved,
        max_step_retries: settings.limits.cap(settings.max_step_retries, 3),
        max_consecutive_failures: settings.limits.cap(settings.max_consecutive_failures, 3),
        lang: desk.lang,
    })
}

/// Leaves the task with an owner in the background.
async fn detach(desk: &Desk, order: &Order) -> Result<ExitCode, Failure> {
    start_owner(desk)?;
    let receipt = office::order_elsewhere(desk, order).await?;
    for task in &receipt.tasks {
        out!("{task}");
        note!("{}praxis watch {task}", desk.say("  next    ", "  下一步  "));
    }
    Ok(ExitCode::SUCCESS)
}

/// Starts an owner; if there is one already, it leaves again at once.
fn start_owner(desk: &Desk) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let words = (
            format!("no owner can be started in the background: {error}"),
            format!("无法在后台启动所有者：{error}"),
        );
        Failure::new(Exit::Unreachable, "owner_not_started", words)
    };
    desk.folder.make()?;
    let log = std::fs::File::options().create(true).append(true).open(desk.folder.owner_log());
    let binary = std::env::current_exe().map_err(failed)?;
    let started = std::process::Command::new(binary)
        .args(["__owner", "--data"])
        .arg(desk.folder.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log.map_err(failed)?)
        .spawn();
    started.map(drop).map_err(failed)
}

/// The first Ctrl-C cancels the task, a second one leaves at once.
async fn cancel_on_interrupt(socket: std::path::PathBuf, task: TaskId) {
    let mut asked = false;
    while tokio::signal::ctrl_c().await.is_ok() {
        if asked {
            std::process::exit(i32::from(Exit::Cancelled as u8));
        }
        asked = true;
        let reason = "interrupted from the terminal".to_owned();
        let cancel = Order::Cancel { task: task.clone(), reason, by: whoami() };
        let socket = socket.clone();
        // A refusal means that the task ended meanwhile, which the follower sees too.
        tokio::spawn(async move { praxis_adapters::control::send(&socket, &cancel).await });
    }
}

/// A word that has to be a time.
pub(crate) fn no_span(word: &str) -> Failure {
    let words = (format!("`{word}` is no time above zero"), format!("`{word}` 不是大于零的时间"));
    Failure::usage("bad_span", words)
}

/// Who acts, for the record.
pub(crate) fn whoami() -> String {
    format!("cli:uid{}", nix::unistd::getuid())
}
