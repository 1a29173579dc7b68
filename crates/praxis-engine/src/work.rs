//! Work of a task that needs no model and may take long, begun and taken up.
//!
//! - in: a job that core decided on
//! - out: what came of it, at once for a task that is not taken in yet, else as an arrival
//! - never: takes an outcome for a task that has moved on

use crate::arrival::Arrival;
use crate::driver::TaskDriver;
use crate::stopped::DriverStopped;
use crate::work_pool::{WorkPiece, WorkUnderWay, WorkWish};
use praxis_core::decide::work::WorkResult;
use praxis_core::effect::WorkKind;
use praxis_core::library::Library;
use praxis_core::plan::two_stage::is_asked;
use praxis_core::planner::Cancelled;
use std::sync::Arc;

impl TaskDriver {
    /// Does a piece of work at once, for a task that is not taken in yet. Whoever gives it up gives up the work.
    pub(crate) async fn work(&self, job: WorkKind) -> Result<WorkResult, DriverStopped> {
        let (piece, _wish) = self.piece(job);
        self.engine.workroom.done(piece).await
    }

    /// Begins a piece of work; what comes of it arrives. Nothing begins twice for the same state.
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
            let result = engine.workroom.done(piece).await;
            // A task that has left does not want it any more.
            let _ = outbox.send(Arrival::Worked { seq, result }).await;
        });
    }

    /// Makes the index of many tools aside, for a task that comes back into memory: answers about tools are read with it.
    pub(crate) async fn index(&self) -> Result<(), DriverStopped> {
        let has_many = self.state.brief().is_some_and(is_asked) && !self.state.status().is_final();
        let missing = |library: &Arc<Library>| has_many && !library.is_indexed();
        let Some(library) = self.library.clone().filter(missing) else { return Ok(()) };
        let planner = Arc::clone(&self.engine.planner);
        let make = move || {
            library.search(&*planner);
        };
        self.engine.workroom.run(make).await
    }

    /// True if an outcome of work is for the task as it is now.
    pub(crate) fn awaits_work(&self, seq: u64) -> bool {
        let is_it = |working: &WorkUnderWay| working.seq == seq;
        self.state.seq == seq && self.working.as_ref().is_some_and(is_it)
    }

    fn piece(&self, job: WorkKind) -> (Box<WorkPiece>, WorkWish) {
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
        (Box::new(piece), WorkWish(cancelled))
    }
}
