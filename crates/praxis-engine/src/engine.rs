//! The engine: what it is made of and what can be seen of it. [`submit`](crate::submit) takes tasks in,
//! [`wake`](crate::wake) brings them back into memory, [`driver`](crate::driver) drives each.

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

/// Batches that a subscriber may lag behind before it has to read the journal.
const BUS: usize = 4096;

/// Makes a new task id.
pub type NewId = Box<dyn Fn() -> TaskId + Send + Sync>;
/// Takes a warning about a task.
pub type Warn = Box<dyn Fn(&TaskId, &str) + Send + Sync>;

/// What an engine is made of.
pub struct EngineParts {
    /// Where facts are kept.
    pub journal: Arc<dyn Journal>,
    /// Where they are forgotten.
    pub forget: Arc<dyn ErasableJournal>,
    /// Where large values are kept.
    pub blobs: Arc<dyn Blobs>,
    /// Where states of long tasks are kept.
    pub snapshots: Arc<dyn Snapshots>,
    /// From how many events on a task is long; zero if none is.
    pub snapshot_after: u64,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// How manifests become callable.
    pub connect: Arc<dyn ConnectTools>,
    /// The models that can be asked.
    pub models: Arc<dyn Models>,
    /// Who counts tokens.
    pub tokens: Arc<dyn TokenCounter>,
    /// Who plans without a model.
    pub planner: Arc<dyn Planner>,
    /// Who hears what finished tasks taught.
    pub experiences: Arc<dyn Experiences>,
    /// New task ids.
    pub new_id: NewId,
    /// The name of this engine in the journal.
    pub name: String,
    /// Where warnings go.
    pub warn: Warn,
    /// How long a task waits before it tries a full disk again.
    pub full_disk_wait_ms: u64,
    /// How much is taken in.
    pub door: IntakeLimits,
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
    forget: Arc<dyn ErasableJournal>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) full_disk_wait_ms: u64,
    pub(crate) door: IntakeLimits,
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

/// Words as they come. Seen by whoever listens at that moment, and kept by nobody.
#[derive(Clone, Debug)]
pub struct LiveText {
    /// Which task.
    pub task: TaskId,
    /// Who speaks.
    pub by: LiveTextSource,
    /// What was said.
    pub delta: Delta,
}

/// Whose words they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveTextSource {
    /// Those of a model that was asked.
    Ask {
        /// Which call to a model.
        ask: u32,
        /// What for.
        errand: Purpose,
    },
    /// Those of a step, for the user.
    Step {
        /// Which.
        step: StepId,
        /// The attempt.
        attempt: u32,
    },
}

/// Entries of one task that have just become durable.
#[derive(Clone, Debug)]
pub struct PublishedEntries {
    /// Which task.
    pub task: TaskId,
    /// In order.
    pub entries: Vec<Entry>,
}

impl Engine {
    /// An engine that drives nothing yet.
    pub fn new(parts: EngineParts) -> Self {
        let blobs = Arc::new(HeldBlobs::new(parts.blobs));
        let tools = ReadyTools::new(parts.connect, Arc::clone(&blobs) as Arc<dyn Blobs>);
        let inner = EngineInner {
            journal: parts.journal,
            forget: parts.forget,
            snapshots: parts.snapshots,
            snapshot_after: parts.snapshot_after,
            blobs,
            clock: parts.clock,
            full_disk_wait_ms: parts.full_disk_wait_ms,
            door: parts.door,
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

    /// Forgets a task that has ended: its facts, and the blobs that only it needed.
    pub async fn erase(&self, task: &TaskId) -> Result<(), CommandError> {
        // Held to the end, so that nobody takes the task up meanwhile.
        let Some(mut seat) = self.seated(task) else { return Err(CommandRefusal::Running.into()) };
        self.read_in(&mut seat).await?;
        if !seat.state.status().is_final() {
            return Err(CommandRefusal::Running.into());
        }
        // Before the facts: once these are gone, nobody can ask for it again.
        let forgotten = self.inner.snapshots.forget(task).await;
        let forgotten = forgotten.and_then(|()| self.inner.experiences.forget(task));
        forgotten.map_err(|why| CommandRefusal::Stopped(BlobError::Store(why).into()))?;
        let orphans = self.inner.forget.erase(task.clone(), self.inner.clock.now()).await;
        let orphans = orphans.map_err(|error| CommandRefusal::Stopped(error.into()))?;
        self.inner.tools.forget(&orphans);
        let removed = self.inner.blobs.remove_unheld(&orphans).await;
        removed.map_err(|error| CommandRefusal::Stopped(error.into()).into())
    }

    /// A new task id.
    pub(crate) fn new_task(&self) -> TaskId {
        (self.inner.new_id)()
    }

    /// While the answer lives, the engine is not idle.
    pub fn busy(&self) -> BusyGuard {
        self.inner.roster.busy()
    }

    /// The tools that the engine makes ready.
    pub(crate) fn tools(&self) -> &ReadyTools {
        &self.inner.tools
    }

    /// Everything that becomes durable from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<PublishedEntries>> {
        self.inner.bus.subscribe()
    }

    /// What models and steps say from now on, as they say it.
    pub fn listen(&self) -> broadcast::Receiver<Arc<LiveText>> {
        self.inner.voice.subscribe()
    }

    /// Waits until a task is no longer in memory: it ended, or only a person can move it.
    pub async fn finished(&self, task: &TaskId) {
        if let Some(inbox) = self.inner.roster.inbox(task) {
            inbox.closed().await;
        }
    }

    /// Ready when a task was given up before it ended, with the reason. Never if that does not happen.
    pub async fn given_up(&self, task: &TaskId) -> DriverStopped {
        self.finished(task).await;
        match self.inner.roster.why_given_up(task) {
            Some(stopped) => stopped,
            None => std::future::pending().await,
        }
    }

    /// Waits until no task is in memory and no order is carried out, or until the journal broke.
    pub async fn idle(&self) -> Result<(), DriverStopped> {
        self.inner.roster.idle().await
    }
}

impl EngineInner {
    pub(crate) fn publish(&self, task: &TaskId, entries: Vec<Entry>) {
        // Nobody listening is no error.
        let _ = self.bus.send(Arc::new(PublishedEntries { task: task.clone(), entries }));
    }

    pub(crate) fn speak(&self, spoken: LiveText) {
        if self.voice.receiver_count() > 0 {
            let _ = self.voice.send(Arc::new(spoken));
        }
    }

    /// The disk is full: says so, and waits a little before it is tried again.
    pub(crate) async fn wait_for_room(&self, task: &TaskId) {
        self.warn(task, "the disk is full; the task waits for room");
        self.clock.sleep_until(self.clock.now().plus_ms(self.full_disk_wait_ms)).await;
    }

    pub(crate) fn warn(&self, task: &TaskId, words: &str) {
        tracing::warn!(%task, "{words}");
        (self.warn)(task, words);
    }
}
