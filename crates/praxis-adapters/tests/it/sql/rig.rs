//! A shop with canaries in a database of its own, and calls of a tool at it.

use super::servers::{self, PASSWORD, Server};
use mysql_async::prelude::Queryable;
use praxis_adapters::command::Keeper;
use praxis_adapters::connect::Transports;
use praxis_adapters::http::Guard;
use praxis_adapters::secrets::{Secrets, Vault};
use praxis_core::call::manifest;
use praxis_core::fault::Fault;
use praxis_core::ids::TaskId;
use praxis_engine::seams::{Callable, ConnectTools, Invocation, gathered};
use praxis_fence::FolderGrants;
use praxis_testkit::tools::ScriptedTools;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio_postgres::{NoTls, SimpleQueryMessage};

/// Which database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Postgres,
    Mariadb,
    Sqlite,
}

pub(crate) const EVERYWHERE: [At; 3] = [At::Postgres, At::Mariadb, At::Sqlite];

/// A database with a canary in it.
pub(crate) struct Shop {
    pub(crate) at: At,
    pub(crate) name: String,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) server: Option<&'static Server>,
}

pub(crate) struct Keys;

impl Secrets for Keys {
    fn value(&self, name: &str) -> Option<String> {
        match name {
            "DB" => Some(PASSWORD.to_owned()),
            "WRONG" => Some("not-the-password-3c".to_owned()),
            _ => name.strip_prefix("WHOLE_").map(|rest| {
                let (port, database) = rest.split_once('_').unwrap();
                format!("postgres://owner:{PASSWORD}@127.0.0.1:{port}/{database}")
            }),
        }
    }
}

/// Three rows that never change.
const ROWS: &str = "create table canary (n integer primary key, name varchar(40));
    insert into canary values (1, 'ann'), (2, 'bob'), (3, 'cat');
    create table orders (id integer primary key, canary_id integer references canary (n), note text)";

impl Shop {
    /// Opens a new one, unless the server cannot be had.
    pub(crate) async fn open(at: At) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = format!("shop_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let started = tokio::task::spawn_blocking(move || match at {
            At::Postgres => Some(Some(servers::postgres()?)),
            At::Mariadb => Some(Some(servers::mariadb()?)),
            At::Sqlite => Some(None),
        });
        let server = started.await.unwrap()?;
        let folder = tempfile::tempdir().unwrap();
        let shop = Self { at, name, folder, server };
        if at != At::Sqlite {
            let whole = match at {
                At::Postgres => "postgres",
                _ => "shop",
            };
            shop.admin_at(whole, &format!("create database {}", shop.name)).await.unwrap();
        }
        for statement in ROWS.split(';') {
            shop.admin(statement).await.unwrap();
        }
        Some(shop)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("shop.db")
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.map_or(0, |server| server.port)
    }

    /// Its address, with the password as a reference.
    pub(crate) fn url(&self) -> String {
        self.url_at(self.port())
    }

    pub(crate) fn url_at(&self, port: u16) -> String {
        let name = &self.name;
        match self.at {
            At::Postgres => format!("postgres://owner:secret:DB@127.0.0.1:{port}/{name}"),
            At::Mariadb => format!("mysql://owner:secret:DB@127.0.0.1:{port}/{name}"),
            At::Sqlite => format!("sqlite:{}", self.file().display()),
        }
    }

    /// Does something as the owner, past all guards; gives the cells of all rows.
    pub(crate) async fn admin(&self, sql: &str) -> Result<Vec<String>, String> {
        self.admin_at(&self.name, sql).await
    }

    async fn admin_at(&self, database: &str, sql: &str) -> Result<Vec<String>, String> {
        match self.at {
            At::Postgres => admin_postgres(self.port(), database, sql).await,
            At::Mariadb => admin_mariadb(self.port(), database, sql).await,
            At::Sqlite => admin_sqlite(self.file(), sql),
        }
    }

    /// Everything in the canary table and the names of all tables.
    pub(crate) async fn canary(&self) -> Vec<String> {
        let tables = match self.at {
            At::Postgres => "select 'table', tablename from pg_tables where schemaname = 'public'",
            At::Mariadb => {
                "select 'table', table_name from information_schema.tables where table_schema = database()"
            }
            At::Sqlite => "select 'table', name from sqlite_master",
        };
        let rows = "select cast(n as char(9)), name from canary";
        self.admin(&format!("{rows} union all {tables} order by 1, 2")).await.unwrap()
    }

    /// A tool with these fields of `sql`, at this database unless they say otherwise.
    pub(crate) fn tool(&self, fields: Value) -> Arc<dyn Callable> {
        let mut sql = json!({"url": self.url()});
        sql.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        connect(sql).unwrap()
    }

    /// Makes one call.
    pub(crate) async fn call(&self, fields: Value, arguments: Value) -> Result<Value, Fault> {
        exec(&*self.tool(fields), arguments, 20_000).await
    }

    /// Runs SQL that somebody wrote.
    pub(crate) async fn ask(&self, sql: &str) -> Result<Value, Fault> {
        self.call(json!({}), json!({"sql": sql})).await
    }
}

/// Makes a manifest callable.
pub(crate) fn connect(sql: Value) -> Result<Arc<dyn Callable>, String> {
    let tool = manifest::read(&json!({"id": "db", "sql": sql}));
    let tool = tool.map_err(|problems| problems[0].code.clone())?.remove(0);
    let nowhere = PathBuf::from("/nonexistent");
    let keeper = Keeper {
        binary: nowhere.clone(),
        locks: nowhere.clone(),
        logs: nowhere.clone(),
        environment: vec![],
    };
    let resolve = Arc::new(|_: String, _: u16| -> futures::future::BoxFuture<'static, _> {
        Box::pin(std::future::ready(Ok(vec![])))
    });
    let transports = Transports {
        builtin: Arc::new(ScriptedTools::default()),
        folders: FolderGrants::default(),
        keeper,
        vault: Arc::new(Vault::new(Arc::new(Keys))),
        guard: Arc::new(Guard::with_resolver(std::collections::BTreeSet::new(), 1024, resolve)),
    };
    transports.connect(&tool)
}

/// Makes a call that may take so long.
pub(crate) async fn exec(
    call: &dyn Callable,
    arguments: Value,
    timeout_ms: u64,
) -> Result<Value, Fault> {
    let invocation = Invocation {
        task: TaskId::from("task_1"),
        step: "a".into(),
        attempt: 1,
        key: "task_1/a~1".to_owned(),
        arguments,
        timeout_ms,
        written: std::collections::BTreeMap::new(),
    };
    let done = gathered(call.exec(invocation)).await.map_err(|failed| failed.fault);
    let shown = format!("{done:?}");
    assert!(!shown.contains(PASSWORD), "the password is shown: {shown}");
    done
}

async fn admin_postgres(port: u16, database: &str, sql: &str) -> Result<Vec<String>, String> {
    let to = format!("host=127.0.0.1 port={port} user=owner password={PASSWORD} dbname={database}");
    let said = |error: tokio_postgres::Error| format!("{error:?}");
    let mut tries = 0;
    let (client, link) = loop {
        match tokio_postgres::connect(&to, NoTls).await {
            Ok(pair) => break pair,
            // It listens before it serves.
            Err(error) if tries < 100 && error.code().is_some_and(|c| c.code() == "57P03") => {
                tries += 1;
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
            Err(error) => return Err(said(error)),
        }
    };
    let link = tokio::spawn(link);
    let found = client.simple_query(sql).await.map_err(said);
    drop(client);
    let _ = link.await;
    let cells = |message: SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => {
            (0..row.len()).map(|at| row.get(at).unwrap_or("null").to_owned()).collect()
        }
        _ => vec![],
    };
    Ok(found?.into_iter().flat_map(cells).collect())
}

async fn admin_mariadb(port: u16, database: &str, sql: &str) -> Result<Vec<String>, String> {
    let opts = mysql_async::OptsBuilder::default()
        .ip_or_hostname("127.0.0.1")
        .tcp_port(port)
        .user(Some("owner"))
        .pass(Some(PASSWORD))
        .db_name(Some(database))
        .prefer_socket(false);
    let said = |error: mysql_async::Error| error.to_string();
    let mut connection = mysql_async::Conn::new(opts).await.map_err(said)?;
    let rows: Vec<mysql_async::Row> = connection.query(sql).await.map_err(said)?;
    connection.disconnect().await.map_err(said)?;
    let cell = |value: mysql_async::Value| mysql_async::from_value::<Option<String>>(value);
    let cells = rows.into_iter().flat_map(mysql_async::Row::unwrap);
    Ok(cells.map(|value| cell(value).unwrap_or_else(|| "null".to_owned())).collect())
}

fn admin_sqlite(file: PathBuf, sql: &str) -> Result<Vec<String>, String> {
    let said = |error: rusqlite::Error| error.to_string();
    let connection = rusqlite::Connection::open(file).map_err(said)?;
    let mut statement = connection.prepare(sql).map_err(said)?;
    let width = statement.column_count();
    let mut rows = statement.query([]).map_err(said)?;
    let mut cells = vec![];
    while let Some(row) = rows.next().map_err(said)? {
        for column in 0..width {
            let value: rusqlite::types::Value = row.get(column).map_err(said)?;
            cells.push(match value {
                rusqlite::types::Value::Integer(n) => n.to_string(),
                rusqlite::types::Value::Text(text) => text,
                other => format!("{other:?}"),
            });
        }
    }
    Ok(cells)
}
