//! Measures the makespan on the real clock, with a durable journal on a real disk.

use super::ideal;
use super::plan::{SleepFn, request, tools};
use super::workflow::{Task, TimedWorkflow};
use crate::rig::{self, Stopwatch, durable, folder, runtime};
use anyhow::ensure;
use praxis_core::ids::StepId;
use praxis_engine::engine::Engine;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The result of a run on the real clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealTimeRun {
    /// Makespan over reference, measured from the moment the task is durable.
    pub(crate) ratio: f64,
    /// Makespan over that of an ideal scheduler with the real durations of the steps: on a busy machine a sleep takes
    /// longer than requested.
    pub(crate) own: f64,
    /// Time to submit the plan, in milliseconds; not part of the makespan.
    pub(crate) submit_ms: f64,
}

type Slept = Arc<Mutex<BTreeMap<StepId, f64>>>;

/// Runs a workflow with its reference scaled to `seconds`.
pub(crate) fn run(workflow: &TimedWorkflow, seconds: f64) -> anyhow::Result<RealTimeRun> {
    let (runtime, slept) = (runtime()?, Slept::default());
    let tools = tools(sleep(&slept));
    let (submitted, passed) = runtime.block_on(async {
        let folder = folder()?;
        let engine = Engine::new(durable(folder.path(), tools.clone())?);
        let request = request(workflow, seconds / workflow.reference, &tools)?;
        let intake = Stopwatch::start();
        let accepted = engine.submit(request).await?;
        let (submitted, makespan) = (intake.seconds(), Stopwatch::start());
        engine.finished(&accepted.task).await;
        anyhow::Ok((submitted, makespan.seconds()))
    })?;
    let slept = slept.lock().unwrap_or_else(PoisonError::into_inner);
    let once = slept.len() == workflow.tasks.len() && tools.calls().len() == slept.len();
    ensure!(once, "not every step of {} ran once", workflow.name);
    let really = |task: &Task| {
        let runtime = slept.get(task.id.as_str()).copied().unwrap_or_default();
        Task { runtime, ..task.clone() }
    };
    let tasks: Vec<Task> = workflow.tasks.iter().map(really).collect();
    let (ratio, own) = (passed / seconds, passed / ideal::makespan(&tasks));
    Ok(RealTimeRun { ratio, own, submit_ms: submitted * 1000.0 })
}

/// Returns a sleep function that records the real duration of each step.
fn sleep(slept: &Slept) -> SleepFn {
    let slept = Arc::clone(slept);
    Arc::new(move |step, duration| {
        let slept = Arc::clone(&slept);
        Box::pin(async move {
            let watch = Stopwatch::start();
            // If the sleeping thread panicked, the step is missing in the count.
            if rig::sleep(duration).await {
                let mut slept = slept.lock().unwrap_or_else(PoisonError::into_inner);
                slept.insert(step, watch.seconds());
            }
        })
    })
}
