//! Restrictions that SQLite itself enforces while a statement runs: the second line of defence behind the guard.

use super::denied;
use super::guard::StatementForm;
use super::job::SqlJob;
use super::lex::SqlDialect;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;

/// Minimum value of the length limit: schemas must fit.
const LEAST_LENGTH: u64 = 64 * 1024;
/// Maximum length of a pattern: longer ones take very long to match.
const PATTERN_LENGTH: i32 = 1000;

/// Limits a connection to what this job may do.
pub(super) fn bind(connection: &mut Connection, job: &SqlJob) -> rusqlite::Result<()> {
    for (config, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        // A misspelt name in double quotes is an error, not a string.
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    ] {
        connection.set_db_config(config, value)?;
    }
    let writes = job.form == StatementForm::Write;
    connection.pragma_update(None, "query_only", !writes)?;
    let longest = i32::try_from(job.bounds.bytes.max(LEAST_LENGTH)).unwrap_or(i32::MAX);
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LENGTH, longest),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_LENGTH),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    let judge = move |asked: AuthContext<'_>| {
        if may(&asked.action, writes) { Authorization::Allow } else { Authorization::Deny }
    };
    connection.authorizer(Some(judge))
}

fn may(action: &AuthAction<'_>, writes: bool) -> bool {
    let is_own = |table: &str| !table.to_ascii_lowercase().starts_with("sqlite_");
    match action {
        AuthAction::Select | AuthAction::Recursive => true,
        AuthAction::Read { table_name, .. } => {
            !denied::relation(&table_name.to_lowercase(), SqlDialect::Sqlite)
        }
        AuthAction::Function { function_name } => {
            !denied::function(&function_name.to_lowercase(), SqlDialect::Sqlite)
        }
        AuthAction::Pragma { pragma_name, .. } => {
            !denied::function(&format!("pragma_{}", pragma_name.to_lowercase()), SqlDialect::Sqlite)
        }
        AuthAction::Transaction { .. } => writes,
        AuthAction::Insert { table_name }
        | AuthAction::Delete { table_name }
        | AuthAction::Update { table_name, .. } => writes && is_own(table_name),
        _ => false,
    }
}
