//! SQL part of a tool manifest and its validation.
//!
//! - in: the `sql` part of a manifest
//! - out: URL, query and limits, or the problems for which it is refused
//! - never: parses SQL, depends on a driver, or reads the value of a secret

use crate::problem::reason::ProblemReason;
use serde::{Deserialize, Serialize};

/// Statements that a query may contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlAllow {
    /// Reading only.
    #[default]
    Read,
    /// One `INSERT`, `UPDATE` or `DELETE`.
    Write,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "so the serializer asks")]
fn is_read(allow: &SqlAllow) -> bool {
    *allow == SqlAllow::Read
}

/// A query against a database. Without `query`, every call brings its own SQL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlTransport {
    /// The database: `sqlite:PATH`, `postgres://user:secret:NAME@host/db`, `mysql://…`, or `secret:NAME` for all of
    /// it.
    pub url: String,
    /// The SQL; `:name` or `{name}` binds an argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The allowed statements.
    #[serde(default, skip_serializing_if = "is_read")]
    pub allow: SqlAllow,
    /// The maximum number of rows that a read returns or a write changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rows: Option<u32>,
    /// The maximum size of the rows as JSON, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
}

/// Default of `max_rows`.
pub const DEFAULT_ROWS: u32 = 1000;
/// Upper limit of `max_rows`.
pub const MOST_ROWS: u32 = 100_000;
/// Default of `max_bytes`.
pub const DEFAULT_BYTES: u64 = 4 * 1024 * 1024;
/// Upper limit of `max_bytes`.
pub const MOST_BYTES: u64 = 64 * 1024 * 1024;

const SERVERS: [&str; 4] = ["postgres://", "postgresql://", "mysql://", "mariadb://"];

impl SqlTransport {
    /// Returns the problems of the transport with their places in the manifest.
    pub fn problems(&self) -> Vec<(ProblemReason, &'static str)> {
        let mut found = Vec::new();
        if let Some(reason) = address_problem(&self.url) {
            found.push((reason, "sql.url"));
        }
        if self.query.as_ref().is_some_and(|query| query.trim().is_empty()) {
            found.push((ProblemReason::NoQuery, "sql.query"));
        }
        if self.max_rows.is_some_and(|rows| !(1..=MOST_ROWS).contains(&rows)) {
            found.push((ProblemReason::BadBound { most: MOST_ROWS.into() }, "sql.max_rows"));
        }
        if self.max_bytes.is_some_and(|bytes| !(1..=MOST_BYTES).contains(&bytes)) {
            found.push((ProblemReason::BadBound { most: MOST_BYTES }, "sql.max_bytes"));
        }
        found
    }
}

/// Returns the problem of a database URL. A plain-text password is one: the manifest is stored with every task.
fn address_problem(url: &str) -> Option<ProblemReason> {
    if url.starts_with("secret:") || url.strip_prefix("sqlite:").is_some_and(|p| !p.is_empty()) {
        return None;
    }
    let Some(rest) = SERVERS.iter().find_map(|scheme| url.strip_prefix(scheme)) else {
        return Some(ProblemReason::BadDatabaseUrl);
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let password = authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':'));
    let is_open = |text: &str| !text.is_empty() && !is_reference(text);
    // A second `@` or a `password=` parameter could carry a password past the check.
    let hides_more = rest.matches('@').count() > 1 || rest.contains("password=");
    if password.is_some_and(|(_, password)| is_open(password)) || hides_more {
        return Some(ProblemReason::OpenPassword);
    }
    None
}

fn is_reference(text: &str) -> bool {
    let name = text.strip_prefix("secret:").unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> Option<&'static str> {
        address_problem(url).map(|reason| reason.code())
    }

    #[test]
    fn a_password_is_a_reference_or_the_manifest_is_refused() {
        for fine in [
            "sqlite:data/shop.db",
            "postgres://ann@db.test/shop",
            "postgresql://ann:secret:SHOP_1@db.test:5432/shop?sslmode=require",
            "mysql://db.test/shop",
            "mariadb://ann:@[::1]:3306/shop",
            "secret:SHOP",
        ] {
            assert_eq!(refused(fine), None, "{fine}");
        }
        for open in [
            "postgres://ann:hunter2@db.test/shop",
            "mysql://ann:secret:@db.test/shop",
            "mysql://ann:secret:A%21@db.test/shop",
            "postgres://ann:xsecret:A@db.test/shop",
            "postgres://ann:a@b@db.test/shop",
            "postgres://ann:se/cret@db.test@x/shop",
            "postgres://ann@db.test/shop?password=hunter2",
        ] {
            assert_eq!(refused(open), Some("open_password"), "{open}");
        }
        for none in ["sqlite:", "shop.db", "http://db.test/", "oracle://db.test/x", ""] {
            assert_eq!(refused(none), Some("bad_url"), "{none}");
        }
    }
}
