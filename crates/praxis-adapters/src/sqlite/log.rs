//! The write-ahead log: extends it ahead of commits and checkpoints it.
//!
//! In a growing file every sync writes the new length too, which takes half as long again. So the log is extended
//! ahead of the commits, one piece at a time. Extending and checkpointing are done after the waiting appends have
//! their answers, not inside a commit.

use super::open::BUSY;
use rusqlite::hooks::Wal;
use rusqlite::{Connection, ErrorCode};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Number of pages at which the log is checkpointed.
const FULL_PAGES: u64 = 4000;
/// Bytes of a page in the log, with its header.
const PAGE_BYTES: u64 = 4096 + 24;
/// Free space that a commit should find.
const ROOM_BYTES: u64 = 64 * PAGE_BYTES;
/// Number of pages below which a run is too short for extending to pay off.
const FEW_PAGES: u64 = 64;
/// Bytes by which the log is extended.
const PIECE_BYTES: usize = 1024 * 1024;

pub(super) struct WriteAheadLog {
    /// `None` if `SQLite` does not report the path of the database.
    path: Option<PathBuf>,
    length: Arc<LogLength>,
    /// True if erased data is still in the log because a reader kept it from being cut.
    cut_owed: bool,
}

/// Length of the log.
struct LogLength {
    /// Number of pages after the last commit.
    pages: AtomicU64,
    /// Number of pages at which the next checkpoint is due.
    empty_at: AtomicU64,
}

impl LogLength {
    fn committed(&self, pages: i32) {
        let pages = u64::try_from(pages).unwrap_or_default();
        if pages < self.pages.swap(pages, Ordering::Relaxed) {
            // The log was checkpointed and is written from its start again.
            self.empty_at.store(FULL_PAGES, Ordering::Relaxed);
        }
    }

    fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }

    fn is_full(&self) -> bool {
        self.pages() >= self.empty_at.load(Ordering::Relaxed)
    }
}

impl WriteAheadLog {
    /// Takes over the maintenance of a database's log from `SQLite`.
    pub(super) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let length = LogLength { pages: AtomicU64::new(0), empty_at: AtomicU64::new(FULL_PAGES) };
        let length = Arc::new(length);
        let counted = Arc::clone(&length);
        connection.wal_hook(Some(move |_: &mut Wal, pages: i32| {
            counted.committed(pages);
            Ok(())
        }))?;
        let path = connection.path().filter(|path| !path.is_empty());
        let path = path.map(|path| PathBuf::from(format!("{path}-wal")));
        Ok(Self { path, length, cut_owed: false })
    }

    /// Returns true if the log needs maintenance.
    pub(super) fn wants_tending(&self) -> bool {
        let pages = self.length.pages();
        self.cut_owed || self.length.is_full() || pages >= FEW_PAGES && !self.has_room(pages)
    }

    /// Checkpoints the log if it is long, else makes room in it. An error means that earlier writes may not be on
    /// disk.
    pub(super) fn tend(&mut self, connection: &Connection) -> Result<(), String> {
        let pages = self.length.pages();
        if self.cut_owed {
            // Not urgent here, so it does not wait for readers.
            let _ = connection.busy_timeout(Duration::ZERO);
            let cut = self.cut(connection);
            let _ = connection.busy_timeout(BUSY);
            return cut;
        }
        if self.length.is_full() {
            // A reader may keep the log as long as it is, so the next checkpoint waits for more pages.
            self.length.empty_at.store(pages + FULL_PAGES / 4, Ordering::Relaxed);
            return checkpoint(connection, "passive").map(drop);
        }
        match self.lengthen(pages) {
            // Without room commits are only slower; if the disk is full, they report it themselves.
            Err(error) if !is_full(&error) => Err(error.to_string()),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Empties the log. If a reader prevents it, that is done later.
    pub(super) fn cut(&mut self, connection: &Connection) -> Result<(), String> {
        self.cut_owed = !checkpoint(connection, "truncate")?;
        Ok(())
    }

    fn lengthen(&self, pages: u64) -> io::Result<()> {
        if pages < FEW_PAGES || self.has_room(pages) {
            return Ok(());
        }
        let Some(path) = &self.path else { return Ok(()) };
        // Only the write and the sync below can reveal a bad disk.
        let Ok(file) = File::options().write(true).open(path) else { return Ok(()) };
        file.write_all_at(&vec![0; PIECE_BYTES], file.metadata()?.len())?;
        file.sync_data()
    }

    fn has_room(&self, pages: u64) -> bool {
        let length = self.path.as_ref().and_then(|path| fs::metadata(path).ok());
        length.is_none_or(|found| pages * PAGE_BYTES + ROOM_BYTES <= found.len())
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Runs a checkpoint. Returns false if a reader prevents it or the disk is full.
fn checkpoint(connection: &Connection, how: &str) -> Result<bool, String> {
    let sql = format!("pragma wal_checkpoint({how})");
    match connection.query_row(&sql, [], |row| row.get::<_, i64>(0)) {
        Ok(busy) => Ok(busy == 0),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Ok(false)
            }
            _ => Err(error.to_string()),
        },
    }
}
