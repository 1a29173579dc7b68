//! W4: one task of ten thousand steps, each reading the output of the one before.

use crate::chain;
use crate::report::FigureLine;
use crate::rig::{Stopwatch, disk_bytes, engine, folder, median, runtime};
use anyhow::ensure;
use praxis_core::ids::{QuestionId, TaskId};
use praxis_core::journal::question::QuestionAnswer;
use praxis_engine::arrival::TaskCommand;
use praxis_engine::engine::Engine;

const STEPS: usize = 10_000;
const PART: usize = 1000;

pub(crate) fn run(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let folder = folder()?;
    let tools = chain::tools();
    let request = chain::request(&tools, STEPS)?;
    let times = runtime()?.block_on(async {
        let engine = engine(folder.path(), tools)?;
        let mut events = engine.subscribe();
        let accepted = engine.submit(request).await?;
        let (mut times, mut watch) = (Vec::new(), Stopwatch::start());
        while times.len() < STEPS {
            if events.recv().await?.task == accepted.task {
                times.push(watch.seconds());
                watch = Stopwatch::start();
            }
        }
        engine.finished(&accepted.task).await;
        anyhow::Ok(times)
    })?;
    let (first, last) = (times.iter().take(PART), times.iter().skip(STEPS - PART));
    let ratio = median(last.copied()) / median(first.copied());
    emit(FigureLine::praxis("W4", "last_over_first", ratio).at_most(1.1));
    // The engine is dropped by now, and closing the database has checkpointed it.
    let disk = disk_bytes(folder.path())? / 1024.0 / STEPS as f64;
    emit(FigureLine::praxis("W4", "disk_kib_per_step", disk).at_most(1.0));
    read_in(emit)
}

/// Measures the time to load such a task into memory, from a snapshot and from its first event.
fn read_in(emit: &mut dyn FnMut(FigureLine)) -> anyhow::Result<()> {
    let folder = folder()?;
    let tools = chain::tools();
    let request = chain::waiting(&tools, STEPS)?;
    runtime()?.block_on(async {
        let engine = engine(folder.path(), tools)?;
        let task = engine.submit(request).await?.task;
        engine.finished(&task).await;
        let snapshots = folder.path().join("snapshots");
        let size = disk_bytes(&snapshots)? / 1024.0 / STEPS as f64;
        emit(FigureLine::praxis("W4", "snapshots_kib_per_step", size));
        emit(FigureLine::praxis("W4", "read_in_ms", woken(&engine, &task).await?));
        std::fs::remove_dir_all(snapshots)?;
        emit(FigureLine::praxis("W4", "read_in_whole_ms", woken(&engine, &task).await?));
        Ok(())
    })
}

/// Returns the median time of a command to a parked task: the task is loaded, rejects the unknown question and is
/// unloaded again.
async fn woken(engine: &Engine, task: &TaskId) -> anyhow::Result<f64> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let question = QuestionId::from("q_unknown");
        let answer = TaskCommand::Answer {
            question,
            answer: QuestionAnswer::Approve,
            by: "bench".to_owned(),
        };
        let watch = Stopwatch::start();
        ensure!(engine.command(task, answer).await.is_err(), "an unknown question was answered");
        times.push(watch.seconds() * 1000.0);
        engine.finished(task).await;
    }
    Ok(median(times))
}
