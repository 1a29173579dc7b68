//! A journal, blobs and snapshots in memory; the journal can be copied as a crash after any event would leave it.

use futures::future::BoxFuture;
use praxis_core::hash::content_hash;
use praxis_core::ids::{BlobId, TaskId, Tenant};
use praxis_core::journal::event::Entry;
use praxis_core::journal::read::read as event;
use praxis_core::state::{State, TaskStatus};
use praxis_core::time::Timestamp;
use praxis_engine::seams::{
    AppendError, BlobError, Blobs, ErasableJournal, Journal, JournalAppend, KeyHolder, ReadError,
    Snapshots, TaskRow, WrittenEntry,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A journal in memory, lost when the process ends.
#[derive(Clone, Default)]
pub struct MemoryJournal {
    tasks: Arc<Mutex<BTreeMap<TaskId, MemoryTask>>>,
    /// The snapshots kept beside the journal.
    pub snapshots: MemorySnapshots,
}

#[derive(Clone)]
struct MemoryTask {
    written: Vec<WrittenEntry>,
    row: TaskRow,
    key: Option<(String, String)>,
    tenant: Tenant,
    began: u64,
}

impl MemoryJournal {
    fn tasks(&self) -> MutexGuard<'_, BTreeMap<TaskId, MemoryTask>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the entries of a task, without those that cannot be parsed.
    pub fn entries(&self, task: &TaskId) -> Vec<Entry> {
        let tasks = self.tasks();
        tasks.get(task).map_or(vec![], |kept| kept.written.iter().filter_map(entry).collect())
    }

    /// Returns a copy as a crash right after event `seq` of the task would leave it. It keeps the later snapshots of
    /// the task, as if an old copy of the journal had been restored.
    #[must_use]
    pub fn crashed_after(&self, task: &TaskId, seq: u64) -> Self {
        let mut tasks = self.tasks().clone();
        if let Some(kept) = tasks.get_mut(task) {
            kept.written.retain(|written| written.seq <= seq);
            let left: Vec<Entry> = kept.written.iter().filter_map(entry).collect();
            let state = State::replay(&left).unwrap_or_default();
            kept.row.status = state.status();
            kept.row.wake_at = state.alarm();
        }
        let snapshots = self.snapshots.copied();
        snapshots.recall(task);
        Self { tasks: Arc::new(Mutex::new(tasks)), snapshots }
    }
}

fn entry(written: &WrittenEntry) -> Option<Entry> {
    let event = event(&written.body).ok()?;
    Some(Entry { seq: written.seq, at: written.at, event })
}

fn known(task: &TaskId, written: &WrittenEntry) -> Result<Entry, ReadError> {
    let (seq, at) = (written.seq, written.at);
    match event(&written.body) {
        Ok(event) => Ok(Entry { seq, at, event }),
        Err(unread) => {
            Err(ReadError::UnknownEvent { task: task.clone(), seq, why: unread.to_string() })
        }
    }
}

impl ErasableJournal for MemoryJournal {
    fn erase(
        &self,
        task: TaskId,
        _at: Timestamp,
    ) -> BoxFuture<'_, Result<Vec<BlobId>, AppendError>> {
        self.tasks().remove(&task);
        Box::pin(async { Ok(vec![]) })
    }
}

impl Journal for MemoryJournal {
    fn append(&self, append: Arc<JournalAppend>) -> BoxFuture<'_, Result<(), AppendError>> {
        Box::pin(async move { self.append_now(Arc::unwrap_or_clone(append)) })
    }

    fn read<'a>(
        &'a self,
        task: &'a TaskId,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>> {
        Box::pin(async move {
            let tasks = self.tasks();
            let kept = tasks.get(task).ok_or_else(|| ReadError::NotFound(task.clone()))?;
            let wanted = kept.written.iter().filter(|written| written.seq > after);
            wanted.map(|written| known(task, written)).collect()
        })
    }

    fn holder<'a>(
        &'a self,
        tenant: &'a Tenant,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<KeyHolder>, ReadError>> {
        Box::pin(async move {
            let holds = |(task, kept): (&TaskId, &MemoryTask)| {
                let (held, fingerprint) = kept.key.clone()?;
                let is_it = held == key && kept.tenant == *tenant;
                is_it.then(|| KeyHolder { task: task.clone(), fingerprint })
            };
            Ok(self.tasks().iter().find_map(holds))
        })
    }

    fn runnable(&self) -> BoxFuture<'_, Result<Vec<TaskId>, ReadError>> {
        let tasks = self.tasks();
        let can_go_on = |kept: &MemoryTask| {
            let waits = kept.row.status == TaskStatus::Waiting && kept.row.wake_at.is_none();
            !kept.row.status.is_final() && !waits
        };
        let runnable = tasks.iter().filter(|(_, kept)| can_go_on(kept));
        let runnable = runnable.map(|(task, _)| task.clone()).collect();
        Box::pin(async move { Ok(runnable) })
    }
}

impl MemoryJournal {
    fn append_now(&self, append: JournalAppend) -> Result<(), AppendError> {
        let mut tasks = self.tasks();
        let found = tasks.get(&append.task).map_or(0, |kept| kept.written.len() as u64);
        let key = append.opening.as_ref().and_then(|opening| opening.key.clone());
        if let Some((key, fingerprint)) = &key {
            let tenant = append.opening.as_ref().map(|opening| &opening.tenant);
            let holds = |kept: &MemoryTask| {
                kept.key.as_ref().is_some_and(|held| held.0 == *key) && Some(&kept.tenant) == tenant
            };
            let holder = tasks.iter().find(|(_, kept)| holds(kept));
            if let Some((task, kept)) = holder {
                let same = kept.key.as_ref().is_some_and(|k| k.1 == *fingerprint);
                return Err(AppendError::KeyTaken { task: task.clone(), same });
            }
        }
        if let Some(opening) = append.opening.as_ref().filter(|_| found == 0) {
            let since = opening.at.0.saturating_sub(opening.intake_limits.within_ms);
            let began = |kept: &&MemoryTask| kept.began > since;
            let count = |of: &dyn Fn(&&MemoryTask) -> bool| {
                let theirs = tasks.values().filter(|kept| kept.tenant == opening.tenant);
                u32::try_from(theirs.filter(of).count()).unwrap_or(u32::MAX)
            };
            let open = count(&|kept| !kept.row.status.is_final());
            if let Some(refused) = opening.intake_limits.refuses(open, count(&began)) {
                return Err(refused);
            }
        }
        let known = tasks.contains_key(&append.task) || append.opening.is_some();
        if found != append.after || !known {
            return Err(AppendError::Conflict { expected: append.after, found });
        }
        let tenant = append.opening.as_ref().map(|it| it.tenant.clone()).unwrap_or_default();
        let began = append.opening.as_ref().map_or(0, |opening| opening.at.0);
        let fresh = MemoryTask { written: vec![], row: append.row.clone(), key, tenant, began };
        let kept = tasks.entry(append.task).or_insert(fresh);
        kept.written.extend(append.entries);
        kept.row = append.row;
        Ok(())
    }
}

/// Blobs in memory, lost when the process ends.
#[derive(Clone, Default)]
pub struct MemoryBlobs {
    contents: Arc<Mutex<BTreeMap<BlobId, Arc<Vec<u8>>>>>,
}

impl MemoryBlobs {
    /// Returns the ids of all stored blobs.
    pub fn ids(&self) -> Vec<BlobId> {
        let contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.keys().cloned().collect()
    }
}

impl Blobs for MemoryBlobs {
    fn put(&self, content: Arc<Vec<u8>>) -> BoxFuture<'_, Result<BlobId, BlobError>> {
        Box::pin(async move {
            let id = BlobId::from(content_hash(&content));
            let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
            contents.insert(id.clone(), content);
            Ok(id)
        })
    }

    fn remove<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<(), BlobError>> {
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.remove(id);
        Box::pin(async { Ok(()) })
    }

    fn get<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<Vec<u8>, BlobError>> {
        Box::pin(async move {
            let contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
            let content = contents.get(id).map(|content| content.as_ref().clone());
            content.ok_or_else(|| BlobError::Missing(id.clone()))
        })
    }
}

/// Snapshots in memory, lost when the process ends.
#[derive(Clone, Default)]
pub struct MemorySnapshots {
    tasks: Arc<Mutex<BTreeMap<TaskId, TaskSnapshots>>>,
}

#[derive(Clone)]
struct MemorySnapshot {
    content: Vec<u8>,
    forgotten: bool,
}

type TaskSnapshots = BTreeMap<u64, MemorySnapshot>;

impl MemorySnapshots {
    fn of<T>(&self, task: &TaskId, look: impl FnOnce(&mut TaskSnapshots) -> T) -> T {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        look(tasks.entry(task.clone()).or_default())
    }

    /// Restores every snapshot that was ever kept of a task, as if the crash had come before it was forgotten.
    pub fn recall(&self, task: &TaskId) {
        self.of(task, |kept| kept.values_mut().for_each(|snapshot| snapshot.forgotten = false));
    }

    /// Returns an independent copy.
    #[must_use]
    pub fn copied(&self) -> Self {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { tasks: Arc::new(Mutex::new(tasks)) }
    }

    /// Flips a bit in the snapshot after event `seq`.
    pub fn damage(&self, task: &TaskId, seq: u64) {
        self.of(task, |kept| {
            if let Some(byte) = kept.get_mut(&seq).and_then(|kept| kept.content.last_mut()) {
                *byte ^= 1;
            }
        });
    }
}

impl Snapshots for MemorySnapshots {
    fn put<'a>(
        &'a self,
        task: &'a TaskId,
        seq: u64,
        content: Vec<u8>,
    ) -> BoxFuture<'a, Result<(), String>> {
        self.of(task, |kept| {
            kept.insert(seq, MemorySnapshot { content, forgotten: false });
            kept.range_mut(seq + 1..).for_each(|(_, later)| later.forgotten = true);
        });
        Box::pin(async { Ok(()) })
    }

    fn kept<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Vec<u64>> {
        let there = |kept: &mut TaskSnapshots| {
            let there = kept.iter().rev().filter(|(_, snapshot)| !snapshot.forgotten);
            there.map(|(seq, _)| *seq).collect()
        };
        let kept = self.of(task, there);
        Box::pin(async { kept })
    }

    fn get<'a>(&'a self, task: &'a TaskId, seq: u64) -> BoxFuture<'a, Option<Vec<u8>>> {
        let there = |kept: &mut TaskSnapshots| {
            let found = kept.get(&seq).filter(|snapshot| !snapshot.forgotten);
            found.map(|snapshot| snapshot.content.clone())
        };
        let content = self.of(task, there);
        Box::pin(async { content })
    }

    fn forget<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Result<(), String>> {
        self.of(task, |kept| kept.values_mut().for_each(|snapshot| snapshot.forgotten = true));
        Box::pin(async { Ok(()) })
    }
}
