//! Starts background work of a task: work that needs no model and may take long.
//!
//! - in: a `WorkKind` that core decided on
//! - out: its result, directly for a task that is not accepted yet, else as `Arrival::Worked`
//! - never: applies a result to a task that has changed since

use crate::arrival::Arrival;
use crate::driver::TaskDriver;
use crate::stopped::DriverStopped;
use crate::work_pool::{CancelOnDrop, WorkPiece, WorkUnderWay};
use praxis_core::decide::work::WorkResult;
use praxis_core::effect::WorkKind;
use praxis_core::library::Library;
use praxis_core::plan::two_stage::is_asked;
use praxis_core::planner::Cancelled;
use std::sync::Arc;

impl TaskDriver {
    /// Runs a piece of work and returns its result, for a task that is not accepted yet. Dropping the future cancels
    /// it.
    pub(crate) async fn work(&self, job: WorkKind) -> Result<WorkResult, DriverStopped> {
        let (piece, _wish) = self.piece(job);
        self.engine.workroom.run_piece(piece).await
    }

    /// Starts a piece of work; its result arrives in the inbox. Starts nothing twice for the same state.
    pub(crate) fn begin_work(&mut self, wanted: Option<WorkKind>) {
        let seq = self.state.seq;
        let Some(job) = wanted else {
            self.working = None;
            return;
        };
        if self.working.as_ref().is_some_and(|working| working.seq == seq) {
            return;
        }
        let (piece, wish) = self.piece(job);
        self.working = Some(WorkUnderWay { seq, _wish: wish });
        let (engine, outbox) = (Arc::clone(&self.engine), self.outbox.clone());
        tokio::spawn(async move {
            let result = engine.workroom.run_piece(piece).await;
            // A task that has left memory does not need it any more.
            let _ = outbox.send(Arrival::Worked { seq, result }).await;
        });
    }

    /// Builds the index of a large catalog on the work pool, for a task that was loaded: tool selection needs it.
    pub(crate) async fn index(&self) -> Result<(), DriverStopped> {
        let has_many =
            self.state.goal_spec().is_some_and(is_asked) && !self.state.status().is_final();
        let missing = |library: &Arc<Library>| has_many && !library.is_indexed();
        let Some(library) = self.library.clone().filter(missing) else { return Ok(()) };
        let planner = Arc::clone(&self.engine.planner);
        let make = move || {
            library.search(&*planner);
        };
        self.engine.workroom.run(make).await
    }

    /// Returns true if the result of work fits the current state of the task.
    pub(crate) fn awaits_work(&self, seq: u64) -> bool {
        let is_it = |working: &WorkUnderWay| working.seq == seq;
        self.state.seq == seq && self.working.as_ref().is_some_and(is_it)
    }

    fn piece(&self, job: WorkKind) -> (Box<WorkPiece>, CancelOnDrop) {
        let cancelled = Arc::new(Cancelled::default());
        let piece = WorkPiece {
            job,
            state: self.state.clone(),
            tools: self.tools.clone(),
            library: self.library.clone(),
            tokens: Arc::clone(&self.engine.tokens),
            planner: Arc::clone(&self.engine.planner),
            cancelled: Arc::clone(&cancelled),
        };
        (Box::new(piece), CancelOnDrop(cancelled))
    }
}
