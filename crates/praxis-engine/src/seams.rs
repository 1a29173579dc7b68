//! The traits through which the engine touches the outside world. Each has one conformance suite.

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

/// The append-only event log of tasks.
///
/// An append is durable when its future resolves to `Ok`, and has left no trace when it is `Err`, except for
/// [`AppendError::Broken`]: then its outcome is unknown until the store is opened again.
pub trait Journal: Send + Sync {
    /// Appends entries to a task, if its last entry is still `after`.
    fn append(&self, append: Arc<JournalAppend>) -> BoxFuture<'_, Result<(), AppendError>>;
    /// Returns the entries of a task after a sequence number, verified against their hash chain.
    fn read<'a>(
        &'a self,
        task: &'a TaskId,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>>;
    /// Returns the task that an idempotency key belongs to.
    fn holder<'a>(
        &'a self,
        tenant: &'a Tenant,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<KeyHolder>, ReadError>>;
    /// Returns the tasks that can continue without a person, oldest first.
    fn runnable(&self) -> BoxFuture<'_, Result<Vec<TaskId>, ReadError>>;
}

/// A journal that can erase tasks.
pub trait ErasableJournal: Send + Sync {
    /// Removes the entries of a task and leaves a tombstone; returns the blobs that no task references any more.
    fn erase(&self, task: TaskId, at: Timestamp)
    -> BoxFuture<'_, Result<Vec<BlobId>, AppendError>>;
}

/// The task that an idempotency key belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHolder {
    /// The task.
    pub task: TaskId,
    /// The hash of its request.
    pub fingerprint: String,
}

/// One append: entries, and the projection that follows from them.
#[derive(Clone, Debug)]
pub struct JournalAppend {
    /// The task.
    pub task: TaskId,
    /// The sequence number of the last entry before these.
    pub after: u64,
    /// The entries as they are written.
    pub entries: Vec<WrittenEntry>,
    /// The new projection of the task for lists and for recovery at start.
    pub row: TaskRow,
    /// The data of a new task; present in its first append only.
    pub opening: Option<TaskOpening>,
    /// Questions that were asked.
    pub asked: Vec<Question>,
    /// Questions that were answered or became void.
    pub closed: Vec<QuestionId>,
    /// Blobs that the entries reference.
    pub blobs: Vec<BlobId>,
}

/// An entry in its stored form.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenEntry {
    /// The sequence number.
    pub seq: u64,
    /// The time of the event.
    pub at: Timestamp,
    /// The event as JSON.
    pub body: String,
}

/// The projection of a task that lists show. It can be rebuilt from the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskRow {
    /// The status of the task.
    pub status: TaskStatus,
    /// The kind of the first open question, for a waiting task.
    pub waits_for: Option<String>,
    /// The time at which the task must be loaded again.
    pub wake_at: Option<Timestamp>,
    /// The number of open questions.
    pub open_questions: u32,
    /// The epoch: 1, plus one for each retry.
    pub epoch: u32,
    /// The number of steps that succeeded.
    pub done: u32,
    /// The number of all steps, without dropped ones.
    pub total: u32,
}

/// The data of a task that is known from its first append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOpening {
    /// The tenant that the task belongs to.
    pub tenant: Tenant,
    /// The goal in words.
    pub goal: String,
    /// The idempotency key, and the hash of the request made with it.
    pub key: Option<(String, String)>,
    /// The time of the submission.
    pub at: Timestamp,
    /// The limits on accepting tasks.
    pub intake_limits: IntakeLimits,
}

/// Limits on accepting tasks of one tenant. Zero means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntakeLimits {
    /// Tasks that have not ended.
    pub tasks: u32,
    /// Tasks submitted within the time window.
    pub requests: u32,
    /// The length of the time window, in milliseconds.
    pub within_ms: u64,
}

impl IntakeLimits {
    /// Returns the error of a further task, given the number of unfinished tasks and of tasks submitted within the
    /// window; `None` if it is accepted.
    pub fn refuses(self, open: u32, begun: u32) -> Option<AppendError> {
        if self.tasks > 0 && open >= self.tasks {
            return Some(AppendError::TooManyTasks { allowed: self.tasks });
        }
        let (allowed, within_ms) = (self.requests, self.within_ms);
        let too_many = allowed > 0 && begun >= allowed;
        too_many.then_some(AppendError::TooManyRequests { allowed, within_ms })
    }
}

/// The reason for which an append failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// Somebody else wrote to the task.
    #[error("another writer changed the task: expected event {expected}, got {found}")]
    Conflict {
        /// The sequence number that this writer expected.
        expected: u64,
        /// The sequence number found.
        found: u64,
    },
    /// The idempotency key already belongs to a task.
    #[error("the idempotency key was already used by {task}")]
    KeyTaken {
        /// The task.
        task: TaskId,
        /// True if its request was the same.
        same: bool,
    },
    /// Too many tasks of the tenant have not ended.
    #[error("task limit reached: {allowed} unfinished tasks")]
    TooManyTasks {
        /// The limit.
        allowed: u32,
    },
    /// Too many tasks of the tenant were submitted lately.
    #[error("rate limit reached: {allowed} tasks submitted within {within_ms} ms")]
    TooManyRequests {
        /// The limit.
        allowed: u32,
        /// The length of the time window.
        within_ms: u64,
    },
    /// The disk is full. Nothing was written; the append may be retried.
    #[error("the disk is full")]
    Full,
    /// The store cannot be trusted any more. Nothing is acknowledged until it is opened again.
    #[error("the journal stopped after an error: {0}")]
    Broken(String),
}

/// The reason for which a journal cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// There is no such task.
    #[error("task `{0}` not found")]
    NotFound(TaskId),
    /// The task was erased.
    #[error("{0} was erased")]
    Erased(TaskId),
    /// An entry is not what was written.
    #[error("the journal of {task} is damaged at event {seq}: {why}")]
    Damaged {
        /// The task.
        task: TaskId,
        /// The sequence number of the entry.
        seq: u64,
        /// The damage.
        why: String,
    },
    /// An entry of a later version: its kind or its form is unknown here.
    #[error("this version cannot read event {seq} of {task}: {why}")]
    UnknownEvent {
        /// The task.
        task: TaskId,
        /// The sequence number of the entry.
        seq: u64,
        /// The unknown part.
        why: String,
    },
    /// The store failed.
    #[error("cannot read the journal: {0}")]
    Store(String),
}

impl ReadError {
    /// Returns the message in both languages.
    pub fn words(&self) -> Bilingual {
        let zh = match self {
            Self::NotFound(task) => format!("找不到任务 `{task}`"),
            Self::Erased(task) => format!("{task} 已被删除"),
            Self::Damaged { task, seq, why } => {
                format!("{task} 的事件日志在事件 {seq} 处损坏：{why}")
            }
            Self::UnknownEvent { task, seq, why } => {
                format!("本版本无法读取 {task} 的事件 {seq}：{why}")
            }
            Self::Store(why) => format!("无法读取事件日志：{why}"),
        };
        Bilingual { en: self.to_string(), zh }
    }
}

/// The content-addressed store of large values.
pub trait Blobs: Send + Sync {
    /// Stores content; durable when the future resolves.
    fn put(&self, content: Arc<Vec<u8>>) -> BoxFuture<'_, Result<BlobId, BlobError>>;
    /// Removes content; a missing blob is not an error.
    fn remove<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<(), BlobError>>;
    /// Returns the content of a blob, verified against its hash.
    fn get<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<Vec<u8>, BlobError>>;
}

/// The reason for which a blob cannot be stored or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// There is no such blob.
    #[error("blob {0} is missing")]
    Missing(BlobId),
    /// The content does not match its hash, or cannot be parsed.
    #[error("blob {0} is damaged")]
    Damaged(BlobId),
    /// The disk is full.
    #[error("the disk is full")]
    Full,
    /// The store failed.
    #[error("cannot access the blob store: {0}")]
    Store(String),
}

impl BlobError {
    /// Returns the message in both languages.
    pub fn words(&self) -> Bilingual {
        let zh = match self {
            Self::Missing(blob) => format!("缺少大对象 {blob}"),
            Self::Damaged(blob) => format!("大对象 {blob} 已损坏"),
            Self::Full => "磁盘已满".to_owned(),
            Self::Store(why) => format!("无法访问大对象的存储：{why}"),
        };
        (self.to_string(), zh).into()
    }
}

/// The snapshots of long tasks, the newest few of each. Any of them may be lost or damaged at any time: the task is
/// then folded from its first event.
pub trait Snapshots: Send + Sync {
    /// Stores the state after event `seq`. Removes the oldest snapshots beyond a few, and those of later events,
    /// which the journal no longer has.
    fn put<'a>(
        &'a self,
        task: &'a TaskId,
        seq: u64,
        content: Vec<u8>,
    ) -> BoxFuture<'a, Result<(), String>>;
    /// Returns the sequence numbers of the stored snapshots, newest first.
    fn kept<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Vec<u64>>;
    /// Returns a snapshot, if it can be read.
    fn get<'a>(&'a self, task: &'a TaskId, seq: u64) -> BoxFuture<'a, Option<Vec<u8>>>;
    /// Removes all snapshots of a task.
    fn forget<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Result<(), String>>;
}

/// The time, and timers.
pub trait Clock: Send + Sync {
    /// Returns the current time. Never goes back.
    fn now(&self) -> Timestamp;
    /// Resolves at that time or soon after.
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()>;
}

/// A tool that a step can call.
///
/// Dropping the stream cancels the call: nothing of it may continue afterwards.
pub trait Callable: Send + Sync {
    /// Makes the call. The output is a stream of chunks, which ends with the first error.
    fn exec(&self, invocation: Invocation) -> OutputStream<'_>;

    /// Returns information for a model that writes arguments for this tool, such as the tables of a database.
    fn about(&self, timeout_ms: u64) -> BoxFuture<'_, Result<String, Fault>> {
        let _ = timeout_ms;
        Box::pin(futures::future::ready(Ok(String::new())))
    }
}

/// The chunks of an output. Dropping the stream cancels the call.
pub type OutputStream<'a> = BoxStream<'a, Result<OutputChunk, FailedCall>>;

/// Returns a stream with the whole output as one chunk.
pub fn whole<'a>(
    output: impl Future<Output = Result<Value, FailedCall>> + Send + 'a,
) -> OutputStream<'a> {
    stream::once(output).map_ok(OutputChunk::Data).boxed()
}

/// Folds all chunks into one output.
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
    /// The fault.
    pub fault: Fault,
    /// The output that it produced nevertheless.
    pub output: Option<Value>,
}

impl From<Fault> for FailedCall {
    fn from(fault: Fault) -> Self {
        Self { fault, output: None }
    }
}

/// The input of one tool call.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The task.
    pub task: TaskId,
    /// The step.
    pub step: StepId,
    /// The attempt.
    pub attempt: u32,
    /// The idempotency key: the same for all attempts of one generation.
    pub key: String,
    /// The complete arguments.
    pub arguments: Value,
    /// The timeout of the call.
    pub timeout_ms: u64,
    /// The string parameters that a person wrote in a plan or a flow, unresolved, with their placeholders. A tool may
    /// trust text that a person wrote where it does not trust the same value from data or from a model.
    pub written: BTreeMap<String, String>,
}

/// A language model.
///
/// Dropping the future ends the call: nothing more is sent or paid for.
pub trait Model: Send + Sync {
    /// Sends a request, and streams the reply to `said`. Only the returned reply counts.
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswered, ModelCallFailed>>;
}

/// The store of experiences of finished tasks. The journal has them too: lost ones can be restored from it.
pub trait Experiences: Send + Sync {
    /// Stores the experience of a task, or returns the error. A later one replaces an earlier one, so storing is
    /// idempotent.
    fn keep(&self, taught: &TaughtExperience<'_>) -> Result<(), String>;
    /// Removes the experience of a task.
    fn forget(&self, task: &TaskId) -> Result<(), String>;
    /// Returns the successful tasks of a tenant with the most similar goals, most similar first, and the task
    /// `named`, if it is not among them. Each has the time of its experience, and is barred if its plan misled a
    /// later task. May read a file.
    fn recall(&self, asked: &RecallRequest<'_>) -> Result<Vec<RecalledTask>, String>;
}

/// A query for similar tasks.
#[derive(Clone, Copy, Debug)]
pub struct RecallRequest<'a> {
    /// The tenant whose tasks are searched.
    pub tenant: &'a Tenant,
    /// The goal to compare with.
    pub goal: &'a str,
    /// The maximum number of tasks, besides `named`.
    pub most: usize,
    /// A task to return regardless of its similarity.
    pub named: Option<&'a TaskId>,
}

/// The experience of a task, to be stored.
#[derive(Clone, Copy, Debug)]
pub struct TaughtExperience<'a> {
    /// The tenant that the task belongs to.
    pub tenant: &'a Tenant,
    /// The task.
    pub task: &'a TaskId,
    /// The sequence number of the entry that contains it.
    pub seq: u64,
    /// The time of that entry.
    pub at: Timestamp,
    /// The experience.
    pub experience: &'a Experience,
}

/// A store that drops all experiences.
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
    /// Returns a model by its name in the settings.
    fn get(&self, name: &str) -> Option<Arc<dyn Model>>;
}

/// A collection without models.
pub struct NoModels;

impl Models for NoModels {
    fn get(&self, _: &str) -> Option<Arc<dyn Model>> {
        None
    }
}

/// A callback that receives the deltas of a streamed reply.
pub type ReplyListener<'a> = &'a mut (dyn FnMut(Delta) + Send);

/// A successful model call.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAnswered {
    /// The reply.
    pub reply: ModelReply,
    /// The token usage of failed attempts before it.
    pub spent: TokenUsage,
}

/// A model call that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCallFailed {
    /// The fault of the last attempt.
    pub fault: ask::fault::ModelFault,
    /// The token usage of all attempts.
    pub spent: TokenUsage,
}

/// Makes tool manifests callable.
pub trait ConnectTools: Send + Sync {
    /// Returns the implementation behind a manifest, or the reason why there is none.
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String>;
}
