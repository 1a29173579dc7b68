//! Tools that are queries at a database: SQLite, PostgreSQL, MySQL and MariaDB.
//!
//! Whoever wrote the SQL, a person or a model, it goes the same way: it is read, must be one statement
//! that the guard lets through, and runs with bound values where the engine itself refuses to write, within
//! bounds of rows, bytes and time. Dropping a call stops the work at the server.

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
pub use lex::{BoundSlot, SqlDialect};
