//! SQL queries as tool calls.
//!
//! - in: the values of the manifest's query, or SQL with parameters
//! - out: `{result, sql, row_count, truncated}`
//! - never: runs a statement that the guard refused, or puts a value into the SQL

use super::bind;
use super::describe::{Database, DatabaseDescription};
use super::guard::{SqlRefused, Statement, StatementRules, check};
use super::job::SqlJob;
use super::lex::SqlDialect;
use super::place;
use super::rows::RowBounds;
use super::trouble::SqlTrouble;
use crate::secrets::Vault;
use futures::FutureExt;
use futures::future::BoxFuture;
use praxis_core::call::sql::{DEFAULT_BYTES, DEFAULT_ROWS, SqlTransport};
use praxis_core::call::tool::Tool;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Callable, FailedCall, Invocation, OutputStream, whole};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// A tool call that runs one SQL statement.
pub struct SqlCall {
    tool: ToolId,
    sql: SqlTransport,
    bounds: RowBounds,
    vault: Arc<Vault>,
}

/// Arguments of a tool whose manifest has no query.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SqlArguments {
    sql: String,
    #[serde(default)]
    parameters: Option<Value>,
    #[serde(default)]
    max_rows: Option<u32>,
}

/// One statement with its bound values.
struct BoundStatement {
    /// The SQL as it was written.
    written: String,
    statement: Statement,
    values: Vec<Value>,
    bounds: RowBounds,
    at: &'static str,
}

impl SqlCall {
    /// Builds the call of a manifest. A query that the guard refuses fails here if the URL names the engine.
    pub fn new(tool: &Tool, sql: &SqlTransport, vault: Arc<Vault>) -> Result<Self, String> {
        let most = tool.limits.output_bytes.unwrap_or(u64::MAX);
        let bounds = RowBounds {
            rows: sql.max_rows.unwrap_or(DEFAULT_ROWS),
            bytes: sql.max_bytes.unwrap_or(DEFAULT_BYTES).min(most),
        };
        let call = Self { tool: tool.id.clone(), sql: sql.clone(), bounds, vault };
        if let (Some(query), Some(engine)) = (&sql.query, place::engine(&sql.url)) {
            let refused = |refused: SqlRefused| format!("{}: {}", refused.code, refused.words.en);
            check(query, engine, call.rules()).map_err(refused)?;
        }
        Ok(call)
    }

    fn rules(&self) -> StatementRules {
        StatementRules { allow: self.sql.allow, whole_tables: self.sql.query.is_some() }
    }

    async fn run(&self, invocation: Invocation) -> Result<Value, FailedCall> {
        let timeout_ms = invocation.timeout_ms;
        let done = self.answer(invocation.arguments, timeout_ms).await;
        let bytes = self.bounds.bytes;
        done.map_err(|trouble| trouble.into_fault(&self.tool, timeout_ms, bytes).into())
    }

    async fn answer(&self, arguments: Value, timeout_ms: u64) -> Result<Value, SqlTrouble> {
        let place = place::find(&self.sql.url, &self.vault).map_err(SqlTrouble::Refused)?;
        let order = match &self.sql.query {
            Some(query) => self.fixed(query, &arguments, place.engine())?,
            None => self.free(arguments, place.engine())?,
        };
        let BoundStatement { written, statement, values, bounds, at } = order;
        let (sql, form) = (statement.text, statement.form);
        let job = SqlJob { sql, values, at, form, bounds, timeout_ms };
        Ok(job.run(place).await?.output(&written))
    }

    fn fixed(
        &self,
        query: &str,
        arguments: &Value,
        engine: SqlDialect,
    ) -> Result<BoundStatement, SqlTrouble> {
        let statement = check(query, engine, self.rules());
        let statement = statement.map_err(|refused| SqlTrouble::Refused(refused.words))?;
        let values = bind::values(&statement, arguments, "", engine)?;
        let written = query.to_owned();
        Ok(BoundStatement { written, statement, values, bounds: self.bounds, at: "" })
    }

    fn free(&self, arguments: Value, engine: SqlDialect) -> Result<BoundStatement, SqlTrouble> {
        let asked: SqlArguments = serde_json::from_value(arguments)
            .map_err(|error| SqlTrouble::Argument(String::new(), error.to_string()))?;
        let statement = check(&asked.sql, engine, self.rules());
        let statement = statement.map_err(|refused| SqlTrouble::guarded(&refused))?;
        let given = asked.parameters.unwrap_or(json!({}));
        if !given.is_object() && !given.is_array() {
            let why = "it is an object of names, or a list".to_owned();
            return Err(SqlTrouble::Argument("/parameters".to_owned(), why));
        }
        let values = bind::values(&statement, &given, "/parameters", engine)?;
        let rows = asked.max_rows.unwrap_or(self.bounds.rows).clamp(1, self.bounds.rows);
        let bounds = RowBounds { rows, ..self.bounds };
        Ok(BoundStatement { written: asked.sql, statement, values, bounds, at: "/parameters" })
    }
}

impl Callable for SqlCall {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        whole(self.run(invocation))
    }

    /// Describes the tables and the SQL dialect.
    fn about(&self, timeout_ms: u64) -> BoxFuture<'_, Result<String, Fault>> {
        let database = Database::new(&self.tool, &self.sql, Arc::clone(&self.vault));
        let told = async move {
            let DatabaseDescription { engine, text, truncated } =
                database.describe(timeout_ms).await?;
            let more = if truncated { "…\n" } else { "" };
            Ok(format!("{engine:?} tables:\n{text}{more}"))
        };
        told.boxed()
    }
}
