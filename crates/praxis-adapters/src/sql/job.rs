//! One statement at one database, with its values and bounds.

use super::guard::Form;
use super::place::Place;
use super::rows::{Bounds, Rows};
use super::trouble::Trouble;
use super::{mysql, postgres, sqlite};
use serde_json::Value;
use std::time::Duration;

/// What is to be run.
pub(super) struct Job {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
    /// Where the values stand in the arguments.
    pub(super) at: &'static str,
    pub(super) form: Form,
    pub(super) bounds: Bounds,
    pub(super) timeout_ms: u64,
}

impl Job {
    /// Runs it. Dropping the future stops the work where it is done.
    pub(super) async fn run(self, place: Place) -> Result<Rows, Trouble> {
        let patience = Duration::from_millis(self.timeout_ms);
        let running = async {
            match place {
                Place::File(path) => sqlite::run(path, self).await,
                Place::Server(server) => match server.engine {
                    super::Engine::Mysql => mysql::run(&server, &self).await,
                    super::Engine::Postgres | super::Engine::Sqlite => {
                        postgres::run(&server, &self).await
                    }
                },
            }
        };
        tokio::time::timeout(patience, running).await.unwrap_or(Err(Trouble::Late))
    }
}

/// Refuses a change that touched more rows than it may, before it is kept.
pub(super) fn check_touched(touched: u64, bounds: Bounds) -> Result<(), Trouble> {
    if touched <= u64::from(bounds.rows) {
        return Ok(());
    }
    let most = bounds.rows;
    let why = format!(
        "it would touch {touched} rows, and at most {most} are allowed; nothing was changed. \
         Narrow WHERE, or raise max_rows"
    );
    Err(Trouble::failed(why))
}
