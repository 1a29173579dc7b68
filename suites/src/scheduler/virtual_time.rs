//! Measures the makespan in virtual time, in which only the steps take time.

use super::ideal;
use super::plan::{request, tools};
use super::workflow::{Task, TimedWorkflow};
use anyhow::ensure;
use praxis_core::state::TaskStatus;
use praxis_testkit::world::EngineWorld;
use std::sync::Arc;
use tokio::time::Instant;

/// The reference makespan to which every workflow is scaled, so that rounding to milliseconds hardly matters.
const MILLISECONDS: f64 = 1e10;

/// Maximum relative distance of the makespan from the reference. The reference ranks by floats, in which equally long
/// chains differ in their last bits; the engine sees whole milliseconds, a tie, and uses the order of the plan.
pub const TOLERANCE: f64 = 1e-4;

/// The result of a run in virtual time.
#[derive(Clone, Copy, Debug)]
pub struct VirtualTimeRun {
    /// The makespan in milliseconds.
    pub ms: f64,
    /// The makespan of a scheduler without overhead for the same run times.
    pub ideal_ms: f64,
    /// The makespan over the reference in the data.
    pub ratio: f64,
}

impl VirtualTimeRun {
    /// Returns true if the engine added no time, to the millisecond.
    pub fn is_exact(&self) -> bool {
        (self.ms - self.ideal_ms).abs() < 0.5
    }

    /// Returns true if the makespan is that of the data, within [`TOLERANCE`].
    pub fn is_near(&self) -> bool {
        (self.ratio - 1.0).abs() <= TOLERANCE
    }
}

/// Runs a workflow in virtual time, over an in-memory journal.
pub fn run(workflow: &TimedWorkflow) -> anyhow::Result<VirtualTimeRun> {
    let stretched = stretched(workflow);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let ms = runtime.block_on(async {
        let sleep = Arc::new(|_, duration| Box::pin(tokio::time::sleep(duration)) as _);
        let world = EngineWorld::new(tools(sleep));
        let request = request(&stretched, 0.001, &world.tools)?;
        let start = Instant::now();
        let accepted = world.engine.submit(request).await?;
        world.engine.finished(&accepted.task).await;
        let passed = start.elapsed().as_secs_f64();
        let status = world.settle(&accepted.task).await.status();
        ensure!(status == TaskStatus::Completed, "the task is {}", status.word());
        anyhow::Ok((passed * 1000.0).round())
    })?;
    Ok(VirtualTimeRun { ms, ideal_ms: ideal::makespan(&stretched.tasks), ratio: ms / MILLISECONDS })
}

/// Scales a workflow to `MILLISECONDS`, with run times in whole milliseconds.
fn stretched(workflow: &TimedWorkflow) -> TimedWorkflow {
    let scale = MILLISECONDS / workflow.reference;
    let task = |task: &Task| Task { runtime: (task.runtime * scale).round(), ..task.clone() };
    let tasks = workflow.tasks.iter().map(task).collect();
    TimedWorkflow { name: workflow.name.clone(), tasks, reference: MILLISECONDS }
}
