//! Where a database is, from its address. Secrets are put in here, at the last hop.
//!
//! - in: the `url` of a manifest
//! - out: host, user and password, or a file
//! - never: shows the password: it has no words for itself

use super::lex::SqlDialect;
use crate::secrets::Vault;
use percent_encoding::percent_decode_str;
use praxis_core::problem::Bilingual;
use reqwest::Url;
use std::path::PathBuf;

/// How a connection is guarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tls {
    /// Not at all.
    Off,
    /// With a certificate that the system trusts.
    System,
    /// With a certificate that this file vouches for.
    File(PathBuf),
}

/// A server.
#[derive(Clone)]
pub(super) struct DatabaseServer {
    pub(super) engine: SqlDialect,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) socket: Option<PathBuf>,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: Option<String>,
    pub(super) tls: Tls,
}

/// A database.
#[derive(Clone)]
pub(super) enum DatabaseUrl {
    /// A file of SQLite.
    File(PathBuf),
    /// A server.
    Server(Box<DatabaseServer>),
}

impl DatabaseUrl {
    /// Which SQL it speaks.
    pub(super) fn engine(&self) -> SqlDialect {
        match self {
            Self::File(_) => SqlDialect::Sqlite,
            Self::Server(server) => server.engine,
        }
    }
}

/// Which SQL an address will speak, if it says so itself.
pub(super) fn engine(url: &str) -> Option<SqlDialect> {
    match url.split(':').next()? {
        "sqlite" => Some(SqlDialect::Sqlite),
        "postgres" | "postgresql" => Some(SqlDialect::Postgres),
        "mysql" | "mariadb" => Some(SqlDialect::Mysql),
        _ => None,
    }
}

/// Finds the database of an address.
pub(super) fn find(url: &str, vault: &Vault) -> Result<DatabaseUrl, Bilingual> {
    let whole = if url.starts_with("secret:") { vault.reveal(url)? } else { url.to_owned() };
    let wrong = || Bilingual::from(("the address of the database is wrong", "数据库地址有误"));
    let engine = engine(&whole).ok_or_else(wrong)?;
    if let Some(path) = whole.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        return Ok(DatabaseUrl::File(PathBuf::from(vault.reveal(path)?)));
    }
    let parsed = Url::parse(&whole).map_err(|_| wrong())?;
    let told = |text: &str| -> Result<String, Bilingual> {
        vault.reveal(&percent_decode_str(text).decode_utf8_lossy())
    };
    let said = |text: &str| (!text.is_empty()).then(|| told(text)).transpose();
    let password = parsed.password().map(told).transpose()?;
    if let (true, Some(password)) = (url != whole, &password) {
        // The secret is the whole address: its password must be found alone, too.
        vault.remember(url.trim_start_matches("secret:"), password);
    }
    let host = parsed.host_str().filter(|host| !host.is_empty()).unwrap_or("localhost");
    let host = told(host)?;
    let host = host.trim_matches(['[', ']']).to_owned();
    let port = if engine == SqlDialect::Postgres { 5432 } else { 3306 };
    let mut server = DatabaseServer {
        engine,
        tls: if is_near(&host) { Tls::Off } else { Tls::System },
        host,
        port: parsed.port().unwrap_or(port),
        socket: None,
        user: said(parsed.username())?,
        password,
        database: said(parsed.path().trim_start_matches('/'))?,
    };
    options(&parsed, &mut server)?;
    Ok(DatabaseUrl::Server(Box::new(server)))
}

fn options(url: &Url, server: &mut DatabaseServer) -> Result<(), Bilingual> {
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    for (key, value) in &pairs {
        match (key.as_str(), value.as_str()) {
            ("sslmode", "disable") => server.tls = Tls::Off,
            ("sslmode", "require") if server.tls == Tls::Off => server.tls = Tls::System,
            ("sslmode", "require") => {}
            ("sslrootcert", file) => server.tls = Tls::File(PathBuf::from(file)),
            ("socket", path) => {
                server.socket = Some(PathBuf::from(path));
                server.tls = Tls::Off;
            }
            _ => {
                let en = format!("`{key}` in the address of the database cannot be `{value}`");
                let en = format!("{en}; known are sslmode=disable or require, sslrootcert, socket");
                let zh = format!("数据库地址中的 `{key}` 不能是 `{value}`");
                let zh = format!("{zh}；可用 sslmode=disable 或 require、sslrootcert、socket");
                return Err((en, zh).into());
            }
        }
    }
    Ok(())
}

/// What does not leave the machine needs no cipher.
fn is_near(host: &str) -> bool {
    host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
