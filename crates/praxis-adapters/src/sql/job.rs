//! One statement for one database, with its values and bounds.

use super::guard::StatementForm;
use super::place::DatabaseUrl;
use super::rows::{RowBounds, StatementRows};
use super::trouble::SqlTrouble;
use super::{mysql, postgres, sqlite};
use serde_json::Value;
use std::time::Duration;

/// A statement to run.
pub(super) struct SqlJob {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
    /// JSON pointer to the values in the arguments.
    pub(super) at: &'static str,
    pub(super) form: StatementForm,
    pub(super) bounds: RowBounds,
    pub(super) timeout_ms: u64,
}

impl SqlJob {
    /// Runs the statement. Dropping the future stops the work at the database.
    pub(super) async fn run(self, place: DatabaseUrl) -> Result<StatementRows, SqlTrouble> {
        let patience = Duration::from_millis(self.timeout_ms);
        let running = async {
            match place {
                DatabaseUrl::File(path) => sqlite::run(path, self).await,
                DatabaseUrl::Server(server) => match server.engine {
                    super::SqlDialect::Mysql => mysql::run(&server, &self).await,
                    super::SqlDialect::Postgres | super::SqlDialect::Sqlite => {
                        postgres::run(&server, &self).await
                    }
                },
            }
        };
        tokio::time::timeout(patience, running).await.unwrap_or(Err(SqlTrouble::Late))
    }
}

/// Refuses a change that touched too many rows, before it is committed.
pub(super) fn check_touched(touched: u64, bounds: RowBounds) -> Result<(), SqlTrouble> {
    if touched <= u64::from(bounds.rows) {
        return Ok(());
    }
    let most = bounds.rows;
    let why = format!(
        "it would touch {touched} rows, and at most {most} are allowed; nothing was changed. \
         Narrow WHERE, or raise max_rows"
    );
    Err(SqlTrouble::failed(why))
}
