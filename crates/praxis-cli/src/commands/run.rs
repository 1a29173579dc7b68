//! `praxis run`: takes a plan in and drives it to its end.

use super::follow::Follower;
use crate::args::Run;
use crate::failure::{Exit, Failure};
use crate::home::{Desk, Owner, runtime};
use crate::inputs;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::intake::plan;
use praxis_core::journal::event::Options;
use praxis_core::time::parse_span_ms;
use praxis_engine::arrival::Command;
use praxis_engine::engine::Request;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) fn run(desk: &Desk, run: &Run) -> Result<ExitCode, Failure> {
    let request = request(desk, run)?;
    runtime()?.block_on(async {
        let owner = desk.own()?;
        recover(&owner).await?;
        let accepted = owner.engine.submit(request).await?;
        if accepted.replayed {
            eprintln!("the key belongs to {}, which is shown", accepted.task);
        }
        let code = drive(desk, &owner, &accepted.task).await?;
        finish_others(&owner).await?;
        Ok(code)
    })
}

fn request(desk: &Desk, run: &Run) -> Result<Request, Failure> {
    let document = inputs::plan(desk, run)?;
    let plan = plan::read(&document.value)
        .map_err(|problems| Failure::refused(problems, &document.name))?;
    let metadata = inputs::metadata(&document.value, run)?;
    let toolbox = Arc::new(inputs::toolbox(desk, run)?);
    let described = if plan.description.is_empty() { &document.name } else { &plan.description };
    Ok(Request {
        goal: described.clone(),
        plan,
        toolbox,
        metadata,
        options: options(desk, run)?,
        idempotency_key: run.idempotency_key.clone(),
        document: Some(document.text),
        tenant: Tenant::default(),
        parent: None,
    })
}

fn options(desk: &Desk, run: &Run) -> Result<Options, Failure> {
    let settings = &desk.settings.run;
    let given = run.timeout.as_deref().map(|text| {
        let span = parse_span_ms(text).filter(|ms| *ms > 0);
        span.ok_or_else(|| {
            Failure::usage("bad_span", format!("`--timeout {text}` is no span such as 10m"))
        })
    });
    Ok(Options {
        parallel_max_concurrent: settings.parallel_max_concurrent,
        parallel_min_steps: settings.parallel_min_steps,
        parallel: settings.parallel,
        task_timeout_ms: given.transpose()?.unwrap_or(settings.task_timeout_ms),
        on_wall: settings.on_wall.settle(desk.asks),
        on_unresolved: settings.on_unresolved,
        lang: desk.lang,
    })
}

async fn recover(owner: &Owner) -> Result<(), Failure> {
    let recovered = owner.engine.recover().await;
    let recovered = recovered
        .map_err(|error| Failure::new(Exit::Unreachable, "recovery_failed", error.to_string()))?;
    if !recovered.is_empty() {
        let ids: Vec<&str> = recovered.iter().map(TaskId::as_str).collect();
        eprintln!("recovered {} task(s): {}", ids.len(), ids.join(", "));
    }
    Ok(())
}

/// Follows the task; the first Ctrl-C cancels it, a second one leaves at once.
async fn drive(desk: &Desk, owner: &Owner, task: &TaskId) -> Result<ExitCode, Failure> {
    let mut follower = Follower::new(desk, 0)?;
    let mut news = owner.engine.subscribe();
    let engine = owner.engine.clone();
    let (cancelled, by) = (task.clone(), whoami());
    let interrupted = tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            let reason = "interrupted from the terminal".to_owned();
            let cancel = Command::Cancel { reason, by: by.clone() };
            if engine.command(&cancelled, cancel).await.is_err() {
                std::process::exit(i32::from(Exit::Cancelled as u8));
            }
        }
    });
    let followed = follower
        .follow(task, async || {
            // Lagging or closed, the journal has it all.
            let _ = news.recv().await;
        })
        .await;
    interrupted.abort();
    followed?;
    follower.conclude(task)
}

/// A process that leaves while a call of another task runs would put it in doubt.
async fn finish_others(owner: &Owner) -> Result<(), Failure> {
    let idle = owner.engine.idle().await;
    idle.map_err(|error| Failure::new(Exit::Unreachable, "journal_stopped", error.to_string()))
}

/// Who acts, for the record.
pub(crate) fn whoami() -> String {
    format!("cli:uid{}", nix::unistd::getuid())
}
