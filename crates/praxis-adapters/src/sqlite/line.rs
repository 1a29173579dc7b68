//! Where work waits for the writer, and what those who would rather not wait know of it.

use super::writer::{Writer, WriterWork};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

/// What is known of the line without looking into it.
pub(super) struct QueueState {
    /// Pieces of work that nobody has taken.
    waiting: AtomicUsize,
    /// Whether appends have come one at a time of late.
    calm: AtomicBool,
}

impl QueueState {
    /// Nobody is there. If lone appends are not wanted, it is never taken to be so.
    pub(super) fn new(lone: bool) -> Self {
        Self { waiting: AtomicUsize::new(0), calm: AtomicBool::new(lone) }
    }

    /// Somebody joins the line.
    pub(super) fn one_more(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether an append may be committed where it is made.
    pub(super) fn is_absent(&self) -> bool {
        self.calm.load(Ordering::Relaxed) && self.waiting.load(Ordering::Relaxed) == 0
    }
}

/// Where work waits.
pub(super) struct CommitQueue {
    work: Receiver<WriterWork>,
    crowd: Arc<QueueState>,
    lone: bool,
}

/// So many commits of one append each, and the line is taken to be empty mostly.
const CALM: u32 = 32;

impl CommitQueue {
    /// A line that is served later.
    pub(super) fn new(work: Receiver<WriterWork>, crowd: Arc<QueueState>, lone: bool) -> Self {
        Self { work, crowd, lone }
    }

    /// Takes what comes next, if there is something.
    pub(super) fn next(&self) -> Option<WriterWork> {
        let work = self.work.try_recv().ok()?;
        self.crowd.waiting.fetch_sub(1, Ordering::Relaxed);
        Some(work)
    }

    /// Commits what waits until the last sender is gone.
    pub(super) fn serve(&self, writer: &Mutex<Writer>) {
        let lock = || writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut alone = CALM;
        while let Ok(first) = self.work.recv() {
            // It counts as waiting until there is the lock: nobody may overtake it again and again.
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
