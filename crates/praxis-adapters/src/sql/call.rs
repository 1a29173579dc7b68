//! A query as a call.
//!
//! - in: arguments: the values of a fixed query, or SQL of their own
//! - out: `{result, sql, row_count, truncated}`
//! - never: runs what the guard did not let through, or puts a value into the SQL

use super::bind;
use super::describe::{Database, Described};
use super::guard::{Refused, Rules, Statement, check};
use super::job::Job;
use super::lex::Engine;
use super::place;
use super::rows::Bounds;
use super::trouble::Trouble;
use crate::secrets::Vault;
use futures::FutureExt;
use futures::future::BoxFuture;
use praxis_core::call::sql::{DEFAULT_BYTES, DEFAULT_ROWS, Sql};
use praxis_core::call::tool::Tool;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Call, Chunks, Failed, Invocation, whole};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// A query as a call.
pub struct SqlCall {
    tool: ToolId,
    sql: Sql,
    bounds: Bounds,
    vault: Arc<Vault>,
}

/// What a call brings when its manifest has no query.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    sql: String,
    #[serde(default)]
    parameters: Option<Value>,
    #[serde(default)]
    max_rows: Option<u32>,
}

/// One statement with what is bound in it.
struct Order {
    /// As it was written.
    written: String,
    statement: Statement,
    values: Vec<Value>,
    bounds: Bounds,
    at: &'static str,
}

impl SqlCall {
    /// The query of a manifest. One that the guard refuses is refused now, if the engine is known.
    pub fn new(tool: &Tool, sql: &Sql, vault: Arc<Vault>) -> Result<Self, String> {
        let most = tool.limits.output_bytes.unwrap_or(u64::MAX);
        let bounds = Bounds {
            rows: sql.max_rows.unwrap_or(DEFAULT_ROWS),
            bytes: sql.max_bytes.unwrap_or(DEFAULT_BYTES).min(most),
        };
        let call = Self { tool: tool.id.clone(), sql: sql.clone(), bounds, vault };
        if let (Some(query), Some(engine)) = (&sql.query, place::engine(&sql.url)) {
            let refused = |refused: Refused| format!("{}: {}", refused.code, refused.words.en);
            check(query, engine, call.rules()).map_err(refused)?;
        }
        Ok(call)
    }

    fn rules(&self) -> Rules {
        Rules { allow: self.sql.allow, whole_tables: self.sql.query.is_some() }
    }

    async fn run(&self, invocation: Invocation) -> Result<Value, Failed> {
        let timeout_ms = invocation.timeout_ms;
        let done = self.answer(invocation.arguments, timeout_ms).await;
        let bytes = self.bounds.bytes;
        done.map_err(|trouble| trouble.into_fault(&self.tool, timeout_ms, bytes).into())
    }

    async fn answer(&self, arguments: Value, timeout_ms: u64) -> Result<Value, Trouble> {
        let place = place::find(&self.sql.url, &self.vault).map_err(Trouble::Refused)?;
        let order = match &self.sql.query {
            Some(query) => self.fixed(query, &arguments, place.engine())?,
            None => self.free(arguments, place.engine())?,
        };
        let Order { written, statement, values, bounds, at } = order;
        let (sql, form) = (statement.text, statement.form);
        let job = Job { sql, values, at, form, bounds, timeout_ms };
        Ok(job.run(place).await?.output(&written))
    }

    fn fixed(&self, query: &str, arguments: &Value, engine: Engine) -> Result<Order, Trouble> {
        let statement = check(query, engine, self.rules());
        let statement = statement.map_err(|refused| Trouble::Refused(refused.words))?;
        let values = bind::values(&statement, arguments, "", engine)?;
        let written = query.to_owned();
        Ok(Order { written, statement, values, bounds: self.bounds, at: "" })
    }

    fn free(&self, arguments: Value, engine: Engine) -> Result<Order, Trouble> {
        let asked: Asked = serde_json::from_value(arguments)
            .map_err(|error| Trouble::Argument(String::new(), error.to_string()))?;
        let statement = check(&asked.sql, engine, self.rules());
        let statement = statement.map_err(|refused| Trouble::guarded(&refused))?;
        let given = asked.parameters.unwrap_or(json!({}));
        if !given.is_object() && !given.is_array() {
            let why = "it is an object of names, or a list".to_owned();
            return Err(Trouble::Argument("/parameters".to_owned(), why));
        }
        let values = bind::values(&statement, &given, "/parameters", engine)?;
        let rows = asked.max_rows.unwrap_or(self.bounds.rows).clamp(1, self.bounds.rows);
        let bounds = Bounds { rows, ..self.bounds };
        Ok(Order { written: asked.sql, statement, values, bounds, at: "/parameters" })
    }
}

impl Call for SqlCall {
    fn exec(&self, invocation: Invocation) -> Chunks<'_> {
        whole(self.run(invocation))
    }

    /// The tables, and which SQL they are asked with.
    fn about(&self, timeout_ms: u64) -> BoxFuture<'_, Result<String, Fault>> {
        let database = Database::new(&self.tool, &self.sql, Arc::clone(&self.vault));
        let told = async move {
            let Described { engine, text, truncated } = database.describe(timeout_ms).await?;
            let more = if truncated { "…\n" } else { "" };
            Ok(format!("{engine:?} tables:\n{text}{more}"))
        };
        told.boxed()
    }
}
