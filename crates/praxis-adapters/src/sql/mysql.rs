//! Runs a statement on MySQL or MariaDB.
//!
//! - in: a `DatabaseServer` and a `SqlJob`
//! - out: rows; a change is committed only if all of it succeeded
//! - never: lets the server ask for a local file, sends several statements, or reads in a transaction that
//!   could write

use super::guard::StatementForm;
use super::job::{SqlJob, check_touched};
use super::mysql_values::{bound, cell};
use super::place::{DatabaseServer, Tls};
use super::rows::StatementRows;
use super::trouble::SqlTrouble;
use mysql_async::prelude::Queryable;
use mysql_async::{Column, Conn, Error, IoError, Opts, OptsBuilder, Params, Row, SslOpts};
use serde_json::Value;
use std::time::Duration;

/// Maximum time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to stop a statement or to disconnect.
const STOP: Duration = Duration::from_secs(5);
/// Room for protocol overhead in a packet, in bytes.
const SLACK: u64 = 1024 * 1024;

/// Kills the connection at the server when it is dropped, unless it is disarmed.
struct Running {
    opts: Opts,
    connection: u32,
    armed: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !self.armed {
            return;
        }
        let (opts, kill) = (self.opts.clone(), format!("KILL {}", self.connection));
        runtime.spawn(async move {
            let killing = async {
                let mut other = Conn::new(opts).await?;
                other.query_drop(kill).await?;
                other.disconnect().await
            };
            // If the server cannot be reached, the statement's own timeout ends it.
            let _ = tokio::time::timeout(STOP, killing).await;
        });
    }
}

/// Runs a job.
pub(super) async fn run(
    server: &DatabaseServer,
    job: &SqlJob,
) -> Result<StatementRows, SqlTrouble> {
    let opts = options(server, job);
    let patience = CONNECT_TIMEOUT.min(Duration::from_millis(job.timeout_ms / 4 * 3));
    let knocked = tokio::time::timeout(patience, Conn::new(opts.clone())).await;
    let late =
        || SqlTrouble::Unreachable("the database did not accept the connection in time".to_owned());
    let mut conn = knocked.map_err(|_| late())?.map_err(|error| unreached(&error))?;
    let mut running = Running { opts, connection: conn.id(), armed: true };
    let done = work(&mut conn, job).await;
    if matches!(done, Ok(StatementRows { truncated: false, .. })) {
        running.armed = false;
        // The answer is complete; a failed disconnect changes nothing.
        let _ = tokio::time::timeout(STOP, conn.disconnect()).await;
    }
    done
}

fn options(server: &DatabaseServer, job: &SqlJob) -> Opts {
    let largest = usize::try_from(job.bounds.bytes + SLACK).unwrap_or(usize::MAX);
    let mut opts = OptsBuilder::default()
        .ip_or_hostname(server.host.clone())
        .tcp_port(server.port)
        .user(server.user.clone())
        .pass(server.password.clone())
        .db_name(server.database.clone())
        .prefer_socket(false)
        .stmt_cache_size(0)
        .wait_timeout(Some(60))
        .max_allowed_packet(Some(largest));
    if let Some(socket) = &server.socket {
        opts = opts.socket(Some(socket.display().to_string()));
    }
    opts = match &server.tls {
        Tls::Off => opts,
        Tls::System => opts.ssl_opts(SslOpts::default()),
        Tls::File(path) => {
            opts.ssl_opts(SslOpts::default().with_root_certs(vec![path.clone().into()]))
        }
    };
    opts.into()
}

async fn work(conn: &mut Conn, job: &SqlJob) -> Result<StatementRows, SqlTrouble> {
    prepare(conn, job).await.map_err(|error| trouble(&error, job.form))?;
    let rows = collect(conn, job).await?;
    if job.form != StatementForm::Write {
        return Ok(rows);
    }
    check_touched(rows.affected.unwrap_or_default(), job.bounds)?;
    conn.query_drop("COMMIT").await.map_err(|error| match error {
        Error::Server(_) => trouble(&error, job.form),
        other => SqlTrouble::Broke(format!(
            "the connection was lost during COMMIT; it is unknown whether the change was saved: {other}"
        )),
    })?;
    Ok(rows)
}

/// Limits the session to what this job may do.
async fn prepare(conn: &mut Conn, job: &SqlJob) -> Result<(), Error> {
    let (ms, rows) = (job.timeout_ms.max(1), u64::from(job.bounds.rows) + 1);
    // `sql/guard.rs` has checked the statement by the quoting rules of this mode.
    let mode = "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'";
    conn.query_drop(mode).await?;
    let seconds = format!("SET SESSION max_statement_time = {}.{:03}", ms / 1000, ms % 1000);
    if conn.query_drop(seconds).await.is_err() {
        // MySQL has another name for it, and applies it to queries only.
        conn.query_drop(format!("SET SESSION max_execution_time = {ms}")).await?;
    }
    let wait = (ms / 1000).clamp(1, 1_000_000);
    let lock = format!("SET SESSION lock_wait_timeout = {wait}, innodb_lock_wait_timeout = {wait}");
    conn.query_drop(lock).await?;
    if job.form == StatementForm::Write {
        return conn.query_drop("START TRANSACTION").await;
    }
    conn.query_drop(format!("SET SESSION sql_select_limit = {rows}")).await?;
    conn.query_drop("SET SESSION TRANSACTION READ ONLY").await?;
    conn.query_drop("START TRANSACTION READ ONLY").await
}

async fn collect(conn: &mut Conn, job: &SqlJob) -> Result<StatementRows, SqlTrouble> {
    let failed = |error: Error| trouble(&error, job.form);
    let values: Vec<mysql_async::Value> = job.values.iter().map(bound).collect();
    let values = if values.is_empty() { Params::Empty } else { Params::Positional(values) };
    let mut found = conn.exec_iter(job.sql.as_str(), values).await.map_err(failed)?;
    let columns: Vec<Column> = found.columns_ref().to_vec();
    let mut rows = StatementRows::of(columns.iter().map(|c| c.name_str().into_owned()).collect());
    let mut told = 0;
    while let Some(row) = found.next().await.map_err(failed)? {
        told += 1;
        if rows.truncated {
            continue;
        }
        let cells = cells(row, &columns, &mut rows);
        if !rows.take(cells, job.bounds)? && job.form != StatementForm::Write {
            return Ok(rows);
        }
    }
    if job.form == StatementForm::Write {
        // If a write returns rows, their number is the number of affected rows.
        rows.affected = Some(found.affected_rows().max(told));
    }
    Ok(rows)
}

fn cells(row: Row, columns: &[Column], rows: &mut StatementRows) -> Vec<Value> {
    let pairs = row.unwrap().into_iter().zip(columns).enumerate();
    pairs.map(|(at, (value, kind))| cell(value, kind, rows, at)).collect()
}

/// Classifies a failed connection.
fn unreached(error: &Error) -> SqlTrouble {
    match error {
        Error::Server(_) => trouble(error, StatementForm::Query),
        other => SqlTrouble::Unreachable(format!("the database cannot be reached: {other}")),
    }
}

/// Classifies an error before the commit.
fn trouble(error: &Error, form: StatementForm) -> SqlTrouble {
    let said = match error {
        Error::Server(said) => said,
        Error::Io(IoError::Io(cause)) if is_too_long(cause) => return SqlTrouble::TooLarge,
        other => {
            let message = format!("the connection broke: {other}");
            return match form {
                StatementForm::Write => {
                    SqlTrouble::passing(format!("{message}; nothing was changed"))
                }
                StatementForm::Query | StatementForm::Words => SqlTrouble::Broke(message),
            };
        }
    };
    let message = format!("{} ({}): {}", said.code, said.state, said.message);
    match said.code {
        1044 | 1045 | 1698 => SqlTrouble::Refused((message.clone(), message).into()),
        1317 | 1969 | 3024 => SqlTrouble::Late,
        1040 | 1053 | 1203 | 1205 | 1213 | 1927 => SqlTrouble::passing(message),
        _ => SqlTrouble::failed(message),
    }
}

fn is_too_long(error: &std::io::Error) -> bool {
    // The driver writes `Packet` or `packet`.
    error.to_string().contains("acket")
}
