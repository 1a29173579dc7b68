//! The few places where the engine touches the world. Each has one conformance suite.

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};
use praxis_core::ask;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::{ModelReply, TokenUsage};
use praxis_core::ask::request::ModelRequest;
use praxis_core::call::chunk::{FoldedOutput, OutputChunk};
use praxis_core::call::tool::Tool;
use praxis_core::fault::Fault;
use praxis_core::ids::{BlobId, QuestionId, StepId, TaskId, Tenant};
use praxis_core::journal::event::Entry;
use praxis_core::journal::experience::Experience;
use praxis_core::journal::memory::RecalledTask;
use praxis_core::journal::question::Question;
use praxis_core::problem::Bilingual;
use praxis_core::state::TaskStatus;
use praxis_core::time::Timestamp;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where facts are kept.
///
/// An append is durable when its future is ready with `Ok`, and has left no trace when it is `Err`,
/// except for [`AppendError::Broken`]: then nobody knows until the store is opened again.
pub trait Journal: Send + Sync {
    /// Adds entries to a task, if its last entry is still `after`.
    fn append(&self, append: Arc<JournalAppend>) -> BoxFuture<'_, Result<(), AppendError>>;
    /// The entries of a task after a sequence number, checked against their chain.
    fn read<'a>(
        &'a self,
        task: &'a TaskId,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>>;
    /// The task that a caller's key belongs to, if it belongs to one.
    fn holder<'a>(
        &'a self,
        tenant: &'a Tenant,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<KeyHolder>, ReadError>>;
    /// Tasks that can go on without a person, oldest first.
    fn runnable(&self) -> BoxFuture<'_, Result<Vec<TaskId>, ReadError>>;
}

/// Where facts can be forgotten.
pub trait ErasableJournal: Send + Sync {
    /// Removes a task's facts and leaves a tombstone; gives the blobs that nobody needs any more.
    fn erase(&self, task: TaskId, at: Timestamp)
    -> BoxFuture<'_, Result<Vec<BlobId>, AppendError>>;
}

/// The task that a caller's key belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHolder {
    /// Which.
    pub task: TaskId,
    /// The hash of what its caller asked.
    pub fingerprint: String,
}

/// One arrival: its facts and the row that follows from them.
#[derive(Clone, Debug)]
pub struct JournalAppend {
    /// Which task.
    pub task: TaskId,
    /// The sequence number that these follow.
    pub after: u64,
    /// The facts as they are written.
    pub entries: Vec<WrittenEntry>,
    /// What lists and start-up know of the task from now on.
    pub row: TaskRow,
    /// The first append of a task.
    pub opening: Option<TaskOpening>,
    /// Questions that were asked.
    pub asked: Vec<Question>,
    /// Questions that were answered or are void.
    pub closed: Vec<QuestionId>,
    /// Blobs that the facts refer to.
    pub blobs: Vec<BlobId>,
}

/// An entry as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenEntry {
    /// Its number.
    pub seq: u64,
    /// Its time.
    pub at: Timestamp,
    /// The event as JSON.
    pub body: String,
}

/// What a list shows of a task. A projection: it can be rebuilt from the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskRow {
    /// Where it stands.
    pub status: TaskStatus,
    /// What a waiting task waits for.
    pub waits_for: Option<String>,
    /// When it must be looked at again.
    pub wake_at: Option<Timestamp>,
    /// Questions that are open.
    pub open_questions: u32,
    /// How often it was taken up.
    pub epoch: u32,
    /// Steps that succeeded.
    pub done: u32,
    /// All steps.
    pub total: u32,
}

/// What is known of a task from its first moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOpening {
    /// Whose.
    pub tenant: Tenant,
    /// What is wanted.
    pub goal: String,
    /// The caller's key and the hash of what they asked with it.
    pub key: Option<(String, String)>,
    /// When.
    pub at: Timestamp,
    /// How much is taken in.
    pub door: IntakeLimits,
}

/// How much of one tenant is taken in. What is zero has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntakeLimits {
    /// Tasks that have not ended.
    pub tasks: u32,
    /// Tasks that began within the span.
    pub requests: u32,
    /// The span.
    pub within_ms: u64,
}

impl IntakeLimits {
    /// Why another task is not taken in, where so many have not ended and so many began within the span.
    pub fn refuses(self, open: u32, begun: u32) -> Option<AppendError> {
        if self.tasks > 0 && open >= self.tasks {
            return Some(AppendError::TooManyTasks { allowed: self.tasks });
        }
        let (allowed, within_ms) = (self.requests, self.within_ms);
        let too_many = allowed > 0 && begun >= allowed;
        too_many.then_some(AppendError::TooManyRequests { allowed, within_ms })
    }
}

/// Why an append did not happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// Somebody else wrote to the task.
    #[error("the task is at event {found}, not at {expected}")]
    Conflict {
        /// What this writer knew.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// The caller's key belongs to a task already.
    #[error("the idempotency key belongs to {task}")]
    KeyTaken {
        /// That task.
        task: TaskId,
        /// Whether it was asked the same.
        same: bool,
    },
    /// As many tasks as may be have not ended.
    #[error("{allowed} tasks have not ended, and no more are taken in")]
    TooManyTasks {
        /// How many may be.
        allowed: u32,
    },
    /// As many tasks as may be have begun lately.
    #[error("{allowed} tasks began within {within_ms} ms, and no more are taken in")]
    TooManyRequests {
        /// How many may be.
        allowed: u32,
        /// Within which span.
        within_ms: u64,
    },
    /// There is no room. Nothing was written; it may be tried again.
    #[error("the disk is full")]
    Full,
    /// The store cannot be trusted any more. Nothing is acknowledged until it is opened again.
    #[error("the journal stopped: {0}")]
    Broken(String),
}

/// Why a journal cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// There is no such task.
    #[error("no task `{0}`")]
    NotFound(TaskId),
    /// The task was erased.
    #[error("{0} was erased")]
    Erased(TaskId),
    /// An entry is not what was written.
    #[error("the journal of {task} is damaged at event {seq}: {why}")]
    Damaged {
        /// Which task.
        task: TaskId,
        /// Which entry.
        seq: u64,
        /// What is wrong.
        why: String,
    },
    /// An entry that a later version wrote: of a kind or in a form that is not known here.
    #[error("event {seq} of {task} cannot be read by this version: {why}")]
    UnknownEvent {
        /// Which task.
        task: TaskId,
        /// Which entry.
        seq: u64,
        /// What is not known.
        why: String,
    },
    /// The store did not answer.
    #[error("the journal cannot be read: {0}")]
    Store(String),
}

impl ReadError {
    /// For people, in both languages.
    pub fn words(&self) -> Bilingual {
        let zh = match self {
            Self::NotFound(task) => format!("没有任务 `{task}`"),
            Self::Erased(task) => format!("{task} 已被删除"),
            Self::Damaged { task, seq, why } => format!("{task} 的日志在事件 {seq} 处损坏：{why}"),
            Self::UnknownEvent { task, seq, why } => {
                format!("{task} 的事件 {seq} 本版本无法读取：{why}")
            }
            Self::Store(why) => format!("无法读取日志：{why}"),
        };
        Bilingual { en: self.to_string(), zh }
    }
}

/// Where large contents are kept, by their hash.
pub trait Blobs: Send + Sync {
    /// Keeps a content; durable when ready.
    fn put(&self, content: Arc<Vec<u8>>) -> BoxFuture<'_, Result<BlobId, BlobError>>;
    /// Forgets a content. One that is not there is forgotten already.
    fn remove<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<(), BlobError>>;
    /// Gives a content back, verified.
    fn get<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<Vec<u8>, BlobError>>;
}

/// Why a blob cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// It is not there.
    #[error("blob {0} is missing")]
    Missing(BlobId),
    /// It is not what was stored.
    #[error("blob {0} is damaged")]
    Damaged(BlobId),
    /// There is no room.
    #[error("the disk is full")]
    Full,
    /// The store did not answer.
    #[error("blobs cannot be reached: {0}")]
    Store(String),
}

impl BlobError {
    /// The same in both languages.
    pub fn words(&self) -> Bilingual {
        let zh = match self {
            Self::Missing(blob) => format!("大值 {blob} 不存在"),
            Self::Damaged(blob) => format!("大值 {blob} 已损坏"),
            Self::Full => "磁盘已满".to_owned(),
            Self::Store(why) => format!("无法访问大值：{why}"),
        };
        (self.to_string(), zh).into()
    }
}

/// Where states of long tasks are kept, the newest few of each. All of it may be lost or damaged at any
/// time: a task is then folded from its first event.
pub trait Snapshots: Send + Sync {
    /// Keeps the state after event `seq`. The oldest of more than a few is forgotten, and so are states after
    /// later events: the journal does not have these any more.
    fn put<'a>(
        &'a self,
        task: &'a TaskId,
        seq: u64,
        content: Vec<u8>,
    ) -> BoxFuture<'a, Result<(), String>>;
    /// The events after which a state is kept, the newest first.
    fn kept<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Vec<u64>>;
    /// What was kept, if it can be had.
    fn get<'a>(&'a self, task: &'a TaskId, seq: u64) -> BoxFuture<'a, Option<Vec<u8>>>;
    /// Forgets all of a task.
    fn forget<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Result<(), String>>;
}

/// What time it is, and waiting.
pub trait Clock: Send + Sync {
    /// Now. Never goes back.
    fn now(&self) -> Timestamp;
    /// Ready at that time or soon after.
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()>;
}

/// Something that a step can invoke.
///
/// Dropping the future cancels the call: nothing of it may go on afterwards.
pub trait Callable: Send + Sync {
    /// Makes the call. Its output comes in pieces, and ends with the first that is a failure.
    fn exec(&self, invocation: Invocation) -> OutputStream<'_>;

    /// What a model that writes for this call should know of what it works on, such as the tables of a database.
    fn about(&self, timeout_ms: u64) -> BoxFuture<'_, Result<String, Fault>> {
        let _ = timeout_ms;
        Box::pin(futures::future::ready(Ok(String::new())))
    }
}

/// The pieces of an output as they come. Dropping them cancels the call.
pub type OutputStream<'a> = BoxStream<'a, Result<OutputChunk, FailedCall>>;

/// An output that comes in one piece.
pub fn whole<'a>(
    output: impl Future<Output = Result<Value, FailedCall>> + Send + 'a,
) -> OutputStream<'a> {
    stream::once(output).map_ok(OutputChunk::Data).boxed()
}

/// What an output adds up to.
pub async fn gathered(mut chunks: OutputStream<'_>) -> Result<Value, FailedCall> {
    let mut folded = FoldedOutput::default();
    while let Some(chunk) = chunks.try_next().await? {
        folded.add(chunk);
    }
    Ok(folded.output())
}

/// A call that did not succeed.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedCall {
    /// Why.
    pub fault: Fault,
    /// What it said all the same.
    pub output: Option<Value>,
}

impl From<Fault> for FailedCall {
    fn from(fault: Fault) -> Self {
        Self { fault, output: None }
    }
}

/// One call to be made.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Which task.
    pub task: TaskId,
    /// Which step.
    pub step: StepId,
    /// The attempt.
    pub attempt: u32,
    /// The idempotency key: the same for all attempts of one wish.
    pub key: String,
    /// The arguments, complete.
    pub arguments: Value,
    /// How long the call may take.
    pub timeout_ms: u64,
    /// The texts of its parameters that a person wrote in a plan or a flow, as they stand there, placeholders
    /// included. What a person wrote may be trusted where the same value from data or from a model is not.
    pub written: BTreeMap<String, String>,
}

/// A language model.
///
/// Dropping the future ends the call: nothing more is sent or paid for.
pub trait Model: Send + Sync {
    /// Asks, and tells what is said as it comes. Only the reply counts.
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswered, ModelCallFailed>>;
}

/// Where experiences of finished tasks are told. The journal has them: what is lost here can be told again.
pub trait Experiences: Send + Sync {
    /// Tells what a task taught; or why it could not be told. Of what a task taught, the last counts, so that
    /// telling it twice is the same as once.
    fn keep(&self, taught: &TaughtExperience<'_>) -> Result<(), String>;
    /// Forgets what a task taught.
    fn forget(&self, task: &TaskId) -> Result<(), String>;
    /// The tasks of a tenant that ended well and whose goals are nearest, the nearest first; of them also the one that
    /// is named, if it is not among these. Each says when it was taught, and whether a later task was misled by its
    /// plan. May read a file.
    fn recall(&self, asked: &RecallRequest<'_>) -> Result<Vec<RecalledTask>, String>;
}

/// What is recalled.
#[derive(Clone, Copy, Debug)]
pub struct RecallRequest<'a> {
    /// Whose.
    pub tenant: &'a Tenant,
    /// Like which goal.
    pub goal: &'a str,
    /// How many at most, beside the one that is named.
    pub most: usize,
    /// A task that comes, however little its goal is like.
    pub named: Option<&'a TaskId>,
}

/// What a task taught.
#[derive(Clone, Copy, Debug)]
pub struct TaughtExperience<'a> {
    /// Whose it is.
    pub tenant: &'a Tenant,
    /// Which task.
    pub task: &'a TaskId,
    /// The entry that says it.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub experience: &'a Experience,
}

/// Nobody listens.
pub struct NoExperiences;

impl Experiences for NoExperiences {
    fn keep(&self, _: &TaughtExperience<'_>) -> Result<(), String> {
        Ok(())
    }

    fn forget(&self, _: &TaskId) -> Result<(), String> {
        Ok(())
    }

    fn recall(&self, _: &RecallRequest<'_>) -> Result<Vec<RecalledTask>, String> {
        Ok(vec![])
    }
}

/// The models that tasks can ask, by name.
pub trait Models: Send + Sync {
    /// A model by its name in the settings.
    fn get(&self, name: &str) -> Option<Arc<dyn Model>>;
}

/// No model at all.
pub struct NoModels;

impl Models for NoModels {
    fn get(&self, _: &str) -> Option<Arc<dyn Model>> {
        None
    }
}

/// Hears an answer piece by piece.
pub type ReplyListener<'a> = &'a mut (dyn FnMut(Delta) + Send);

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAnswered {
    /// What was answered.
    pub reply: ModelReply,
    /// What tries cost that gave no answer.
    pub spent: TokenUsage,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCallFailed {
    /// The last try's fault.
    pub fault: ask::fault::ModelFault,
    /// What all tries cost.
    pub spent: TokenUsage,
}

/// Makes a tool's manifest callable.
pub trait ConnectTools: Send + Sync {
    /// The call behind a manifest, or why there is none.
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String>;
}
