//! The raw limits of the machine: synced SQLite commits and synced file appends.

use crate::report::FigureLine;
use crate::rig::{Stopwatch, folder, median};
use rusqlite::Connection;
use std::io::Write;

/// The raw figures of this run.
pub(crate) struct RawLimits {
    pub(crate) wal_full_commits_per_s: f64,
    pub(crate) commit_p50_ms: f64,
    pub(crate) fdatasync_4k_append_per_s: f64,
}

impl RawLimits {
    pub(crate) fn lines(&self) -> Vec<FigureLine> {
        vec![
            FigureLine::limit("wal_full_commits_per_s", self.wal_full_commits_per_s),
            FigureLine::limit("wal_full_commit_p50_ms", self.commit_p50_ms),
            FigureLine::limit("fdatasync_4k_append_per_s", self.fdatasync_4k_append_per_s),
        ]
    }
}

const COMMITS: u32 = 2000;

pub(crate) fn measure() -> anyhow::Result<RawLimits> {
    let folder = folder()?;
    let database = Connection::open(folder.path().join("raw.db"))?;
    database.pragma_update(None, "journal_mode", "wal")?;
    database.pragma_update(None, "synchronous", "full")?;
    database.execute_batch("create table t (n integer primary key, body text)")?;
    let body = "x".repeat(200);
    let mut times = Vec::new();
    let whole = Stopwatch::start();
    for _ in 0..COMMITS {
        let one = Stopwatch::start();
        database.prepare_cached("insert into t (body) values (?1)")?.execute([&body])?;
        times.push(one.seconds());
    }
    let wal_full_commits_per_s = f64::from(COMMITS) / whole.seconds();
    let commit_p50_ms = median(times) * 1000.0;

    let mut file = std::fs::File::create(folder.path().join("raw.bin"))?;
    let page = [7_u8; 4096];
    let whole = Stopwatch::start();
    for _ in 0..COMMITS {
        file.write_all(&page)?;
        file.sync_data()?;
    }
    let fdatasync_4k_append_per_s = f64::from(COMMITS) / whole.seconds();
    Ok(RawLimits { wal_full_commits_per_s, commit_p50_ms, fdatasync_4k_append_per_s })
}
