//! The journal on `SQLite`: one writer thread, one commit for all waiting tasks, every commit synced.

mod open;

mod log;

mod writer;

mod erase;

pub mod reader;

mod line;

mod journal;

pub use journal::{Commits, SqliteJournal};
pub use open::OpenError;
pub use reader::{JournalReader, TaskFilter};

/// Converts to a signed integer, the only kind in `SQLite`; our numbers never exceed it.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
