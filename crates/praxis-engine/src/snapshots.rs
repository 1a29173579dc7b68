//! Keeps the states of long tasks, so that reading one in costs what has happened since.
//!
//! - in: the state after each append
//! - out: a snapshot each time the journal has doubled; a state, from the newest snapshot that can be used
//! - never: needed: without any, or with bad ones, the journal is folded from its first event

use crate::engine::EngineInner;
use praxis_core::ids::TaskId;
use praxis_core::journal::event::Entry;
use praxis_core::replay::snapshot;
use praxis_core::state::State;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// What is kept of the task that a driver drives.
#[derive(Default)]
pub(crate) struct SnapshotKeeping {
    /// The event that the newest snapshot ends with; zero if there is none.
    pub(crate) last: u64,
    /// The snapshot that is being stored.
    storing: Option<JoinHandle<()>>,
}

impl SnapshotKeeping {
    /// After an append: keeps the state if it is time, forgets all that was kept when the task ended.
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
            // Written here, while nothing moves; stored aside.
            let Some(kept) = snapshot::write(state, last) else { return };
            let (engine, task, seq) = (Arc::clone(engine), task.clone(), state.seq);
            self.storing = Some(tokio::spawn(async move {
                warned(&task, engine.snapshots.put(&task, seq, kept).await);
            }));
        }
    }

    /// Waits until nothing is being stored.
    pub(crate) async fn settle(&mut self) {
        if let Some(storing) = self.storing.take() {
            // That it was not stored is no harm.
            let _ = storing.await;
        }
    }
}

/// That a snapshot cannot be kept costs time when the task is read in, and nothing else.
fn warned(task: &TaskId, result: Result<(), String>) {
    if let Err(why) = result {
        tracing::warn!(%task, "a snapshot cannot be kept: {why}");
    }
}

/// The state of a task from its newest snapshot that can be used, and the event which that ends with.
pub(crate) async fn restored(engine: &EngineInner, task: &TaskId) -> Option<(State, u64)> {
    for seq in engine.snapshots.kept(task).await {
        let Some(kept) = engine.snapshots.get(task, seq).await else { continue };
        let Some(snapshot) = snapshot::read(&kept) else { continue };
        drop(kept);
        // What is wrong with the journal is said when it is read whole.
        let Ok(entries) = engine.journal.read(task, seq.saturating_sub(1)).await else { continue };
        if let Some(Ok(state)) = snapshot.continued(&entries) {
            return Some((state, seq));
        }
    }
    None
}
