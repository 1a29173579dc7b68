//! Helpers of all workloads: a clock, a folder, an engine on a real disk.

use anyhow::Context;
use praxis_adapters::blobs::FileBlobs;
use praxis_adapters::snapshots::FileSnapshots;
use praxis_adapters::sqlite::{Commits, SqliteJournal};
use praxis_engine::clock::TokioClock;
use praxis_engine::engine::{Engine, EngineParts};
pub(crate) use praxis_testkit::real_time::{Stopwatch, sleep};
use praxis_testkit::tools::ScriptedTools;
use praxis_testkit::world::parts;
pub(crate) use praxis_testkit::world::request;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Creates a temporary folder on the disk of the project, not on a RAM disk.
pub(crate) fn folder() -> anyhow::Result<TempDir> {
    std::fs::create_dir_all("target")?;
    Ok(tempfile::tempdir_in("target")?)
}

/// Creates an engine that stores its data in `folder`.
pub(crate) fn engine(folder: &Path, tools: ScriptedTools) -> anyhow::Result<Engine> {
    Ok(Engine::new(durable(folder, tools)?))
}

/// Creates the parts of an engine that stores its data in `folder`.
pub(crate) fn durable(folder: &Path, tools: ScriptedTools) -> anyhow::Result<EngineParts> {
    let commits = Commits { most: 1024, inline_single: true };
    let journal = SqliteJournal::open(&folder.join("praxis.db"), commits)?;
    let blobs = FileBlobs::open(&folder.join("blobs"))?;
    let parts = parts(Arc::new(journal), Arc::new(blobs), Arc::new(tools));
    let snapshots = Arc::new(FileSnapshots::new(&folder.join("snapshots")));
    let clock = Arc::new(TokioClock::real());
    Ok(EngineParts { clock, snapshots, snapshot_after: 10_000, ..parts })
}

/// Returns the median, or 0 for no values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Returns the bytes that the files in a folder occupy on disk.
pub(crate) fn disk_bytes(folder: &Path) -> anyhow::Result<f64> {
    let mut sum = 0.0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // `blocks()` counts units of 512 bytes on every file system.
        sum += if entry.file_type()?.is_dir() {
            disk_bytes(&entry.path())?
        } else {
            entry.metadata()?.blocks() as f64 * 512.0
        };
    }
    Ok(sum)
}

/// Returns the resident memory of this process, in MiB.
pub(crate) fn rss_mib() -> anyhow::Result<f64> {
    memory("VmRSS:")
}

/// Returns the peak resident memory of this process, in MiB.
pub(crate) fn peak_rss_mib() -> anyhow::Result<f64> {
    memory("VmHWM:")
}

fn memory(name: &str) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(name)).context("no such figure")?;
    let kib: f64 = line.split_whitespace().nth(1).context("no figure")?.parse()?;
    Ok(kib / 1024.0)
}

/// Returns the user and system CPU seconds of this process so far.
pub(crate) fn cpu_seconds() -> f64 {
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

/// Creates a runtime like that of the binary.
pub(crate) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build()?)
}
