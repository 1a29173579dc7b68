//! Parses the URL of a database and reveals the secrets in it, right before it is used.
//!
//! - in: the `url` of a manifest
//! - out: a server with user and password, or a file
//! - never: shows the password: the types with it have no `Debug`

use super::lex::SqlDialect;
use crate::secrets::Vault;
use percent_encoding::percent_decode_str;
use praxis_core::problem::Bilingual;
use reqwest::Url;
use std::path::PathBuf;

/// Encryption of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tls {
    /// No encryption.
    Off,
    /// TLS with a certificate that the system trusts.
    System,
    /// TLS with a certificate that a root in this file signed.
    File(PathBuf),
}

/// A database server.
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

/// Location of a database.
#[derive(Clone)]
pub(super) enum DatabaseUrl {
    /// A SQLite file.
    File(PathBuf),
    /// A server.
    Server(Box<DatabaseServer>),
}

impl DatabaseUrl {
    /// Returns its SQL dialect.
    pub(super) fn engine(&self) -> SqlDialect {
        match self {
            Self::File(_) => SqlDialect::Sqlite,
            Self::Server(server) => server.engine,
        }
    }
}

/// Returns the SQL dialect of a URL if its scheme names one.
pub(super) fn engine(url: &str) -> Option<SqlDialect> {
    match url.split(':').next()? {
        "sqlite" => Some(SqlDialect::Sqlite),
        "postgres" | "postgresql" => Some(SqlDialect::Postgres),
        "mysql" | "mariadb" => Some(SqlDialect::Mysql),
        _ => None,
    }
}

/// Parses the URL of a database.
pub(super) fn find(url: &str, vault: &Vault) -> Result<DatabaseUrl, Bilingual> {
    let whole = if url.starts_with("secret:") { vault.reveal(url)? } else { url.to_owned() };
    let wrong = || {
        Bilingual::from((
            "invalid database URL; write `sqlite:FILE`, `postgres://HOST/NAME` or `mysql://HOST/NAME`",
            "数据库 URL 无效；请写成 `sqlite:文件`、`postgres://主机/库名` 或 `mysql://主机/库名`",
        ))
    };
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
        // The whole URL is the secret, so its password alone must be hidden, too.
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
                let en = format!("unsupported option `{key}={value}` in the database URL");
                let en = format!(
                    "{en}; supported: sslmode=disable, sslmode=require, sslrootcert=FILE, socket=PATH"
                );
                let zh = format!("数据库 URL 中的选项 `{key}={value}` 不受支持");
                let zh = format!(
                    "{zh}；可用 sslmode=disable、sslmode=require、sslrootcert=文件、socket=路径"
                );
                return Err((en, zh).into());
            }
        }
    }
    Ok(())
}

/// Returns true if a connection stays on this machine and needs no encryption.
fn is_near(host: &str) -> bool {
    host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
