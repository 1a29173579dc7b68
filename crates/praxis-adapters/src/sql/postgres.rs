//! Runs a statement on PostgreSQL.
//!
//! - in: a `DatabaseServer` and a `SqlJob`
//! - out: rows; a change is committed only if all of it succeeded
//! - never: sends a job's SQL in the simple query protocol, which accepts several statements, or reads in a
//!   transaction that could write

use super::guard::StatementForm;
use super::job::{SqlJob, check_touched};
use super::place::{DatabaseServer, Tls};
use super::postgres_values::{asked, bound, cell};
use super::rows::StatementRows;
use super::tls;
use super::trouble::SqlTrouble;
use futures::{TryStreamExt, pin_mut};
use serde_json::Value;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::Type;
use tokio_postgres::{CancelToken, Client, Config, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Maximum time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time of one cancel request.
const STOP: Duration = Duration::from_secs(5);
/// Number of cancel requests, and the pause between them.
const STOPS: usize = 3;
const BETWEEN_STOPS: Duration = Duration::from_millis(150);
/// First server version that can check if its client is still connected.
const LOOKS: u32 = 14;

/// A connection. Dropping it cancels the running statement.
struct Session {
    client: Client,
    version: u32,
    stop: Option<(CancelToken, MakeRustlsConnect, JoinHandle<()>)>,
}

impl Drop for Session {
    fn drop(&mut self) {
        let (Some((token, tls, link)), Ok(runtime)) =
            (self.stop.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        // Messages that were not sent yet never will be.
        link.abort();
        runtime.spawn(async move {
            // A cancel request that arrives before the statement starts has no effect, so it is repeated. If none
            // gets through, the server notices that its client is gone, or its own timeout ends the statement.
            for _ in 0..STOPS {
                let _ = tokio::time::timeout(STOP, token.cancel_query(tls.clone())).await;
                tokio::time::sleep(BETWEEN_STOPS).await;
            }
        });
    }
}

/// Runs a job.
pub(super) async fn run(
    server: &DatabaseServer,
    job: &SqlJob,
) -> Result<StatementRows, SqlTrouble> {
    let mut session = connect(server, job.timeout_ms).await?;
    let done = work(&session, job).await;
    if matches!(done, Ok(StatementRows { truncated: false, .. })) {
        // Nothing is running, so there is nothing to cancel.
        session.stop = None;
    }
    done
}

async fn connect(server: &DatabaseServer, timeout_ms: u64) -> Result<Session, SqlTrouble> {
    let mut config = Config::new();
    config.application_name("praxis").port(server.port).connect_timeout(CONNECT_TIMEOUT);
    match &server.socket {
        Some(folder) => config.host_path(folder),
        None => config.host(&server.host),
    };
    config.user(server.user.as_deref().unwrap_or("postgres"));
    if let Some(password) = &server.password {
        config.password(password);
    }
    if let Some(database) = &server.database {
        config.dbname(database);
    }
    config.ssl_mode(if server.tls == Tls::Off { SslMode::Disable } else { SslMode::Require });
    let tls = MakeRustlsConnect::new(tls::client(&server.tls)?);
    let patience = CONNECT_TIMEOUT.min(Duration::from_millis(timeout_ms / 4 * 3));
    let knocked = tokio::time::timeout(patience, config.connect(tls.clone())).await;
    let late =
        || SqlTrouble::Unreachable("the database did not take the connection in time".to_owned());
    let (client, link) = knocked.map_err(|_| late())?.map_err(|error| unreached(&error))?;
    let version = link.parameter("server_version").and_then(|text| text.split('.').next());
    let version = version.and_then(|major| major.parse().ok()).unwrap_or_default();
    let link = tokio::spawn(async move {
        // The `Client` reports why the connection ended.
        let _ = link.await;
    });
    let stop = Some((client.cancel_token(), tls, link));
    Ok(Session { client, version, stop })
}

async fn work(
    Session { client, version, .. }: &Session,
    job: &SqlJob,
) -> Result<StatementRows, SqlTrouble> {
    let begin = match job.form {
        StatementForm::Write => "BEGIN",
        StatementForm::Query | StatementForm::Words => "BEGIN READ ONLY",
    };
    let patience = job.timeout_ms.clamp(1, i32::MAX as u64);
    let look = "SET LOCAL client_connection_check_interval = 1000; ";
    let look = if *version >= LOOKS { look } else { "" };
    // After its first query a transaction can no longer become writable.
    let opening = format!(
        "{begin}; SET LOCAL statement_timeout = {patience}; SET LOCAL lock_timeout = {patience}; \
         SET LOCAL idle_in_transaction_session_timeout = {patience}; \
         {look}SET LOCAL standard_conforming_strings = on; SET LOCAL backslash_quote = off; \
         SET LOCAL \"DateStyle\" = 'ISO, YMD'; SET LOCAL \"IntervalStyle\" = 'iso_8601'; SELECT 1"
    );
    client.batch_execute(&opening).await.map_err(|error| trouble(&error, job.form))?;
    let failed = |error: tokio_postgres::Error| trouble(&error, job.form);
    let plain = client.prepare(&job.sql).await.map_err(failed)?;
    if plain.params().len() != job.values.len() {
        return Err(SqlTrouble::failed("the statement has another number of values than it shows"));
    }
    if job.form != StatementForm::Write {
        return read(client, job, &plain).await;
    }
    let rows = write(client, job, &plain).await?;
    client.batch_execute("COMMIT").await.map_err(|error| match error.as_db_error() {
        Some(_) => trouble(&error, job.form),
        None => {
            SqlTrouble::Broke(format!("the connection broke while it was kept: {}", words(&error)))
        }
    })?;
    Ok(rows)
}

async fn read(
    client: &Client,
    job: &SqlJob,
    plain: &Statement,
) -> Result<StatementRows, SqlTrouble> {
    if job.form == StatementForm::Words || plain.columns().is_empty() {
        return collect(client, job, plain, plain).await;
    }
    let (cells, names) = columns(plain, job.bounds.bytes);
    let most = u64::from(job.bounds.rows) + 1;
    let sql = format!("SELECT {cells} FROM (\n{}\n) AS q ({names}) LIMIT {most}", job.sql);
    let whole = client.prepare_typed(&sql, plain.params()).await;
    let whole = whole.map_err(|error| trouble(&error, job.form))?;
    collect(client, job, plain, &whole).await
}

async fn write(
    client: &Client,
    job: &SqlJob,
    plain: &Statement,
) -> Result<StatementRows, SqlTrouble> {
    let values = bound(&job.values, plain.params(), job.at)?;
    if plain.columns().is_empty() {
        let touched = client.execute_raw(plain, &values).await;
        let touched = touched.map_err(|error| trouble(&error, job.form))?;
        check_touched(touched, job.bounds)?;
        let mut rows = StatementRows::default();
        rows.affected = Some(touched);
        return Ok(rows);
    }
    let (cells, names) = columns(plain, job.bounds.bytes);
    let sql = format!("WITH q ({names}) AS (\n{}\n) SELECT {cells} FROM q", job.sql);
    let whole = client.prepare_typed(&sql, plain.params()).await;
    let whole = whole.map_err(|error| trouble(&error, job.form))?;
    collect(client, job, plain, &whole).await
}

/// Returns the column expressions of the outer query, and the column names of the inner one.
fn columns(plain: &Statement, most: u64) -> (String, String) {
    let every = plain.columns().iter().enumerate();
    let cells: Vec<String> = every.map(|(at, c)| asked(at, c.type_(), most)).collect();
    let names: Vec<String> = (0..plain.columns().len()).map(|at| format!("c{at}")).collect();
    (cells.join(", "), names.join(", "))
}

/// Runs `whole`, which returns the columns of `plain` as text.
async fn collect(
    client: &Client,
    job: &SqlJob,
    plain: &Statement,
    whole: &Statement,
) -> Result<StatementRows, SqlTrouble> {
    let failed = |error: tokio_postgres::Error| trouble(&error, job.form);
    let mut rows = StatementRows::of(plain.columns().iter().map(|c| c.name().to_owned()).collect());
    let kinds: Vec<Type> = plain.columns().iter().map(|c| c.type_().clone()).collect();
    let values = bound(&job.values, plain.params(), job.at)?;
    let found = client.query_raw(whole, &values).await.map_err(failed)?;
    pin_mut!(found);
    let mut touched = 0;
    while let Some(row) = found.try_next().await.map_err(failed)? {
        touched += 1;
        if rows.truncated {
            continue;
        }
        let cells = cells(&row, &kinds, &mut rows, job)?;
        if !rows.take(cells, job.bounds)? && job.form != StatementForm::Write {
            break;
        }
    }
    if job.form == StatementForm::Write {
        check_touched(touched, job.bounds)?;
        rows.affected = Some(touched);
    }
    Ok(rows)
}

fn cells(
    row: &Row,
    kinds: &[Type],
    rows: &mut StatementRows,
    job: &SqlJob,
) -> Result<Vec<Value>, SqlTrouble> {
    let one = |(column, kind): (usize, &Type)| {
        let text: Option<&str> = row.try_get(column).map_err(|error| trouble(&error, job.form))?;
        if job.form == StatementForm::Words {
            return Ok(text.map_or(Value::Null, Value::from));
        }
        cell(text, kind, rows, (column, job.bounds.bytes))
    };
    kinds.iter().enumerate().map(one).collect()
}

/// Classifies a failed connection.
fn unreached(error: &tokio_postgres::Error) -> SqlTrouble {
    match error.as_db_error() {
        Some(_) => trouble(error, StatementForm::Query),
        None => {
            SqlTrouble::Unreachable(format!("the database cannot be reached: {}", words(error)))
        }
    }
}

/// Classifies an error before the commit.
fn trouble(error: &tokio_postgres::Error, form: StatementForm) -> SqlTrouble {
    let Some(said) = error.as_db_error() else {
        let message = format!("the connection broke: {}", words(error));
        return match form {
            StatementForm::Write => SqlTrouble::passing(format!("{message}; nothing was changed")),
            StatementForm::Query | StatementForm::Words => SqlTrouble::Broke(message),
        };
    };
    let code = said.code().code();
    let mut message = format!("{code}: {}", said.message());
    for more in [said.detail(), said.hint()].into_iter().flatten() {
        message.push_str(&format!("; {more}"));
    }
    match code.get(..2).unwrap_or_default() {
        "57" if code == "57014" => SqlTrouble::Late,
        "28" => SqlTrouble::Refused((message.clone(), message).into()),
        "08" | "40" | "53" | "57" => SqlTrouble::passing(message),
        _ if code == "55P03" => SqlTrouble::passing(message),
        _ => SqlTrouble::failed(message),
    }
}

/// Returns the text of an error with its causes.
fn words(error: &tokio_postgres::Error) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !words.contains(&more) {
            words.push_str(&format!(": {more}"));
        }
        cause = inner.source();
    }
    words
}
