//! Describes the tables of a database for whoever writes the SQL, a person or a model.
//!
//! - in: the `sql` section of a manifest
//! - out: one line per table with its columns, types and keys, up to a size limit
//! - never: rows, comments or defaults: they are untrusted text that could carry instructions for the model

use super::guard::StatementForm;
use super::job::SqlJob;
use super::lex::SqlDialect;
use super::place;
use super::rows::RowBounds;
use super::trouble::SqlTrouble;
use crate::secrets::Vault;
use praxis_core::call::sql::SqlTransport;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use serde_json::Value;
use std::sync::Arc;

/// Maximum bytes of a description.
const MOST_TEXT: usize = 24 * 1024;
/// Maximum number of columns that are read.
const MOST_COLUMNS: u32 = 5000;
/// Maximum characters of a type, key or name.
const MOST_WORD: usize = 120;

/// A database that can be described.
pub struct Database {
    tool: ToolId,
    url: String,
    vault: Arc<Vault>,
}

/// Description of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseDescription {
    /// The SQL dialect of the database.
    pub engine: SqlDialect,
    /// `orders(id integer primary key, customer_id integer -> customers.id)`, one line per table.
    pub text: String,
    /// True if something was left out.
    pub truncated: bool,
}

impl Database {
    /// Creates the database of a manifest's `sql` section.
    pub fn new(tool: &ToolId, sql: &SqlTransport, vault: Arc<Vault>) -> Self {
        Self { tool: tool.clone(), url: sql.url.clone(), vault }
    }

    /// Describes its tables.
    pub async fn describe(&self, timeout_ms: u64) -> Result<DatabaseDescription, Fault> {
        let told = self.look(timeout_ms).await;
        let fault = |trouble: SqlTrouble| trouble.into_fault(&self.tool, timeout_ms, 0);
        told.map_err(|trouble| self.vault.hidden(fault(trouble)))
    }

    async fn look(&self, timeout_ms: u64) -> Result<DatabaseDescription, SqlTrouble> {
        let place = place::find(&self.url, &self.vault).map_err(SqlTrouble::Refused)?;
        let engine = place.engine();
        let bounds = RowBounds { rows: MOST_COLUMNS, bytes: 4 * 1024 * 1024 };
        let sql = match engine {
            SqlDialect::Postgres => POSTGRES,
            SqlDialect::Mysql => MYSQL,
            SqlDialect::Sqlite => SQLITE,
        };
        let sql = sql.to_owned();
        let job =
            SqlJob { sql, values: vec![], at: "", form: StatementForm::Query, bounds, timeout_ms };
        let found = job.run(place).await?;
        let mut told = text(&found.kept, engine);
        told.truncated |= found.truncated;
        Ok(told)
    }
}

fn text(columns: &[Value], engine: SqlDialect) -> DatabaseDescription {
    let mut tables: Vec<(String, Vec<String>)> = Vec::new();
    for column in columns {
        let table = said(column, "t").split('.').map(|part| name(part, engine)).collect::<Vec<_>>();
        let table = table.join(".");
        let column = told(column, engine);
        match tables.last_mut() {
            Some((last, columns)) if *last == table => columns.push(column),
            _ => tables.push((table, vec![column])),
        }
    }
    let mut described = DatabaseDescription { engine, text: String::new(), truncated: false };
    for (table, columns) in tables {
        let whole = format!("{table}({})\n", columns.join(", "));
        // A table whose columns do not fit is listed by name alone.
        let spec = format!("{table}(…)\n");
        let fits = |line: &String| described.text.len() + line.len() <= MOST_TEXT;
        let line = [whole, spec].into_iter().enumerate().find(|(_, line)| fits(line));
        described.truncated |= !matches!(line, Some((0, _)));
        described.text.extend(line.map(|(_, line)| line));
    }
    described
}

fn told(column: &Value, engine: SqlDialect) -> String {
    let mut words = name(said(column, "c"), engine);
    let is = |key: &str| match column.get(key) {
        Some(Value::Bool(yes)) => *yes,
        other => other.and_then(Value::as_i64) == Some(1),
    };
    let kind = plain(said(column, "k"));
    if !kind.is_empty() {
        words.push_str(&format!(" {kind}"));
    }
    if is("p") {
        words.push_str(" primary key");
    } else if is("n") {
        words.push_str(" not null");
    }
    let other = plain(said(column, "r"));
    if !other.is_empty() {
        words.push_str(&format!(" -> {other}"));
    }
    words
}

fn said<'a>(column: &'a Value, key: &str) -> &'a str {
    column.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Quotes a name unless it consists of lower-case letters, digits and underscores.
fn name(text: &str, engine: SqlDialect) -> String {
    let first = |c: char| c.is_lowercase() || c == '_';
    let is_plain = text.starts_with(first)
        && text.chars().all(|c| first(c) || c.is_ascii_digit() || !c.is_ascii());
    if is_plain {
        return plain(text);
    }
    let quote = if engine == SqlDialect::Mysql { '`' } else { '"' };
    let doubled = format!("{quote}{quote}");
    format!("{quote}{}{quote}", plain(text).replace(quote, &doubled))
}

/// Replaces control characters by blanks and cuts the text at `MOST_WORD` characters.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_WORD).collect()
}

const POSTGRES: &str = "
select case when pg_catalog.pg_table_is_visible(c.oid) then c.relname::text
            else n.nspname || '.' || c.relname end as t,
       a.attname::text as c,
       pg_catalog.format_type(a.atttypid, a.atttypmod) as k,
       a.attnotnull as n,
       exists (select 1 from pg_catalog.pg_index i
               where i.indrelid = c.oid and i.indisprimary and a.attnum = any (i.indkey)) as p,
       (select f.confrelid::regclass::text || '.' || b.attname
        from pg_catalog.pg_constraint f
        join pg_catalog.pg_attribute b on b.attrelid = f.confrelid and b.attnum = f.confkey[1]
        where f.contype = 'f' and f.conrelid = c.oid and f.conkey = array[a.attnum] limit 1) as r
from pg_catalog.pg_attribute a
join pg_catalog.pg_class c on c.oid = a.attrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'v', 'm', 'p', 'f') and not c.relispartition
  and a.attnum > 0 and not a.attisdropped
  and n.nspname !~ '^(pg_|information_schema$)'
  and pg_catalog.has_table_privilege(c.oid, 'SELECT')
order by n.nspname, c.relname, a.attnum";

const MYSQL: &str = "
select c.table_name as t, c.column_name as c, c.column_type as k,
       c.is_nullable = 'NO' as n, c.column_key = 'PRI' as p,
       (select concat(k.referenced_table_name, '.', k.referenced_column_name)
        from information_schema.key_column_usage k
        where k.table_schema = c.table_schema and k.table_name = c.table_name
          and k.column_name = c.column_name and k.referenced_table_name is not null limit 1) as r
from information_schema.columns c
where c.table_schema = database()
order by c.table_name, c.ordinal_position";

const SQLITE: &str = "
select m.name as t, p.name as c, lower(p.type) as k, p.\"notnull\" as n, p.pk > 0 as p,
       (select f.\"table\" || '.' || coalesce(f.\"to\", 'rowid')
        from pragma_foreign_key_list(m.name) f where f.\"from\" = p.name limit 1) as r
from sqlite_schema m join pragma_table_info(m.name) p
where m.type in ('table', 'view') and substr(m.name, 1, 7) <> 'sqlite_'
order by m.name, p.cid";
