//! Room for work that needs no model and may take long: threads that may block, for a few pieces at a time.
//!
//! - in: a task as it is, and what it is pinned to
//! - out: what core made of it
//! - never: keeps a thread busy that drives tasks, or goes on with what nobody wants any more

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

/// The room: as many pieces of work at a time as there are cores.
pub(crate) struct WorkPool(Arc<Semaphore>);

impl Default for WorkPool {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(cores)))
    }
}

impl WorkPool {
    /// Does a piece of work.
    pub(crate) async fn done(&self, piece: Box<WorkPiece>) -> Result<WorkResult, DriverStopped> {
        self.run(move || piece.worked()).await
    }

    /// Waits for room, and runs something on a thread that may block.
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

/// The wish that work is done. When it is dropped, the work is cancelled.
pub(crate) struct WorkWish(pub(crate) Arc<Cancelled>);

impl Drop for WorkWish {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Work that is under way beside everything else.
pub(crate) struct WorkUnderWay {
    /// The last entry of the task when it began.
    pub(crate) seq: u64,
    pub(crate) _wish: WorkWish,
}

/// A piece of work, with everything that it looks at.
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
