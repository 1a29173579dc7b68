//! Erases a task: its data is overwritten, in the write-ahead log too.

use super::signed;
use super::writer::Writer;
use praxis_core::ids::{BlobId, TaskId};
use praxis_core::time::Timestamp;
use praxis_engine::seams::AppendError;
use rusqlite::{Error, ErrorCode, params};

impl Writer {
    /// Deletes the rows of a task and leaves a tombstone; returns the blobs that no other task uses.
    pub(super) fn erase(
        &mut self,
        task: &TaskId,
        at: Timestamp,
    ) -> Result<Vec<BlobId>, AppendError> {
        if let Some(why) = &self.broken {
            return Err(AppendError::Broken(why.clone()));
        }
        self.heads.remove(task);
        let erased = self.erase_rows(task, at).map_err(|error| self.not_erased(&error))?;
        // The rows are gone, so this is the only chance to return their blobs, even if cutting the log fails.
        self.broken = self.log.cut(&self.connection).err();
        Ok(erased)
    }

    fn not_erased(&mut self, error: &Error) -> AppendError {
        // A failed statement may have left the transaction open.
        let _ = self.connection.execute_batch("rollback");
        if error.sqlite_error_code() == Some(ErrorCode::DiskFull) {
            return AppendError::Full;
        }
        let why = error.to_string();
        if !matches!(error, Error::QueryReturnedNoRows) {
            // As after a failed commit, nothing is trusted any more.
            self.broken = Some(why.clone());
        }
        AppendError::Broken(why)
    }

    fn erase_rows(&mut self, task: &TaskId, at: Timestamp) -> rusqlite::Result<Vec<BlobId>> {
        let transaction = self.connection.transaction()?;
        let n: i64 =
            transaction.query_row("select n from tasks where id = ?1", [task.as_str()], |row| {
                row.get(0)
            })?;
        let orphans: Vec<BlobId> = transaction
            .prepare(
                "select blob from blob_uses u where task = ?1 and not exists \
                 (select 1 from blob_uses o where o.blob = u.blob and o.task <> u.task)",
            )?
            .query_map([n], |row| row.get::<_, String>(0))?
            .map(|blob| blob.map(BlobId::from))
            .collect::<rusqlite::Result<_>>()?;
        transaction.execute("delete from events where task = ?1", [n])?;
        transaction.execute("delete from questions where task = ?1", [n])?;
        transaction.execute("delete from blob_uses where task = ?1", [n])?;
        transaction.execute(
            "update tasks set goal = '', status = 'erased', waits_for = null, wake_at = null, key = null, \
             fingerprint = null, seq = 0, updated_at = ?2 where n = ?1",
            params![n, signed(at.0)],
        )?;
        transaction.commit()?;
        Ok(orphans)
    }
}
