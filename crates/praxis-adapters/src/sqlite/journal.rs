//! The `Journal` on `SQLite`: appends go to the writer, reads use a connection of their own.
//!
//! Appends of many tasks wait in a queue, and a thread commits all of them together. A lone append is committed on
//! the calling thread: two threads that wake each other would take half as long as the commit itself.

use super::line::{CommitQueue, QueueState};
use super::open::{OpenError, for_writing};
use super::reader::JournalReader;
use super::writer::{AppendJob, Writer, WriterWork};
use futures::future::BoxFuture;
use praxis_core::ids::{BlobId, TaskId, Tenant};
use praxis_core::journal::event::Entry;
use praxis_core::time::Timestamp;
use praxis_engine::seams::{
    AppendError, ErasableJournal, Journal, JournalAppend, KeyHolder, ReadError,
};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// The journal of one data folder. Only one process may open it.
pub struct SqliteJournal {
    jobs: Option<Sender<WriterWork>>,
    writer: Arc<Mutex<Writer>>,
    crowd: Arc<QueueState>,
    reader: Arc<Mutex<JournalReader>>,
    thread: Option<JoinHandle<()>>,
}

/// Settings for commits.
#[derive(Clone, Copy, Debug)]
pub struct Commits {
    /// Maximum number of appends in one commit.
    pub most: usize,
    /// True if a lone append is committed on the calling thread.
    pub inline_single: bool,
}

impl SqliteJournal {
    /// Opens or creates the database.
    pub fn open(path: &Path, commits: Commits) -> Result<Self, OpenError> {
        let failed = |why: String| OpenError::Sqlite { path: path.display().to_string(), why };
        let connection = for_writing(path)?;
        let writer =
            Writer::new(connection, commits.most.max(1)).map_err(|e| failed(e.to_string()))?;
        let (writer, crowd) =
            (Arc::new(Mutex::new(writer)), Arc::new(QueueState::new(commits.inline_single)));
        let reader = Arc::new(Mutex::new(JournalReader::open(path)?));
        let (jobs, line) = channel();
        let line = CommitQueue::new(line, Arc::clone(&crowd), commits.inline_single);
        let served = Arc::clone(&writer);
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || line.serve(&served))
            .map_err(|e| failed(e.to_string()))?;
        Ok(Self { jobs: Some(jobs), writer, crowd, reader, thread: Some(thread) })
    }

    /// Commits an append on the calling thread if nobody else writes or waits.
    fn append_alone(&self, append: &Arc<JournalAppend>) -> Option<Result<(), AppendError>> {
        if !self.crowd.is_absent() {
            return None;
        }
        // If the lock is taken, the append joins the queue.
        let mut writer = self.writer.try_lock().ok()?;
        let answer = writer.commit_alone(Arc::clone(append));
        if writer.wants_tending() {
            // If the thread has ended, the log needs no maintenance either.
            let _ = self.send(WriterWork::Tend);
        }
        Some(answer)
    }

    fn send(&self, work: WriterWork) -> Result<(), AppendError> {
        self.crowd.one_more();
        let sent = self.jobs.as_ref().and_then(|jobs| jobs.send(work).ok());
        sent.ok_or_else(gone)
    }

    fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&JournalReader) -> Result<T, ReadError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, ReadError>> {
        let reader = Arc::clone(&self.reader);
        Box::pin(async move {
            let looked = tokio::task::spawn_blocking(move || {
                look(&reader.lock().unwrap_or_else(PoisonError::into_inner))
            });
            looked.await.map_err(|error| ReadError::Store(error.to_string()))?
        })
    }
}

fn gone() -> AppendError {
    AppendError::Broken("the journal's thread ended".to_owned())
}

impl Journal for SqliteJournal {
    fn append(&self, append: Arc<JournalAppend>) -> BoxFuture<'_, Result<(), AppendError>> {
        Box::pin(async move {
            if let Some(answer) = self.append_alone(&append) {
                return answer;
            }
            let (reply, answer) = oneshot::channel();
            self.send(WriterWork::Append(Box::new(AppendJob { append, reply })))?;
            answer.await.map_err(|_| gone())?
        })
    }

    fn read<'a>(
        &'a self,
        task: &'a TaskId,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>> {
        let task = task.clone();
        self.look(move |reader| reader.entries(&task, after))
    }

    fn holder<'a>(
        &'a self,
        tenant: &'a Tenant,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<KeyHolder>, ReadError>> {
        let (tenant, key) = (tenant.clone(), key.to_owned());
        self.look(move |reader| reader.holder(&tenant, &key))
    }

    fn runnable(&self) -> BoxFuture<'_, Result<Vec<TaskId>, ReadError>> {
        self.look(JournalReader::runnable)
    }
}

impl ErasableJournal for SqliteJournal {
    fn erase(
        &self,
        task: TaskId,
        at: Timestamp,
    ) -> BoxFuture<'_, Result<Vec<BlobId>, AppendError>> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            self.send(WriterWork::Erase { task, at, reply })?;
            answer.await.map_err(|_| gone())?
        })
    }
}

impl Drop for SqliteJournal {
    /// Waits for the writer thread, so that the database is closed on return.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
