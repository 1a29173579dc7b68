//! The engine: takes tasks in, drives each until it ends or waits, wakes those whose time has come.

use crate::arrival::{Arrival, Command, Refusal};
use crate::driver::{Driver, Left, Stopped, payload};
use crate::held::Held;
use crate::seams::{AppendError, Blobs, Clock, Connect, Forget, Journal, Opening, ReadError};
use crate::tools::{Pinned, ToolError, Tools};
use praxis_core::call::manifest::Toolbox;
use praxis_core::ids::{TaskId, Tenant, ToolId};
use praxis_core::intake::check::{CheckedPlan, check};
use praxis_core::intake::plan::{Plan, PlannedStep};
use praxis_core::intake::problem::Problem;
use praxis_core::journal::chain::content_hash;
use praxis_core::journal::event::{Entry, Event, Options, Parent, PlanOutcome, RULES, Submission};
use praxis_core::payload::Payload;
use praxis_core::state::{State, TaskStatus};
use praxis_core::time::At;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{broadcast, mpsc, oneshot, watch};

/// Arrivals that may wait at one task. Calls in flight are fewer; commands beyond it wait their turn.
const INBOX: usize = 256;
/// Batches that a subscriber may lag behind before it has to read the journal.
const BUS: usize = 4096;
/// Steps in one event of a plan, so that no event grows without bound.
const STEPS_PER_EVENT: usize = 100;

/// Makes a new task id.
pub type NewId = Box<dyn Fn() -> TaskId + Send + Sync>;
/// Takes a warning about a task.
pub type Warn = Box<dyn Fn(&TaskId, &str) + Send + Sync>;

/// What an engine is made of.
pub struct Parts {
    /// Where facts are kept.
    pub journal: Arc<dyn Journal>,
    /// Where they are forgotten.
    pub forget: Arc<dyn Forget>,
    /// Where large values are kept.
    pub blobs: Arc<dyn Blobs>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// How manifests become callable.
    pub connect: Arc<dyn Connect>,
    /// New task ids.
    pub new_id: NewId,
    /// The name of this engine in the journal.
    pub name: String,
    /// Where warnings go.
    pub warn: Warn,
    /// How long a task waits before it tries a full disk again.
    pub full_disk_wait_ms: u64,
}

/// Drives tasks. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) blobs: Arc<Held>,
    forget: Arc<dyn Forget>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) full_disk_wait_ms: u64,
    tools: Tools,
    new_id: NewId,
    name: String,
    warn: Warn,
    drivers: Mutex<BTreeMap<TaskId, mpsc::Sender<Arrival>>>,
    /// Orders that are being carried out.
    orders: AtomicUsize,
    active: watch::Sender<usize>,
    broken: watch::Sender<Option<Stopped>>,
    /// Why drivers gave their tasks up.
    stopped: Mutex<BTreeMap<TaskId, Stopped>>,
    bus: broadcast::Sender<Arc<Published>>,
}

/// Entries of one task that have just become durable.
#[derive(Clone, Debug)]
pub struct Published {
    /// Which task.
    pub task: TaskId,
    /// In order.
    pub entries: Vec<Entry>,
}

/// A plan to be run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// What is wanted, in words.
    pub goal: String,
    /// The plan as written.
    pub plan: Plan,
    /// The tools it may use.
    pub toolbox: Arc<Toolbox>,
    /// The caller's metadata.
    pub metadata: Map<String, Value>,
    /// How it is to be run.
    pub options: Options,
    /// The caller's key: the same key is the same task.
    pub idempotency_key: Option<String>,
    /// The document that the plan was read from.
    pub document: Option<String>,
    /// Whose.
    pub tenant: Tenant,
    /// The task it was forked from.
    pub parent: Option<Parent>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The task, which survives a crash from now on.
    pub task: TaskId,
    /// Whether the key belonged to it before.
    pub replayed: bool,
}

/// Why a request was not taken in. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The plan cannot run: every reason.
    #[error("the plan is refused: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Refused(Vec<Problem>),
    /// A tool cannot be used.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The caller's key belongs to a task that was asked something else.
    #[error("the idempotency key belongs to {0}, which was asked something else")]
    KeyMismatch(TaskId),
    /// The store did not take it.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Why a command did not reach its task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The task refused it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The task cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The journal contradicts itself.
    #[error("{0}")]
    Illegal(#[from] praxis_core::Illegal),
    /// A tool of the task cannot be used.
    #[error(transparent)]
    Tool(#[from] ToolError),
}

impl Engine {
    /// An engine that drives nothing yet.
    pub fn new(parts: Parts) -> Self {
        let blobs = Arc::new(Held::new(parts.blobs));
        let tools = Tools::new(parts.connect, Arc::clone(&blobs) as Arc<dyn Blobs>);
        let inner = Inner {
            journal: parts.journal,
            forget: parts.forget,
            blobs,
            clock: parts.clock,
            full_disk_wait_ms: parts.full_disk_wait_ms,
            tools,
            new_id: parts.new_id,
            name: parts.name,
            warn: parts.warn,
            drivers: Mutex::default(),
            orders: AtomicUsize::new(0),
            active: watch::Sender::new(0),
            broken: watch::Sender::new(None),
            stopped: Mutex::default(),
            bus: broadcast::Sender::new(BUS),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Takes a task in. When this returns, the task is durable and its first steps begin.
    pub async fn submit(&self, request: Request) -> Result<Accepted, SubmitError> {
        let plan = check(&request.plan, &request.toolbox, &request.metadata, &BTreeSet::new())
            .map_err(SubmitError::Refused)?;
        let wanted: BTreeSet<&ToolId> =
            plan.steps.iter().filter(|step| !step.gathers()).map(|step| &step.tool).collect();
        let wanted: Vec<&ToolId> = wanted.into_iter().collect();
        let pinned = self.inner.tools.pin(&request.toolbox, &wanted).await?;
        let fingerprint = fingerprint(&request);
        let opening_key = request.idempotency_key.clone().map(|key| (key, fingerprint));
        let submission = self.submission(request, &pinned).await.map_err(Stopped::Blob)?;
        let opening = Opening {
            tenant: submission.tenant.clone(),
            goal: submission.goal.clone(),
            key: opening_key,
            at: self.inner.clock.now(),
        };
        self.open(opening_events(submission, &plan), opening, pinned).await
    }

    /// Makes a new task durable and drives it.
    pub(crate) async fn open(
        &self,
        events: Vec<Event>,
        opening: Opening,
        tools: Pinned,
    ) -> Result<Accepted, SubmitError> {
        let task = match events.first() {
            Some(Event::TaskSubmitted(submission)) => submission.task.clone(),
            _ => (self.inner.new_id)(),
        };
        let mut driver = self.driver(task.clone(), State::default(), tools);
        driver.opening = Some(opening);
        match driver.advance(events).await {
            Ok(()) => {
                self.inner.register(&task, driver.outbox.clone());
                self.spawn(driver);
                Ok(Accepted { task, replayed: false })
            }
            Err(Stopped::Append(AppendError::KeyTaken { task, same: true })) => {
                Ok(Accepted { task, replayed: true })
            }
            Err(Stopped::Append(AppendError::KeyTaken { task, same: false })) => {
                Err(SubmitError::KeyMismatch(task))
            }
            Err(stopped) => Err(stopped.into()),
        }
    }

    async fn submission(
        &self,
        request: Request,
        pinned: &Pinned,
    ) -> Result<Submission, crate::seams::BlobError> {
        let task = (self.inner.new_id)();
        let mut metadata: BTreeMap<Arc<str>, Payload> = BTreeMap::new();
        for (key, value) in request.metadata {
            metadata.insert(key.into(), payload(&self.inner, value).await?);
        }
        let session = task.as_str().replacen("task_", "session_", 1);
        metadata.entry("session_id".into()).or_insert_with(|| Payload::json(Value::from(session)));
        let document = match request.document {
            Some(text) => Some(self.inner.blobs.put(text.into_bytes()).await?),
            None => None,
        };
        Ok(Submission {
            task,
            tenant: request.tenant,
            goal: request.goal,
            plan_id: request.plan.plan_id,
            metadata,
            contracts: pinned.contracts(),
            options: request.options,
            rules: RULES,
            idempotency_key: request.idempotency_key,
            parent: request.parent,
            document,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    fn driver(&self, task: TaskId, state: State, tools: Pinned) -> Driver {
        let (outbox, inbox) = mpsc::channel(INBOX);
        let stop = watch::Sender::new(false);
        let engine = Arc::clone(&self.inner);
        Driver { engine, task, state, tools, inbox, outbox, stop, opening: None }
    }

    fn spawn(&self, mut driver: Driver) {
        let engine = Arc::clone(&self.inner);
        tokio::spawn(async move {
            let task = driver.task.clone();
            match driver.run().await {
                Ok(Left::Finished) => engine.unregister(&task),
                Ok(Left::Parked) => {}
                Err(stopped) => {
                    engine.warn(&task, &stopped.to_string());
                    engine.stopped().insert(task.clone(), stopped.clone());
                    engine.unregister(&task);
                    if let Stopped::Append(AppendError::Broken(_)) = &stopped {
                        engine.broken.send_replace(Some(stopped));
                    }
                }
            }
        });
    }

    /// Takes up every task that the last engine left unfinished; says how many could run.
    pub async fn recover(&self) -> Result<Vec<TaskId>, CommandError> {
        let mut taken = Vec::new();
        for unfinished in self.inner.journal.unfinished().await? {
            if unfinished.status == TaskStatus::Waiting {
                continue;
            }
            match self.load(&unfinished.task, vec![]).await {
                Ok(()) => taken.push(unfinished.task),
                // One task that cannot be read must not keep the others from running.
                Err(error) => self.inner.warn(&unfinished.task, &error.to_string()),
            }
        }
        Ok(taken)
    }

    /// Brings a task into memory and drives it on.
    pub(crate) async fn load(&self, task: &TaskId, then: Vec<Event>) -> Result<(), CommandError> {
        if self.inner.drivers().contains_key(task) {
            return Ok(());
        }
        let state = self.state_of(task).await?;
        let tools = self.inner.tools.unpin(state.contracts.values().map(AsRef::as_ref)).await?;
        let ended = state.status().is_final();
        let mut driver = self.driver(task.clone(), state, tools);
        let woken = Event::Woken { by: self.inner.name.clone() };
        // What an ended task left open is taken up by the event that reopens it.
        let mut events = if ended { vec![] } else { vec![woken] };
        if !ended {
            events.extend(driver.lost_calls());
        }
        events.extend(then);
        if !self.inner.register(task, driver.outbox.clone()) {
            return Ok(());
        }
        if let Err(stopped) = driver.advance(events).await {
            self.inner.unregister(task);
            return Err(Refusal::Stopped(stopped).into());
        }
        self.spawn(driver);
        Ok(())
    }

    /// Sends a command to a task, in memory or not.
    pub async fn command(&self, task: &TaskId, command: Command) -> Result<(), CommandError> {
        loop {
            let known = self.inner.drivers().get(task).cloned();
            let Some(inbox) = known else {
                self.wake(task).await?;
                continue;
            };
            let (reply, answer) = oneshot::channel();
            if inbox.send(Arrival::Command(command.clone(), reply)).await.is_err() {
                continue;
            }
            if let Ok(answer) = answer.await {
                return answer.map_err(CommandError::Refused);
            }
            // The task was put away while the command was on its way.
            tokio::task::yield_now().await;
        }
    }

    /// A task as its journal has it.
    pub(crate) async fn state_of(&self, task: &TaskId) -> Result<State, CommandError> {
        Ok(State::replay(&self.inner.journal.read(task, 0).await?)?)
    }

    /// Forgets a task that has ended: its facts, and the blobs that only it needed.
    pub async fn erase(&self, task: &TaskId) -> Result<(), CommandError> {
        let status = self.state_of(task).await?.status();
        if !status.is_final() || self.inner.drivers().contains_key(task) {
            return Err(Refusal::Running.into());
        }
        let orphans = self.inner.forget.erase(task.clone(), self.inner.clock.now()).await;
        let orphans = orphans.map_err(|error| Refusal::Stopped(error.into()))?;
        self.inner.tools.forget(&orphans);
        let removed = self.inner.blobs.remove_unheld(&orphans).await;
        removed.map_err(|error| Refusal::Stopped(error.into()).into())
    }

    /// The entries of a task.
    pub(crate) async fn entries_of(&self, task: &TaskId) -> Result<Vec<Entry>, CommandError> {
        Ok(self.inner.journal.read(task, 0).await?)
    }

    /// A new task id, and what time it is.
    pub(crate) fn new_task(&self) -> (TaskId, At) {
        ((self.inner.new_id)(), self.inner.clock.now())
    }

    /// While the answer lives, the engine is not idle.
    pub fn busy(&self) -> Busy {
        self.inner.busy()
    }

    /// The tools that the engine makes ready.
    pub(crate) fn tools(&self) -> &Tools {
        &self.inner.tools
    }

    /// Brings a parked task into memory so that it can take a command.
    async fn wake(&self, task: &TaskId) -> Result<(), CommandError> {
        let state = self.state_of(task).await?;
        if state.status().is_final() {
            return Err(Refusal::TaskEnded(state.status()).into());
        }
        let tools = self.inner.tools.unpin(state.contracts.values().map(AsRef::as_ref)).await?;
        let driver = self.driver(task.clone(), state, tools);
        if self.inner.register(task, driver.outbox.clone()) {
            self.spawn(driver);
        }
        Ok(())
    }

    /// Everything that becomes durable from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Published>> {
        self.inner.bus.subscribe()
    }

    /// Waits until a task is no longer in memory: it ended, or only a person can move it.
    pub async fn finished(&self, task: &TaskId) {
        let inbox = self.inner.drivers().get(task).cloned();
        if let Some(inbox) = inbox {
            inbox.closed().await;
        }
    }

    /// Ready when a task was given up before it ended, with the reason. Never if that does not happen.
    pub async fn given_up(&self, task: &TaskId) -> Stopped {
        self.finished(task).await;
        let stopped = self.inner.stopped().get(task).cloned();
        match stopped {
            Some(stopped) => stopped,
            None => std::future::pending().await,
        }
    }

    /// Waits until no task is in memory and no order is carried out, or until the journal broke.
    pub async fn idle(&self) -> Result<(), Stopped> {
        let (mut active, mut broken) =
            (self.inner.active.subscribe(), self.inner.broken.subscribe());
        tokio::select! {
            _ = active.wait_for(|count| *count == 0) => {}
            _ = broken.wait_for(Option::is_some) => {}
        }
        let broke = broken.borrow().clone();
        broke.map_or(Ok(()), Err)
    }
}

/// An order that is being carried out.
pub struct Busy(Arc<Inner>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.orders.fetch_sub(1, Ordering::SeqCst);
        self.0.announce(self.0.drivers().len());
    }
}

impl Inner {
    fn stopped(&self) -> MutexGuard<'_, BTreeMap<TaskId, Stopped>> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn drivers(&self) -> MutexGuard<'_, BTreeMap<TaskId, mpsc::Sender<Arrival>>> {
        self.drivers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False if the task is driven already.
    fn register(&self, task: &TaskId, inbox: mpsc::Sender<Arrival>) -> bool {
        let mut drivers = self.drivers();
        if drivers.contains_key(task) {
            return false;
        }
        drivers.insert(task.clone(), inbox);
        self.announce(drivers.len());
        true
    }

    fn unregister(&self, task: &TaskId) {
        let mut drivers = self.drivers();
        drivers.remove(task);
        self.announce(drivers.len());
    }

    fn announce(&self, drivers: usize) {
        self.active.send_replace(drivers + self.orders.load(Ordering::SeqCst));
    }

    /// While this lives, the engine is not idle.
    pub(crate) fn busy(self: &Arc<Self>) -> Busy {
        self.orders.fetch_add(1, Ordering::SeqCst);
        self.announce(self.drivers().len());
        Busy(Arc::clone(self))
    }

    /// Puts a task away if nothing waits at it. From then on commands bring it back.
    pub(crate) fn release(&self, task: &TaskId, inbox: &mut mpsc::Receiver<Arrival>) -> bool {
        let mut drivers = self.drivers();
        if !inbox.is_empty() {
            return false;
        }
        inbox.close();
        drivers.remove(task);
        self.announce(drivers.len());
        true
    }

    pub(crate) fn publish(&self, task: &TaskId, entries: Vec<Entry>) {
        // Nobody listening is no error.
        let _ = self.bus.send(Arc::new(Published { task: task.clone(), entries }));
    }

    /// The disk is full: says so, and waits a little before it is tried again.
    pub(crate) async fn wait_for_room(&self, task: &TaskId) {
        self.warn(task, "the disk is full; the task waits for room");
        self.clock.sleep_until(self.clock.now().plus_ms(self.full_disk_wait_ms)).await;
    }

    pub(crate) fn warn(&self, task: &TaskId, words: &str) {
        (self.warn)(task, words);
    }
}

fn opening_events(submission: Submission, plan: &CheckedPlan) -> Vec<Event> {
    let mut events = vec![Event::TaskSubmitted(Box::new(submission))];
    let planned =
        |steps: &[PlannedStep]| Event::StepsPlanned { revision: 1, steps: steps.to_vec() };
    events.extend(plan.steps.chunks(STEPS_PER_EVENT).map(planned));
    events.push(Event::PlanClosed { revision: 1, outcome: PlanOutcome::Complete });
    events
}

/// The hash of what a caller asked, so that one key cannot mean two things.
fn fingerprint(request: &Request) -> String {
    let asked = (request.document.as_deref(), &request.goal, &request.metadata, &request.options);
    content_hash(serde_json::to_string(&asked).unwrap_or_default().as_bytes())
}
