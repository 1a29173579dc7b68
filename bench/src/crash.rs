//! W5: `kill -9` in the middle of W1, then a restart.

use crate::report::FigureLine;
use crate::rig::{Stopwatch, engine, folder, runtime};
use crate::{chain, child};
use anyhow::{Context, ensure};
use praxis_adapters::sqlite::JournalReader;
use praxis_core::ids::{StepId, TaskId};
use praxis_core::journal::event::Event;
use praxis_core::state::{State, TaskStatus};
use praxis_testkit::tools::ScriptedTools;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// Tasks that are acknowledged before the kill.
const ACKNOWLEDGED: usize = 500;

pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let folder = folder()?;
    let acknowledged = run_and_kill(folder.path())?;
    let done = finished_steps(folder.path(), &acknowledged)?;
    let told = child::run("recover", folder.path())?;
    let called: BTreeSet<(TaskId, StepId)> =
        serde_json::from_value(told.get("called").cloned().unwrap_or_default())?;
    let twice = called.intersection(&done).count();
    let finished = acknowledged.iter().filter(|task| is_completed(folder.path(), task)).count();
    emit(FigureLine::praxis("W5", "steps_run_twice", twice as f64).at_most(0.0));
    emit(
        FigureLine::praxis("W5", "tasks_finished", finished as f64)
            .at_least(acknowledged.len() as f64),
    );
    let seconds = told.get("seconds").and_then(Value::as_f64).context("no time was told")?;
    emit(FigureLine::praxis("W5", "recover_s", seconds).at_most(0.5));
    emit(FigureLine::praxis("W5", "steps_taken_up", called.len() as f64));
    Ok(())
}

/// Kills the child after `ACKNOWLEDGED` tasks and returns all tasks that it acknowledged.
fn run_and_kill(folder: &Path) -> anyhow::Result<Vec<TaskId>> {
    let mut child = child::start("submit", folder)?;
    let lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let mut tasks = Vec::new();
    for line in lines {
        tasks.push(TaskId::from(line?));
        if tasks.len() == ACKNOWLEDGED {
            // `kill` sends SIGKILL. Tasks printed before it arrives count too.
            child.kill()?;
        }
    }
    ensure!(tasks.len() >= ACKNOWLEDGED, "the child ended by itself");
    child.wait()?;
    Ok(tasks)
}

fn finished_steps(folder: &Path, tasks: &[TaskId]) -> anyhow::Result<BTreeSet<(TaskId, StepId)>> {
    let reader = JournalReader::open(&folder.join("praxis.db"))?;
    let mut done = BTreeSet::new();
    for task in tasks {
        for entry in reader.entries(task, 0)? {
            if let Event::StepFinished { step, .. } = entry.event {
                done.insert((task.clone(), step));
            }
        }
    }
    Ok(done)
}

fn is_completed(folder: &Path, task: &TaskId) -> bool {
    let entries =
        JournalReader::open(&folder.join("praxis.db")).ok().and_then(|r| r.entries(task, 0).ok());
    let state = entries.and_then(|entries| State::replay(&entries).ok());
    state.is_some_and(|state| state.status() == TaskStatus::Completed)
}

/// Submits tasks in an endless loop, 64 at a time, and prints the id of each acknowledged one.
pub(crate) fn submit(folder: &Path) -> anyhow::Result<Value> {
    runtime()?.block_on(async {
        let tools = chain::tools();
        let engine = engine(folder, tools.clone())?;
        let request = chain::request(&tools, chain::STEPS)?;
        let worker = || async {
            loop {
                let accepted = engine.submit(request.clone()).await?;
                writeln!(std::io::stdout(), "{}", accepted.task)?;
                engine.finished(&accepted.task).await;
            }
        };
        futures::future::try_join_all((0..chain::TASKS_AT_ONCE).map(|_| worker()))
            .await
            .map(|_: Vec<()>| Value::Null)
    })
}

/// Resumes the unfinished tasks and measures the time from the start of the engine to the end of the last task.
pub(crate) fn recover(folder: &Path) -> anyhow::Result<Value> {
    let watch = Stopwatch::start();
    let tools = ScriptedTools::default().answering(chain::manifest(), chain::add_one);
    runtime()?.block_on(async {
        let engine = engine(folder, tools.clone())?;
        engine.recover().await?;
        engine.idle().await?;
        let seconds = watch.seconds();
        let calls = tools.calls();
        let called: Vec<(TaskId, StepId)> =
            calls.into_iter().map(|call| (call.task, call.step)).collect();
        anyhow::Ok(json!({"seconds": seconds, "called": called}))
    })
}
