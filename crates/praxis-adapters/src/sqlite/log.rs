//! The write-ahead log: room at its end, and emptying it into the database.
//!
//! A file that grows makes every sync write its new length too, which takes half as long again. So the log is
//! lengthened ahead of the commits, a piece at a time; and both that and emptying it are done when those who
//! waited for a commit have their answer, not inside of it.

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

/// The log is emptied when it has so many pages.
const FULL_PAGES: u64 = 4000;
/// A page and its header in the log.
const PAGE_BYTES: u64 = 4096 + 24;
/// A commit should find so much room.
const ROOM_BYTES: u64 = 64 * PAGE_BYTES;
/// A short run does not get far enough for room to pay.
const FEW_PAGES: u64 = 64;
/// By so much the log is lengthened.
const PIECE_BYTES: usize = 1024 * 1024;

pub(super) struct WriteAheadLog {
    /// None if `SQLite` does not say where the database is.
    path: Option<PathBuf>,
    length: Arc<LogLength>,
    /// What was erased is still in it: somebody was reading.
    cut_owed: bool,
}

/// How long the log is.
struct LogLength {
    /// Its pages after the last commit.
    pages: AtomicU64,
    /// It is not emptied before it has so many.
    empty_at: AtomicU64,
}

impl LogLength {
    fn committed(&self, pages: i32) {
        let pages = u64::try_from(pages).unwrap_or_default();
        if pages < self.pages.swap(pages, Ordering::Relaxed) {
            // It was empty, and is written from its start again.
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
    /// Looks after the log of a database from now on; `SQLite` no longer does.
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

    /// Whether there is something to do.
    pub(super) fn wants_tending(&self) -> bool {
        let pages = self.length.pages();
        self.cut_owed || self.length.is_full() || pages >= FEW_PAGES && !self.has_room(pages)
    }

    /// Empties the log when it is long, else sees to it that there is room in it. An error means that what was
    /// written before may not be on the disk.
    pub(super) fn tend(&mut self, connection: &Connection) -> Result<(), String> {
        let pages = self.length.pages();
        if self.cut_owed {
            // Nobody waits for it now.
            let _ = connection.busy_timeout(Duration::ZERO);
            let cut = self.cut(connection);
            let _ = connection.busy_timeout(BUSY);
            return cut;
        }
        if self.length.is_full() {
            // If somebody reads from it, the next commit finds it as long as before: not at once again.
            self.length.empty_at.store(pages + FULL_PAGES / 4, Ordering::Relaxed);
            return checkpoint(connection, "passive").map(drop);
        }
        match self.lengthen(pages) {
            // Without room, commits are slower and say so themselves when there is none at all.
            Err(error) if !is_full(&error) => Err(error.to_string()),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Leaves nothing in the log. Where somebody reads from it, that is done later.
    pub(super) fn cut(&mut self, connection: &Connection) -> Result<(), String> {
        self.cut_owed = !checkpoint(connection, "truncate")?;
        Ok(())
    }

    fn lengthen(&self, pages: u64) -> io::Result<()> {
        if pages < FEW_PAGES || self.has_room(pages) {
            return Ok(());
        }
        let Some(path) = &self.path else { return Ok(()) };
        // Only what is written and synced here can tell of a bad disk.
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

/// Moves the log into the database; false if somebody reads from it, or there is no room.
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
