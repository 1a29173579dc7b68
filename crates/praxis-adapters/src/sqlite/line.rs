//! Queue of work for the writer, with a state that lone appends check before they skip it.

use super::writer::{Writer, WriterWork};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

/// State of the queue that can be read without locking it.
pub(super) struct QueueState {
    /// Number of items in the queue.
    waiting: AtomicUsize,
    /// True if the latest commits had one append each.
    calm: AtomicBool,
}

impl QueueState {
    /// Creates the state of an empty queue. Without `lone` no append ever skips the queue.
    pub(super) fn new(lone: bool) -> Self {
        Self { waiting: AtomicUsize::new(0), calm: AtomicBool::new(lone) }
    }

    /// Counts one more item in the queue.
    pub(super) fn one_more(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns true if an append may be committed on the calling thread.
    pub(super) fn is_absent(&self) -> bool {
        self.calm.load(Ordering::Relaxed) && self.waiting.load(Ordering::Relaxed) == 0
    }
}

/// Queue of work for the writer.
pub(super) struct CommitQueue {
    work: Receiver<WriterWork>,
    crowd: Arc<QueueState>,
    lone: bool,
}

/// Number of commits with one append each after which appends may skip the queue.
const CALM: u32 = 32;

impl CommitQueue {
    /// Creates a queue that is served later.
    pub(super) fn new(work: Receiver<WriterWork>, crowd: Arc<QueueState>, lone: bool) -> Self {
        Self { work, crowd, lone }
    }

    /// Takes the next item, if there is one.
    pub(super) fn next(&self) -> Option<WriterWork> {
        let work = self.work.try_recv().ok()?;
        self.crowd.waiting.fetch_sub(1, Ordering::Relaxed);
        Some(work)
    }

    /// Commits the work in the queue until the last sender is gone.
    pub(super) fn serve(&self, writer: &Mutex<Writer>) {
        let lock = || writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut alone = CALM;
        while let Ok(first) = self.work.recv() {
            // The item counts as waiting until the lock is held, so that lone appends cannot keep overtaking it.
            let mut writer = lock();
            self.crowd.waiting.fetch_sub(1, Ordering::Relaxed);
            let shared = writer.work(first, self);
            drop(writer);
            alone = if shared > 1 { 0 } else { alone.saturating_add(1) };
            self.crowd.calm.store(self.lone && alone >= CALM, Ordering::Relaxed);
        }
        lock().close();
    }
}
