//! Runs a statement on a SQLite file.
//!
//! - in: a path and a `SqlJob`
//! - out: rows; a change is committed only while the caller still waits for it
//! - never: creates a file, opens a second one, or goes on after the call was dropped

use super::guard::StatementForm;
use super::job::{SqlJob, check_touched};
use super::rows::{StatementRows, float};
use super::sqlite_rules as rules;
use super::trouble::SqlTrouble;
use rusqlite::types::{Value as Bound, ValueRef};
use rusqlite::{Connection, ErrorCode, InterruptHandle, OpenFlags, Statement};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Number of virtual machine instructions between two checks for cancellation.
const STEPS: i32 = 1000;

/// State shared by the caller and the blocking work.
#[derive(Default)]
struct WaitState {
    gone: AtomicBool,
    /// Locked during the commit, so that a call is dropped either before it or after it.
    work: Mutex<Option<InterruptHandle>>,
}

/// Interrupts the work when it is dropped.
struct WaitGuard(Arc<WaitState>);

impl Drop for WaitGuard {
    fn drop(&mut self) {
        self.0.gone.store(true, Ordering::SeqCst);
        let work = self.0.work.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(work) = &*work {
            work.interrupt();
        }
    }
}

/// Runs a job.
pub(super) async fn run(path: PathBuf, job: SqlJob) -> Result<StatementRows, SqlTrouble> {
    let wait = Arc::new(WaitState::default());
    let waiting = WaitGuard(Arc::clone(&wait));
    let work = tokio::task::spawn_blocking(move || work(&path, &job, &wait));
    let done =
        work.await.unwrap_or_else(|_| Err(SqlTrouble::Broke("the query broke off".to_owned())));
    drop(waiting);
    done
}

fn work(path: &Path, job: &SqlJob, wait: &Arc<WaitState>) -> Result<StatementRows, SqlTrouble> {
    let mut connection = open(path, job)?;
    let handle = connection.get_interrupt_handle();
    *wait.work.lock().unwrap_or_else(PoisonError::into_inner) = Some(handle);
    let asked = Arc::clone(wait);
    let goes_on = move || asked.gone.load(Ordering::SeqCst);
    connection.progress_handler(STEPS, Some(goes_on)).map_err(trouble)?;
    rules::bind(&mut connection, job).map_err(trouble)?;
    if job.form != StatementForm::Write {
        return read(&connection, job);
    }
    connection.execute_batch("BEGIN IMMEDIATE").map_err(trouble)?;
    let mut rows = read(&connection, job)?;
    let touched = connection.changes();
    check_touched(touched, job.bounds)?;
    rows.affected = Some(touched);
    let held = wait.work.lock().unwrap_or_else(PoisonError::into_inner);
    if wait.gone.load(Ordering::SeqCst) {
        return Err(SqlTrouble::Late);
    }
    connection.execute_batch("COMMIT").map_err(trouble)?;
    drop(held);
    Ok(rows)
}

fn open(path: &Path, job: &SqlJob) -> Result<Connection, SqlTrouble> {
    let mode = match job.form {
        StatementForm::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        StatementForm::Query | StatementForm::Words => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    let flags = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| {
        SqlTrouble::Unreachable(format!("`{}` cannot be opened: {error}", path.display()))
    })?;
    connection.busy_timeout(Duration::from_millis(job.timeout_ms)).map_err(trouble)?;
    Ok(connection)
}

fn read(connection: &Connection, job: &SqlJob) -> Result<StatementRows, SqlTrouble> {
    let mut statement = connection.prepare(&job.sql).map_err(trouble)?;
    if job.form != StatementForm::Write && !statement.readonly() {
        return Err(SqlTrouble::failed("the statement does not only read"));
    }
    for (place, value) in job.values.iter().enumerate() {
        statement.raw_bind_parameter(place + 1, bound(value)).map_err(trouble)?;
    }
    let mut rows = StatementRows::of(statement.column_names().map(str::to_owned).collect());
    fill(&mut statement, &mut rows, job)?;
    Ok(rows)
}

fn fill(
    statement: &mut Statement<'_>,
    rows: &mut StatementRows,
    job: &SqlJob,
) -> Result<(), SqlTrouble> {
    let width = rows.columns.len();
    let mut found = statement.raw_query();
    let mut wanted = true;
    while let Some(row) = found.next().map_err(trouble)? {
        // A change runs to its end, even if no more of its rows are kept.
        if !wanted {
            continue;
        }
        let cell = |column| Ok(cell(row.get_ref(column).map_err(trouble)?, rows, column));
        let cells: Result<Vec<Value>, SqlTrouble> = (0..width).map(cell).collect();
        wanted = rows.take(cells?, job.bounds)?;
        if !wanted && job.form != StatementForm::Write {
            break;
        }
    }
    Ok(())
}

fn cell(value: ValueRef<'_>, rows: &mut StatementRows, column: usize) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => float(number),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => rows.binary(column, bytes),
    }
}

fn bound(value: &Value) -> Bound {
    match value {
        Value::Null => Bound::Null,
        Value::Bool(yes) => Bound::Integer((*yes).into()),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Bound::Integer(whole),
            None => Bound::Real(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Bound::Text(text.clone()),
        // Already refused by `bind::values`.
        Value::Array(_) | Value::Object(_) => Bound::Text(value.to_string()),
    }
}

fn trouble(error: rusqlite::Error) -> SqlTrouble {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => SqlTrouble::Late,
        Some(ErrorCode::TooBig) => SqlTrouble::TooLarge,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull) => {
            SqlTrouble::passing(error.to_string())
        }
        Some(ErrorCode::CannotOpen | ErrorCode::NotADatabase) => {
            SqlTrouble::Unreachable(error.to_string())
        }
        _ => SqlTrouble::failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::RowBounds;
    use super::*;

    fn job(sql: &str, form: StatementForm) -> SqlJob {
        let bounds = RowBounds { rows: 10, bytes: 100_000 };
        SqlJob { sql: sql.to_owned(), values: vec![], at: "", form, bounds, timeout_ms: 5000 }
    }

    #[tokio::test]
    async fn without_the_guard_the_engine_itself_refuses() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shop.db");
        let owner = Connection::open(&file).unwrap();
        owner.execute_batch("create table t (a); insert into t values (1)").unwrap();
        let new = folder.path().join("new").display().to_string();
        let attach = format!("attach '{new}' as x");
        let vacuum = format!("vacuum into '{new}'");
        for (sql, forms) in [
            ("delete from t", &[StatementForm::Query][..]),
            (attach.as_str(), &[StatementForm::Query, StatementForm::Write]),
            (vacuum.as_str(), &[StatementForm::Query, StatementForm::Write]),
            ("drop table t", &[StatementForm::Query, StatementForm::Write]),
            ("create temp table x (a)", &[StatementForm::Query, StatementForm::Write]),
            ("pragma user_version = 7", &[StatementForm::Query, StatementForm::Write]),
            ("pragma query_only = off", &[StatementForm::Query, StatementForm::Write]),
            ("select load_extension('x')", &[StatementForm::Query, StatementForm::Write]),
            ("update sqlite_master set sql = ''", &[StatementForm::Query, StatementForm::Write]),
        ] {
            for form in forms {
                let done = run(file.clone(), job(sql, *form)).await;
                assert!(matches!(done, Err(SqlTrouble::Failed { .. })), "{sql} {form:?} {done:?}");
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let left: i64 = owner.query_row("select count(*) from t", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 1);
        assert!(run(file.clone(), job("delete from t", StatementForm::Write)).await.is_ok());
    }
}
