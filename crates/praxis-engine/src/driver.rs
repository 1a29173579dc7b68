//! One task in memory: its state, its pinned tools and its `Library`, with loading and storing of large values.
//! [`drive`](crate::drive) contains the loop.

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
    /// The sender that running calls use to deliver their results.
    pub(crate) outbox: mpsc::Sender<Arrival>,
    /// The pinned `Library` of a goal.
    pub(crate) library: Option<Arc<Library>>,
    /// The number of the model call that is streaming a plan, and the complete steps so far.
    pub(crate) heard: (u32, Vec<Value>),
    /// The signal that stops running calls.
    pub(crate) stop: watch::Sender<StopSignal>,
    /// The opening of a task that is not accepted yet; taken by the first append.
    pub(crate) opening: Option<TaskOpening>,
    /// The blobs of a task that is not accepted yet; stored with the first append.
    pub(crate) unstored: Option<Box<UnstoredBlobs>>,
    /// Background work that is under way.
    pub(crate) working: Option<WorkUnderWay>,
    pub(crate) keeping: SnapshotKeeping,
    /// The exclusive right to drive the task.
    pub(crate) seat: DriverSeat,
}

impl TaskDriver {
    pub(crate) fn inputs<'a>(&'a self, blobs: &'a LoadedBlobs) -> Inputs<'a> {
        let library = self.library.as_deref();
        let (tokens, planner) = (&*self.engine.tokens, &*self.engine.planner);
        Inputs { blobs, tools: &self.tools, library, tokens, planner, cancelled: &UNCANCELLED }
    }

    /// Returns the blob store of the task, which includes blobs that are not stored yet.
    fn blobs(&self) -> &dyn seams::Blobs {
        self.unstored.as_ref().map_or(&*self.engine.blobs, |unstored| &**unstored)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.engine.clock.now().max(self.state.at)
    }

    /// Loads the `Library` that the goal is pinned to, if it is not loaded yet.
    pub(crate) async fn read_library(&mut self) -> Result<(), DriverStopped> {
        if let (None, Some(spec)) = (&self.library, self.state.goal_spec()) {
            self.library = Some(self.engine.shelf.library(self.blobs(), spec).await?);
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

    /// Moves large values of an event to blobs before it is journaled.
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
            // A task that is not accepted yet is refused instead of waiting for disk space.
            let waits = BlobRoom::Awaited(&self.engine, &self.task);
            let room = self.opening.as_ref().map_or(waits, |_| BlobRoom::Needed);
            let value = std::mem::take(value);
            *bulk = large::store(self.blobs(), value, room).await?;
        }
        Ok(event)
    }

    /// Pins the selected tools.
    async fn pin(&mut self, contracts: &[Contract]) -> Result<(), DriverStopped> {
        let Some(library) = &self.library else { return Ok(()) };
        let wanted: Vec<&ToolId> = contracts.iter().map(|contract| &contract.tool).collect();
        let pinned = self.engine.tools.pin(&library.catalog, &wanted).await;
        self.tools.extend(pinned.map_err(|error| DriverStopped::Unwritable(error.to_string()))?);
        Ok(())
    }
}

/// Returns the projection of a task for lists and for recovery at start.
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
