//! What every workload needs: a clock, a folder, an engine on a real disk.

use praxis_adapters::blobs::FileBlobs;
use praxis_adapters::sqlite::SqliteJournal;
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::{Engine, Parts};
use praxis_testkit::tools::ScriptedTools;
use praxis_testkit::world::parts;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tempfile::TempDir;

/// Time that passed.
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins to measure.
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// How much, in seconds.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// A new folder on the disk that the project is on, not in a RAM disk.
pub fn folder() -> anyhow::Result<TempDir> {
    std::fs::create_dir_all("target")?;
    Ok(tempfile::tempdir_in("target")?)
}

/// An engine that is durable in `folder`.
pub fn engine(folder: &Path, tools: ScriptedTools) -> anyhow::Result<Engine> {
    let journal = SqliteJournal::open(&folder.join("praxis.db"), 1024)?;
    let blobs = FileBlobs::open(&folder.join("blobs"))?;
    let parts = parts(Arc::new(journal), Arc::new(blobs), Arc::new(tools));
    Ok(Engine::new(Parts { clock: Arc::new(TokioClock::real()), ..parts }))
}

/// User and system CPU seconds of this process so far.
pub fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    ticks / 100.0
}

/// A runtime like that of the binary.
pub fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build()?)
}
