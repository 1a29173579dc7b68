//! Tools that query a database: SQLite, PostgreSQL, MySQL or MariaDB.
//!
//! SQL of people and of models is treated the same: it must be one statement that the guard accepts, and it runs with
//! bound values within limits on rows, bytes and time. A query runs where the engine itself refuses to write.
//! Dropping a call stops the work at the server.

mod marks;

mod lex;

mod denied;

mod guard;

mod kind;

mod refusal;

mod bind;

mod place;

mod trouble;

mod rows;

mod job;

mod sqlite;

mod sqlite_rules;

mod tls;

mod postgres;

mod postgres_values;

mod mysql;

mod mysql_values;

mod describe;

mod call;

pub use call::SqlCall;
pub use describe::{Database, DatabaseDescription};
pub use guard::{SqlRefused, Statement, StatementForm, StatementRules, check};
pub use lex::{ArgumentRef, SqlDialect};
