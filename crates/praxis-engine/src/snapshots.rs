//! Stores snapshots of long tasks, so that loading one folds only the entries since then.
//!
//! - in: the state after each append
//! - out: a snapshot each time the journal has doubled; a state restored from the newest usable snapshot
//! - never: required: without a usable snapshot the journal is folded from its first event

use crate::engine::EngineInner;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::Entry;
use praxis_core::replay::snapshot;
use praxis_core::state::State;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// The snapshots of the task that a driver drives.
#[derive(Default)]
pub(crate) struct SnapshotKeeping {
    /// The sequence number of the newest snapshot; zero if there is none.
    pub(crate) last: u64,
    /// The snapshot that is being stored.
    storing: Option<JoinHandle<()>>,
}

impl SnapshotKeeping {
    /// Handles an append: stores a snapshot if it is time for one, and removes all when the task ended.
    pub(crate) async fn appended(
        &mut self,
        engine: &Arc<EngineInner>,
        (task, state): (&TaskId, &State),
        last: Option<&Entry>,
    ) {
        let is_long = engine.snapshot_after > 0 && state.seq >= engine.snapshot_after;
        if state.status().is_final() {
            if is_long || self.last > 0 {
                self.settle().await;
                self.last = 0;
                warned(task, engine.snapshots.forget(task).await);
            }
        } else if is_long
            && state.seq / 2 >= self.last
            && let Some(last) = last
        {
            self.settle().await;
            self.last = state.seq;
            // Serialized here, while the state does not change; stored in the background.
            let Some(kept) = snapshot::write(state, last) else { return };
            let (engine, task, seq) = (Arc::clone(engine), task.clone(), state.seq);
            self.storing = Some(tokio::spawn(async move {
                warned(&task, engine.snapshots.put(&task, seq, kept).await);
            }));
        }
    }

    /// Waits until no snapshot is being stored.
    pub(crate) async fn settle(&mut self) {
        if let Some(storing) = self.storing.take() {
            // A snapshot that was not stored does no harm.
            let _ = storing.await;
        }
    }
}

/// Logs a snapshot error: it only makes the next load slower.
fn warned(task: &TaskId, result: Result<(), String>) {
    if let Err(why) = result {
        tracing::warn!(%task, "a snapshot cannot be kept: {why}");
    }
}

/// Restores a task from its newest usable snapshot; returns the state and the sequence number of the snapshot.
pub(crate) async fn restored(engine: &EngineInner, task: &TaskId) -> Option<(State, u64)> {
    for seq in engine.snapshots.kept(task).await {
        let Some(kept) = engine.snapshots.get(task, seq).await else { continue };
        let Some(snapshot) = snapshot::read(&kept) else { continue };
        drop(kept);
        // Errors of the journal are reported when it is read from its first event.
        let Ok(entries) = engine.journal.read(task, seq.saturating_sub(1)).await else { continue };
        if let Some(Ok(state)) = snapshot.continued(&entries) {
            return Some((state, seq));
        }
    }
    None
}
