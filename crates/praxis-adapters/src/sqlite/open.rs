//! Opens the database: creates it, checks its version and configures it for durability.

use crate::folder::sync_folder;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// Schema version of this build.
pub(super) const SCHEMA_VERSION: i64 = 1;
const MIGRATIONS: &[&str] = &[include_str!("../../../../migrations/0001_journal.sql")];
/// Maximum wait for another connection that holds the file.
pub(super) const BUSY: Duration = Duration::from_secs(10);
/// Application id of our files: `PRXS`.
const APPLICATION_ID: i64 = 0x5052_5853;

/// Failure to open a database. The file is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// An error of `SQLite`.
    #[error("cannot open the database {path}: {why}")]
    Sqlite {
        /// Path of the file.
        path: String,
        /// Message of `SQLite`.
        why: String,
    },
    /// A database of another application.
    #[error("{0} is not a Praxis database")]
    Foreign(String),
    /// A database of a newer version.
    #[error("{path} has schema version {found}; this praxis supports up to {SCHEMA_VERSION}")]
    Newer {
        /// Path of the file.
        path: String,
        /// Schema version of the file.
        found: i64,
    },
    /// A folder that could not be synced.
    #[error("cannot sync the folder of {path} to disk: {why}")]
    Folder {
        /// Path of the file.
        path: String,
        /// Message of the system.
        why: String,
    },
}

/// Opens the database for the only writer; creates it if it does not exist.
pub(super) fn for_writing(path: &Path) -> Result<Connection, OpenError> {
    let failed = |error: rusqlite::Error| sqlite(path, &error);
    let connection = Connection::open(path).map_err(failed)?;
    // The last owner may still be closing the file.
    connection.busy_timeout(BUSY).map_err(failed)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(failed)?;
    // FULL: a commit is on disk, WAL and all, before it is acknowledged.
    connection.pragma_update(None, "synchronous", "full").map_err(failed)?;
    // Erased data is overwritten.
    connection.pragma_update(None, "secure_delete", "on").map_err(failed)?;
    connection.pragma_update(None, "cache_size", -16_384).map_err(failed)?;
    // The writer checkpoints the log itself.
    connection.pragma_update(None, "wal_autocheckpoint", 0).map_err(failed)?;
    migrate(&connection, path)?;
    sync_folder_of(path)?;
    Ok(connection)
}

/// Opens the database for reading only.
pub(super) fn for_reading(path: &Path) -> Result<Connection, OpenError> {
    let failed = |error: rusqlite::Error| sqlite(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    let version = version(&connection, path)?;
    if version > SCHEMA_VERSION {
        return Err(OpenError::Newer { path: path.display().to_string(), found: version });
    }
    Ok(connection)
}

fn migrate(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let failed = |error: rusqlite::Error| sqlite(path, &error);
    let found = version(connection, path)?;
    if found > SCHEMA_VERSION {
        return Err(OpenError::Newer { path: path.display().to_string(), found });
    }
    let done = usize::try_from(found).unwrap_or_default();
    for (index, migration) in MIGRATIONS.iter().enumerate().skip(done) {
        let batch = format!(
            "begin immediate; {migration} pragma application_id = {APPLICATION_ID}; \
             pragma user_version = {}; commit;",
            index + 1
        );
        connection.execute_batch(&batch).map_err(failed)?;
    }
    Ok(())
}

/// Returns the schema version; zero for an empty file.
fn version(connection: &Connection, path: &Path) -> Result<i64, OpenError> {
    let failed = |error: rusqlite::Error| sqlite(path, &error);
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = pragma("application_id").map_err(failed)?;
    let tables: i64 = connection
        .query_row("select count(*) from sqlite_master", [], |row| row.get(0))
        .map_err(failed)?;
    if application != APPLICATION_ID && tables > 0 {
        return Err(OpenError::Foreign(path.display().to_string()));
    }
    pragma("user_version").map_err(failed)
}

/// Syncs the folder, without which a new file may be missing after a power loss.
fn sync_folder_of(path: &Path) -> Result<(), OpenError> {
    let synced = sync_folder(path.parent().unwrap_or(Path::new(".")));
    synced.map_err(|error| OpenError::Folder {
        path: path.display().to_string(),
        why: error.to_string(),
    })
}

fn sqlite(path: &Path, error: &rusqlite::Error) -> OpenError {
    OpenError::Sqlite { path: path.display().to_string(), why: error.to_string() }
}
