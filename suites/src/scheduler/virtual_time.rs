//! The makespan when nothing but the steps themselves takes time.

use super::ideal;
use super::plan::{request, tools};
use super::workflow::{Task, TimedWorkflow};
use anyhow::ensure;
use praxis_core::state::TaskStatus;
use praxis_testkit::world::EngineWorld;
use std::sync::Arc;
use tokio::time::Instant;

/// Every workflow is stretched to this, so that the clock's milliseconds hardly matter.
const MILLISECONDS: f64 = 1e10;

/// How far the makespan may be from the reference. That one ranks by floats, in which chains that are
/// equally long differ in their last bits; the engine sees whole milliseconds, a tie, and goes by the
/// plan's order.
pub const TOLERANCE: f64 = 1e-4;

/// What came of a run in virtual time.
#[derive(Clone, Copy, Debug)]
pub struct VirtualTimeRun {
    /// The makespan.
    pub ms: f64,
    /// What a scheduler that costs nothing needs for the same milliseconds.
    pub ideal_ms: f64,
    /// The makespan over the reference of the data.
    pub ratio: f64,
}

impl VirtualTimeRun {
    /// Whether the engine cost nothing, to the millisecond.
    pub fn is_exact(&self) -> bool {
        (self.ms - self.ideal_ms).abs() < 0.5
    }

    /// Whether the makespan is that of the data.
    pub fn is_near(&self) -> bool {
        (self.ratio - 1.0).abs() <= TOLERANCE
    }
}

/// Runs a workflow in virtual time, over a journal in memory.
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

/// The workflow in whole milliseconds.
fn stretched(workflow: &TimedWorkflow) -> TimedWorkflow {
    let scale = MILLISECONDS / workflow.reference;
    let task = |task: &Task| Task { runtime: (task.runtime * scale).round(), ..task.clone() };
    let tasks = workflow.tasks.iter().map(task).collect();
    TimedWorkflow { name: workflow.name.clone(), tasks, reference: MILLISECONDS }
}
