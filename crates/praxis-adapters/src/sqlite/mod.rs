//! The journal on `SQLite`: one writer thread, one commit for all tasks that wait, every commit synced.

mod open;

mod log;

mod writer;

pub mod reader;

mod journal;

pub use journal::{Commits, SqliteJournal};
pub use open::OpenError;
pub use reader::Reader;
