//! One task in memory: its state, its pinned tools and texts, and how large values come and go.
//! [`drive`](crate::drive) moves it.

use crate::arrival::Arrival;
use crate::engine::EngineInner;
use crate::large::{self, BlobRoom};
use crate::roster::DriverSeat;
use crate::seams::{self, TaskOpening, TaskRow};
use crate::snapshots::SnapshotKeeping;
use crate::stop::StopSignal;
use crate::stopped::DriverStopped;
use crate::tools::PinnedTools;
use crate::unstored_blobs::UnstoredBlobs;
use crate::work_pool::WorkUnderWay;
use praxis_core::call::tool::Contract;
use praxis_core::dataflow::resolve::{LoadedBlobs, is_large};
use praxis_core::ids::{BlobId, TaskId, ToolId};
use praxis_core::inputs::Inputs;
use praxis_core::journal::event::Event;
use praxis_core::library::Library;
use praxis_core::payload::Payload;
use praxis_core::planner::UNCANCELLED;
use praxis_core::state::{State, TaskStatus};
use praxis_core::time::Timestamp;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// One task in memory.
pub(crate) struct TaskDriver {
    pub(crate) engine: Arc<EngineInner>,
    pub(crate) task: TaskId,
    pub(crate) state: State,
    pub(crate) tools: PinnedTools,
    pub(crate) inbox: mpsc::Receiver<Arrival>,
    /// For the calls to send their outcomes.
    pub(crate) outbox: mpsc::Sender<Arrival>,
    /// The pinned texts of a goal.
    pub(crate) library: Option<Arc<Library>>,
    /// The steps of the plan that a model is writing, as far as they are whole.
    pub(crate) heard: (u32, Vec<Value>),
    /// Which of the running calls are to stop.
    pub(crate) stop: watch::Sender<StopSignal>,
    /// The first append of a task that is not taken in yet.
    pub(crate) opening: Option<TaskOpening>,
    /// The blobs that it names.
    pub(crate) unstored: Option<Box<UnstoredBlobs>>,
    /// Work that is under way beside everything else.
    pub(crate) working: Option<WorkUnderWay>,
    pub(crate) keeping: SnapshotKeeping,
    /// Nobody else drives the task while this lives.
    pub(crate) seat: DriverSeat,
}

impl TaskDriver {
    pub(crate) fn inputs<'a>(&'a self, blobs: &'a LoadedBlobs) -> Inputs<'a> {
        let library = self.library.as_deref();
        let (tokens, planner) = (&*self.engine.tokens, &*self.engine.planner);
        Inputs { blobs, tools: &self.tools, library, tokens, planner, cancelled: &UNCANCELLED }
    }

    /// Blobs as the task sees them.
    fn blobs(&self) -> &dyn seams::Blobs {
        self.unstored.as_ref().map_or(&*self.engine.blobs, |unstored| &**unstored)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.engine.clock.now().max(self.state.at)
    }

    /// Brings back the texts that a goal was pinned to.
    pub(crate) async fn read_library(&mut self) -> Result<(), DriverStopped> {
        if let (None, Some(brief)) = (&self.library, self.state.brief()) {
            self.library = Some(self.engine.shelf.library(self.blobs(), brief).await?);
        }
        Ok(())
    }

    pub(crate) async fn load(&self, ids: Vec<BlobId>) -> Result<LoadedBlobs, DriverStopped> {
        let mut blobs = LoadedBlobs::new();
        for id in ids {
            let value = large::read(self.blobs(), &id).await?;
            blobs.insert(id, Arc::new(value));
        }
        Ok(blobs)
    }

    /// Moves a large value to a blob before it is journaled.
    pub(crate) async fn spill(&mut self, mut event: Event) -> Result<Event, DriverStopped> {
        if let Event::ToolsSelected { contracts, .. } = &event {
            self.pin(contracts).await?;
        }
        let always = matches!(event, Event::AskStarted { .. });
        for bulk in event.bulk() {
            let Payload::Json(value) = bulk else { continue };
            if !always && !is_large(value) {
                continue;
            }
            // A task that is not taken in yet is refused rather than kept waiting.
            let waits = BlobRoom::Awaited(&self.engine, &self.task);
            let room = self.opening.as_ref().map_or(waits, |_| BlobRoom::Needed);
            let value = std::mem::take(value);
            *bulk = large::store(self.blobs(), value, room).await?;
        }
        Ok(event)
    }

    /// Makes the chosen tools ready to be called.
    async fn pin(&mut self, contracts: &[Contract]) -> Result<(), DriverStopped> {
        let Some(library) = &self.library else { return Ok(()) };
        let wanted: Vec<&ToolId> = contracts.iter().map(|contract| &contract.tool).collect();
        let pinned = self.engine.tools.pin(&library.catalog, &wanted).await;
        self.tools.extend(pinned.map_err(|error| DriverStopped::Unwritable(error.to_string()))?);
        Ok(())
    }
}

/// What lists and start-up know of a task.
pub(crate) fn row(state: &State) -> TaskRow {
    let (done, total) = state.progress();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let status = state.status();
    TaskRow {
        status,
        waits_for: state.waits_for().filter(|_| status == TaskStatus::Waiting).map(str::to_owned),
        wake_at: state.alarm(),
        open_questions: count(state.questions.len()),
        epoch: state.epoch,
        done: count(done),
        total: count(total),
    }
}
