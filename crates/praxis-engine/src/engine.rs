//! The `Engine`: its parts, its subscriptions, and erasing. [`submit`](crate::submit) accepts tasks,
//! [`wake`](crate::wake) loads them into memory, [`driver`](crate::driver) drives each.

use crate::arrival::CommandError;
use crate::arrival::CommandRefusal;
use crate::held_blobs::HeldBlobs;
use crate::library_cache::LibraryCache;
use crate::roster::{BusyGuard, DriverRoster};
use crate::seams::{
    BlobError, Blobs, Clock, ConnectTools, ErasableJournal, Experiences, IntakeLimits, Journal,
    Models, Snapshots,
};
use crate::stopped::DriverStopped;
use crate::tools::ReadyTools;
use crate::work_pool::WorkPool;
use praxis_core::ask::purpose::Purpose;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::tokens::TokenCounter;
use praxis_core::ids::{StepId, TaskId};
use praxis_core::journal::event::Entry;
use praxis_core::planner::Planner;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Messages that a subscriber may lag behind before it has to read the journal.
const BUS: usize = 4096;

/// Creates a new task id.
pub type NewId = Box<dyn Fn() -> TaskId + Send + Sync>;
/// Receives a warning about a task.
pub type Warn = Box<dyn Fn(&TaskId, &str) + Send + Sync>;

/// The seams and settings that an engine is built from.
pub struct EngineParts {
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// The journal's operation to erase tasks.
    pub eraser: Arc<dyn ErasableJournal>,
    /// The store of large values.
    pub blobs: Arc<dyn Blobs>,
    /// The store of snapshots of long tasks.
    pub snapshots: Arc<dyn Snapshots>,
    /// The number of events from which on snapshots of a task are kept; zero disables them.
    pub snapshot_after: u64,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The connector that makes tool manifests callable.
    pub connect: Arc<dyn ConnectTools>,
    /// The models, by name.
    pub models: Arc<dyn Models>,
    /// The token counter.
    pub tokens: Arc<dyn TokenCounter>,
    /// The planner that works without a model.
    pub planner: Arc<dyn Planner>,
    /// The store of experiences of finished tasks.
    pub experiences: Arc<dyn Experiences>,
    /// The generator of task ids.
    pub new_id: NewId,
    /// The name of this engine in the journal.
    pub name: String,
    /// The receiver of warnings.
    pub warn: Warn,
    /// The wait before an append to a full disk is retried, in milliseconds.
    pub full_disk_wait_ms: u64,
    /// The limits on accepting tasks.
    pub intake_limits: IntakeLimits,
}

/// Drives tasks. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<EngineInner>,
}

pub(crate) struct EngineInner {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) blobs: Arc<HeldBlobs>,
    pub(crate) snapshots: Arc<dyn Snapshots>,
    pub(crate) snapshot_after: u64,
    eraser: Arc<dyn ErasableJournal>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) full_disk_wait_ms: u64,
    pub(crate) intake_limits: IntakeLimits,
    pub(crate) tools: ReadyTools,
    pub(crate) models: Arc<dyn Models>,
    pub(crate) tokens: Arc<dyn TokenCounter>,
    pub(crate) planner: Arc<dyn Planner>,
    pub(crate) experiences: Arc<dyn Experiences>,
    pub(crate) shelf: LibraryCache,
    pub(crate) workroom: WorkPool,
    pub(crate) new_id: NewId,
    pub(crate) name: String,
    warn: Warn,
    pub(crate) roster: Arc<DriverRoster>,
    bus: broadcast::Sender<Arc<PublishedEntries>>,
    voice: broadcast::Sender<Arc<LiveText>>,
}

/// A piece of live text. It reaches the current subscribers only and is not stored.
#[derive(Clone, Debug)]
pub struct LiveText {
    /// The task that the text belongs to.
    pub task: TaskId,
    /// The source of the text.
    pub by: LiveTextSource,
    /// The text, or a change of its status.
    pub delta: Delta,
}

/// The source of live text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveTextSource {
    /// A model call of the goal.
    Ask {
        /// The number of the model call.
        ask: u32,
        /// The `Purpose` of the call.
        purpose: Purpose,
    },
    /// A step whose output is shown to the user.
    Step {
        /// The step.
        step: StepId,
        /// The attempt.
        attempt: u32,
    },
}

/// Entries of one task that have just become durable.
#[derive(Clone, Debug)]
pub struct PublishedEntries {
    /// The task that the entries belong to.
    pub task: TaskId,
    /// The entries, in order.
    pub entries: Vec<Entry>,
}

impl Engine {
    /// Creates an engine that drives no task yet.
    pub fn new(parts: EngineParts) -> Self {
        let blobs = Arc::new(HeldBlobs::new(parts.blobs));
        let tools = ReadyTools::new(parts.connect, Arc::clone(&blobs) as Arc<dyn Blobs>);
        let inner = EngineInner {
            journal: parts.journal,
            eraser: parts.eraser,
            snapshots: parts.snapshots,
            snapshot_after: parts.snapshot_after,
            blobs,
            clock: parts.clock,
            full_disk_wait_ms: parts.full_disk_wait_ms,
            intake_limits: parts.intake_limits,
            tools,
            models: parts.models,
            tokens: parts.tokens,
            planner: parts.planner,
            experiences: parts.experiences,
            shelf: LibraryCache::default(),
            workroom: WorkPool::default(),
            new_id: parts.new_id,
            name: parts.name,
            warn: parts.warn,
            roster: Arc::new(DriverRoster::new()),
            bus: broadcast::Sender::new(BUS),
            voice: broadcast::Sender::new(BUS),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Erases a task that has ended: its entries, its snapshots, its experience, and the blobs that only it
    /// referenced.
    pub async fn erase(&self, task: &TaskId) -> Result<(), CommandError> {
        // The seat is held to the end: nobody can load the task meanwhile.
        let Some(mut seat) = self.seated(task) else { return Err(CommandRefusal::Running.into()) };
        self.read_in(&mut seat).await?;
        if !seat.state.status().is_final() {
            return Err(CommandRefusal::Running.into());
        }
        // Snapshots and the experience go before the entries: once the entries are gone, an erase that failed halfway
        // cannot be repeated.
        let forgotten = self.inner.snapshots.forget(task).await;
        let forgotten = forgotten.and_then(|()| self.inner.experiences.forget(task));
        forgotten.map_err(|why| CommandRefusal::Stopped(BlobError::Store(why).into()))?;
        let orphans = self.inner.eraser.erase(task.clone(), self.inner.clock.now()).await;
        let orphans = orphans.map_err(|error| CommandRefusal::Stopped(error.into()))?;
        self.inner.tools.forget(&orphans);
        let removed = self.inner.blobs.remove_unheld(&orphans).await;
        removed.map_err(|error| CommandRefusal::Stopped(error.into()).into())
    }

    /// Returns a new task id.
    pub(crate) fn new_task(&self) -> TaskId {
        (self.inner.new_id)()
    }

    /// Returns a guard; the engine is not idle while it lives.
    pub fn busy(&self) -> BusyGuard {
        self.inner.roster.busy()
    }

    /// Returns the cache of ready tools.
    pub(crate) fn tools(&self) -> &ReadyTools {
        &self.inner.tools
    }

    /// Subscribes to all entries that become durable from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<PublishedEntries>> {
        self.inner.bus.subscribe()
    }

    /// Subscribes to the live text of models and steps from now on.
    pub fn listen(&self) -> broadcast::Receiver<Arc<LiveText>> {
        self.inner.voice.subscribe()
    }

    /// Waits until the task is no longer in memory: it ended, or only a person can move it.
    pub async fn finished(&self, task: &TaskId) {
        if let Some(inbox) = self.inner.roster.inbox(task) {
            inbox.closed().await;
        }
    }

    /// Waits until the driver of the task stops early, and returns the reason. Never resolves otherwise.
    pub async fn given_up(&self, task: &TaskId) -> DriverStopped {
        self.finished(task).await;
        match self.inner.roster.why_given_up(task) {
            Some(stopped) => stopped,
            None => std::future::pending().await,
        }
    }

    /// Waits until no task is in memory and no order is being carried out, or until the journal broke.
    pub async fn idle(&self) -> Result<(), DriverStopped> {
        self.inner.roster.idle().await
    }
}

impl EngineInner {
    pub(crate) fn publish(&self, task: &TaskId, entries: Vec<Entry>) {
        // A send without subscribers is not an error.
        let _ = self.bus.send(Arc::new(PublishedEntries { task: task.clone(), entries }));
    }

    pub(crate) fn speak(&self, spoken: LiveText) {
        if self.voice.receiver_count() > 0 {
            let _ = self.voice.send(Arc::new(spoken));
        }
    }

    /// Warns that the disk is full, and waits before the next attempt.
    pub(crate) async fn wait_for_room(&self, task: &TaskId) {
        self.warn(task, "the disk is full; the task waits for room");
        self.clock.sleep_until(self.clock.now().plus_ms(self.full_disk_wait_ms)).await;
    }

    pub(crate) fn warn(&self, task: &TaskId, words: &str) {
        tracing::warn!(%task, "{words}");
        (self.warn)(task, words);
    }
}
