//! The seam: appends go to the writer's thread, reads to a connection of their own.

use super::open::{OpenError, for_writing};
use super::reader::Reader;
use super::writer::{Job, Work, Writer};
use futures::future::BoxFuture;
use praxis_core::ids::{BlobId, TaskId};
use praxis_core::journal::event::Entry;
use praxis_core::time::At;
use praxis_engine::seams::{Append, AppendError, Forget, Journal, ReadError};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// The journal of one data folder. Only one process may have it open.
pub struct SqliteJournal {
    jobs: Option<Sender<Work>>,
    reader: Arc<Mutex<Reader>>,
    thread: Option<JoinHandle<()>>,
}

impl SqliteJournal {
    /// Opens or creates the database. At most `group` appends share a commit.
    pub fn open(path: &Path, group: usize) -> Result<Self, OpenError> {
        let failed = |why: String| OpenError::Sqlite { path: path.display().to_string(), why };
        let connection = for_writing(path)?;
        let writer = Writer::new(connection, group.max(1)).map_err(|e| failed(e.to_string()))?;
        let reader = Arc::new(Mutex::new(Reader::open(path)?));
        let (jobs, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || writer.run(&inbox))
            .map_err(|e| failed(e.to_string()))?;
        Ok(Self { jobs: Some(jobs), reader, thread: Some(thread) })
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

impl Journal for SqliteJournal {
    fn append(&self, append: Arc<Append>) -> BoxFuture<'_, Result<(), AppendError>> {
        let gone = || AppendError::Broken("the journal's thread ended".to_owned());
        Box::pin(async move {
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
