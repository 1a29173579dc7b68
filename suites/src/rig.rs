//! Helpers of suites on the real clock: time, a folder on a real disk, and a durable engine.

use praxis_adapters::blobs::FileBlobs;
use praxis_adapters::snapshots::FileSnapshots;
use praxis_adapters::sqlite::{Commits, SqliteJournal};
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::EngineParts;
pub(crate) use praxis_testkit::real_time::{Stopwatch, sleep};
use praxis_testkit::tools::ScriptedTools;
use praxis_testkit::world::parts;
pub(crate) use praxis_testkit::world::request;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Creates a temporary folder in `target`, so that it is on a real disk rather than in a RAM disk.
pub(crate) fn folder() -> anyhow::Result<TempDir> {
    std::fs::create_dir_all("target")?;
    Ok(tempfile::tempdir_in("target")?)
}

/// Builds the parts of an engine that stores its data in `folder`.
pub(crate) fn durable(folder: &Path, tools: ScriptedTools) -> anyhow::Result<EngineParts> {
    let commits = Commits { most: 1024, inline_single: true };
    let journal = SqliteJournal::open(&folder.join("praxis.db"), commits)?;
    let blobs = FileBlobs::open(&folder.join("blobs"))?;
    let parts = parts(Arc::new(journal), Arc::new(blobs), Arc::new(tools));
    let snapshots = Arc::new(FileSnapshots::new(&folder.join("snapshots")));
    let clock = Arc::new(TokioClock::real());
    Ok(EngineParts { clock, snapshots, snapshot_after: 10_000, ..parts })
}

/// Builds a runtime like that of the binary.
pub(crate) fn runtime() -> anyhow::Result<Runtime> {
    Ok(Builder::new_multi_thread().enable_all().worker_threads(2).build()?)
}
