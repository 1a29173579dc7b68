//! A pool for work that needs no model and may take long: a bounded number of blocking threads.
//!
//! - in: the state of a task, and its pinned tools and library
//! - out: the `WorkResult` of core
//! - never: blocks a thread that drives tasks, or continues cancelled work

use crate::stopped::DriverStopped;
use crate::tools::PinnedTools;
use praxis_core::ask::tokens::TokenCounter;
use praxis_core::dataflow::resolve::LoadedBlobs;
use praxis_core::decide::work::{WorkResult, work};
use praxis_core::effect::WorkKind;
use praxis_core::inputs::Inputs;
use praxis_core::library::Library;
use praxis_core::planner::{Cancelled, Planner};
use praxis_core::state::State;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A pool with as many slots as there are cores.
pub(crate) struct WorkPool(Arc<Semaphore>);

impl Default for WorkPool {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(cores)))
    }
}

impl WorkPool {
    /// Runs a piece of work.
    pub(crate) async fn run_piece(
        &self,
        piece: Box<WorkPiece>,
    ) -> Result<WorkResult, DriverStopped> {
        self.run(move || piece.worked()).await
    }

    /// Waits for a free slot, and runs a closure on a blocking thread.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, DriverStopped> {
        let permit = Arc::clone(&self.0).acquire_owned().await;
        let permit = permit.map_err(|error| DriverStopped::Work(error.to_string()))?;
        let ran = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        ran.await.map_err(|error| DriverStopped::Work(error.to_string()))
    }
}

/// A handle that cancels the work when it is dropped.
pub(crate) struct CancelOnDrop(pub(crate) Arc<Cancelled>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Background work that is under way.
pub(crate) struct WorkUnderWay {
    /// The sequence number of the task when the work started.
    pub(crate) seq: u64,
    pub(crate) _wish: CancelOnDrop,
}

/// A piece of work, with all its inputs.
pub(crate) struct WorkPiece {
    pub(crate) job: WorkKind,
    pub(crate) state: State,
    pub(crate) tools: PinnedTools,
    pub(crate) library: Option<Arc<Library>>,
    pub(crate) tokens: Arc<dyn TokenCounter>,
    pub(crate) planner: Arc<dyn Planner>,
    pub(crate) cancelled: Arc<Cancelled>,
}

impl WorkPiece {
    fn worked(&self) -> WorkResult {
        if self.cancelled.is_cancelled() {
            return WorkResult::default();
        }
        let inputs = Inputs {
            blobs: &LoadedBlobs::new(),
            tools: &self.tools,
            library: self.library.as_deref(),
            tokens: &*self.tokens,
            planner: &*self.planner,
            cancelled: &self.cancelled,
        };
        work(&self.state, self.job, &inputs)
    }
}
