//! The write-ahead log: room at its end, and emptying it into the database.
//!
//! A file that grows makes every sync write its new length too, which takes half as long again. So the log is
//! lengthened ahead of the commits, a piece at a time; and both that and emptying it are done when those who
//! waited for a commit have their answer, not inside of it.

use rusqlite::hooks::Wal;
use rusqlite::{Connection, ErrorCode};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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

pub(super) struct Log {
    path: PathBuf,
    /// Pages in the log after the last commit.
    pages: Arc<AtomicU64>,
    /// It is not emptied before it has so many: somebody reads from it, or there is no room.
    empty_at: u64,
}

impl Log {
    /// Looks after the log of a database from now on; `SQLite` no longer does.
    pub(super) fn of(connection: &mut Connection, database: &Path) -> rusqlite::Result<Self> {
        let pages = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut Wal, pages: i32| {
            counted.store(u64::try_from(pages).unwrap_or_default(), Ordering::Relaxed);
            Ok(())
        }))?;
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        Ok(Self { path: path.into(), pages, empty_at: FULL_PAGES })
    }

    /// Empties the log when it is long, else sees to it that there is room in it. An error means that what was
    /// written before may not be on the disk.
    pub(super) fn tend(&mut self, connection: &Connection) -> Result<(), String> {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages >= self.empty_at {
            return self.empty(connection, pages);
        }
        match self.lengthen(pages) {
            // Without room, commits are slower and say so themselves when there is none at all.
            Err(error)
                if !matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) =>
            {
                Err(error.to_string())
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn empty(&mut self, connection: &Connection, pages: u64) -> Result<(), String> {
        let emptied = connection.query_row("pragma wal_checkpoint(passive)", [], |row| {
            Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        let done = match emptied {
            Ok((log, moved)) => log == moved,
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => false,
            Err(error) => return Err(error.to_string()),
        };
        self.empty_at = if done { FULL_PAGES } else { pages + FULL_PAGES / 4 };
        if done {
            // The next commit writes from the start of the log again.
            self.pages.store(0, Ordering::Relaxed);
        }
        Ok(())
    }

    fn lengthen(&self, pages: u64) -> io::Result<()> {
        if pages < FEW_PAGES {
            return Ok(());
        }
        let length = fs::metadata(&self.path)?.len();
        if pages * PAGE_BYTES + ROOM_BYTES <= length {
            return Ok(());
        }
        let file = File::options().write(true).open(&self.path)?;
        file.write_all_at(&vec![0; PIECE_BYTES], length)?;
        file.sync_data()
    }
}
