//! The seam: appends go to the writer, reads to a connection of their own.
//!
//! Appends of many tasks wait in a line, and a thread commits all that wait together. An append that is
//! alone is committed where it is made: two threads that wake each other would take half as long as the
//! commit itself.

use super::open::{OpenError, for_writing};
use super::reader::Reader;
use super::writer::{Job, Work, Writer};
use futures::future::BoxFuture;
use praxis_core::ids::{BlobId, TaskId};
use praxis_core::journal::event::Entry;
use praxis_core::time::At;
use praxis_engine::seams::{Append, AppendError, Forget, Journal, ReadError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// The journal of one data folder. Only one process may have it open.
pub struct SqliteJournal {
    jobs: Option<Sender<Work>>,
    writer: Arc<Mutex<Writer>>,
    /// Whether appends have come one at a time of late.
    calm: Arc<AtomicBool>,
    reader: Arc<Mutex<Reader>>,
    thread: Option<JoinHandle<()>>,
}

/// How appends become commits.
#[derive(Clone, Copy, Debug)]
pub struct Commits {
    /// At most so many appends share one.
    pub most: usize,
    /// Whether an append that is alone is committed by the thread that makes it.
    pub lone: bool,
}

impl SqliteJournal {
    /// Opens or creates the database.
    pub fn open(path: &Path, commits: Commits) -> Result<Self, OpenError> {
        let failed = |why: String| OpenError::Sqlite { path: path.display().to_string(), why };
        let connection = for_writing(path)?;
        let writer = Writer::new(connection, path, commits.most.max(1))
            .map_err(|e| failed(e.to_string()))?;
        let (writer, calm) =
            (Arc::new(Mutex::new(writer)), Arc::new(AtomicBool::new(commits.lone)));
        let reader = Arc::new(Mutex::new(Reader::open(path)?));
        let (jobs, line) = channel();
        let (thread_writer, thread_calm) = (Arc::clone(&writer), Arc::clone(&calm));
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || serve(&thread_writer, commits.lone.then_some(&*thread_calm), &line))
            .map_err(|e| failed(e.to_string()))?;
        Ok(Self { jobs: Some(jobs), writer, calm, reader, thread: Some(thread) })
    }

    /// Commits an append here and now, if nobody else writes.
    fn append_alone(&self, append: &Arc<Append>) -> Option<Result<(), AppendError>> {
        if !self.calm.load(Ordering::Relaxed) {
            return None;
        }
        // Somebody may only be finishing. If there is a crowd, the line will see it.
        let mut writer = self.writer.try_lock().ok()?;
        Some(writer.commit_alone(Arc::clone(append)))
    }

    fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Reader) -> Result<T, ReadError> + Send + 'static,
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

/// So many commits of one append each, and the line is taken to be empty mostly.
const CALM: u32 = 32;

/// Commits what waits in line until the last sender is gone.
fn serve(writer: &Mutex<Writer>, calm: Option<&AtomicBool>, line: &Receiver<Work>) {
    let lock = || writer.lock().unwrap_or_else(PoisonError::into_inner);
    let mut lone = 0;
    while let Ok(first) = line.recv() {
        let shared = lock().work(first, line);
        lone = if shared > 1 { 0 } else { lone + 1 };
        if let Some(calm) = calm {
            calm.store(lone >= CALM, Ordering::Relaxed);
        }
    }
    lock().close();
}

impl Journal for SqliteJournal {
    fn append(&self, append: Arc<Append>) -> BoxFuture<'_, Result<(), AppendError>> {
        let gone = || AppendError::Broken("the journal's thread ended".to_owned());
        Box::pin(async move {
            if let Some(answer) = self.append_alone(&append) {
                return answer;
            }
            let (reply, answer) = oneshot::channel();
            let jobs = self.jobs.as_ref().ok_or_else(gone)?;
            let job = Box::new(Job { append, reply });
            jobs.send(Work::Append(job)).map_err(|_| gone())?;
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

    fn runnable(&self) -> BoxFuture<'_, Result<Vec<TaskId>, ReadError>> {
        self.look(Reader::runnable)
    }
}

impl Forget for SqliteJournal {
    fn erase(&self, task: TaskId, at: At) -> BoxFuture<'_, Result<Vec<BlobId>, AppendError>> {
        let gone = || AppendError::Broken("the journal's thread ended".to_owned());
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            let jobs = self.jobs.as_ref().ok_or_else(gone)?;
            jobs.send(Work::Erase { task, at, reply }).map_err(|_| gone())?;
            answer.await.map_err(|_| gone())?
        })
    }
}

impl Drop for SqliteJournal {
    /// Waits for the writer, so that the database is closed when this returns.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
