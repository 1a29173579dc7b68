//! What suites on the real clock need: time, a folder on a real disk, an engine that is durable in it.

use praxis_adapters::blobs::FileBlobs;
use praxis_adapters::snapshots::FileSnapshots;
use praxis_adapters::sqlite::{Commits, SqliteJournal};
use praxis_core::ids::Tenant;
use praxis_core::intake::plan;
use praxis_core::journal::options::Options;
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::Parts;
use praxis_engine::submit::Request;
use praxis_testkit::tools::ScriptedTools;
use praxis_testkit::world::parts;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Time that passed.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins to measure.
    #[expect(clippy::disallowed_methods, reason = "a suite on the real clock measures time")]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// How much, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Sleeps as long as asked, from now. The runtime's timers count milliseconds, which is too coarse for short steps: a
/// thread sleeps. False if it could not.
pub(crate) async fn sleep(duration: Duration) -> bool {
    let watch = Stopwatch::start();
    let rest = move || std::thread::sleep(duration.saturating_sub(watch.0.elapsed()));
    tokio::task::spawn_blocking(rest).await.is_ok()
}

/// A new folder on the disk that the project is on, not in a RAM disk.
pub(crate) fn folder() -> anyhow::Result<TempDir> {
    std::fs::create_dir_all("target")?;
    Ok(tempfile::tempdir_in("target")?)
}

/// The parts of an engine that is durable in `folder`.
pub(crate) fn durable(folder: &Path, tools: ScriptedTools) -> anyhow::Result<Parts> {
    let commits = Commits { most: 1024, lone: true };
    let journal = SqliteJournal::open(&folder.join("praxis.db"), commits)?;
    let blobs = FileBlobs::open(&folder.join("blobs"))?;
    let parts = parts(Arc::new(journal), Arc::new(blobs), Arc::new(tools));
    let snapshots = Arc::new(FileSnapshots::new(&folder.join("snapshots")));
    let clock = Arc::new(TokioClock::real());
    Ok(Parts { clock, snapshots, snapshot_after: 10_000, ..parts })
}

/// A plan to be run with these tools.
pub(crate) fn request(
    tools: &ScriptedTools,
    plan: &Value,
    options: Options,
) -> anyhow::Result<Request> {
    let plan = plan::read(plan).map_err(|problems| anyhow::anyhow!("{problems:?}"))?;
    Ok(Request {
        goal: "measure".to_owned(),
        plan,
        toolbox: tools.toolbox(),
        metadata: Map::new(),
        options,
        idempotency_key: None,
        document: None,
        tenant: Tenant::default(),
        parent: None,
        minds: None,
        flow: None,
    })
}

/// A runtime like that of the binary.
pub(crate) fn runtime() -> anyhow::Result<Runtime> {
    Ok(Builder::new_multi_thread().enable_all().worker_threads(2).build()?)
}
