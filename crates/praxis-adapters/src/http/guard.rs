//! Decides which hosts may be reached, and at which addresses.

use super::hosts::Hosts;
use super::public::{Network, is_public};
use futures::future::BoxFuture;
use praxis_core::problem::Bilingual;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolving};
use reqwest::redirect::Policy;
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Resolves a host name.
pub type Resolve =
    Arc<dyn Fn(String, u16) -> BoxFuture<'static, std::io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The timeout for establishing a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Decides which hosts may be reached, and creates the HTTP clients that reach them.
pub struct Guard {
    /// Hosts that may be reached at any address.
    hosts: BTreeSet<String>,
    /// Non-public addresses that may be reached.
    networks: Vec<Network>,
    /// The maximum size of a response in bytes.
    pub(crate) most: u64,
    resolve: Resolve,
    /// Created when first needed: it reads the system's certificates, which may be missing.
    trusted: OnceLock<Result<reqwest::Client, String>>,
}

/// The reason for which there is no client for a host.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HostBarred {
    /// The host may not be reached.
    Refused(Bilingual),
    /// The host name is not granted. It was not resolved.
    NotGranted(Bilingual),
    /// The host name cannot be resolved now.
    Unknown(String),
}

impl Guard {
    /// Creates a guard that also lets `allowed` hosts and networks through, with the resolver of the system.
    pub fn new(allowed: BTreeSet<String>, most: u64) -> Self {
        Self::with_resolver(allowed, most, system_resolver())
    }

    /// Creates a guard with another resolver.
    pub fn with_resolver(allowed: BTreeSet<String>, most: u64, resolve: Resolve) -> Self {
        // Fails if a provider is installed already, which is then the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let networks = allowed.iter().filter_map(|text| Network::read(text)).collect();
        let hosts = allowed.into_iter().map(|host| host.to_lowercase()).collect();
        Self { hosts, networks, most, resolve, trusted: OnceLock::new() }
    }

    /// Returns the client for a trusted host, written in a manifest or a flow.
    pub(crate) fn trusted(&self) -> Result<reqwest::Client, String> {
        let made = || builder().build().map_err(|error| words(&error));
        self.trusted.get_or_init(made).clone()
    }

    /// Creates a client for an untrusted host: it can reach only the addresses that were checked.
    pub(super) async fn checked(
        &self,
        url: &Url,
        granted: &Hosts,
    ) -> Result<reqwest::Client, HostBarred> {
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = url.scheme();
            let en = format!("the URL must start with http:// or https://, got scheme `{scheme}`");
            return refused(
                en,
                format!("URL 必须以 http:// 或 https:// 开头，实际协议为 `{scheme}`"),
            );
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refused(
                "the URL must not contain a user name or password",
                "URL 中不得包含用户名或密码",
            );
        }
        let Some(host) = url.host_str() else {
            return refused("the URL has no host", "URL 缺少主机名");
        };
        if !granted.grant(url) {
            return Err(HostBarred::NotGranted(granted.lack(host)));
        }
        if self.hosts.contains(host) {
            return self.trusted().map_err(|why| HostBarred::Refused(no_client(why)));
        }
        let addresses = self.addresses(host, url.port_or_known_default().unwrap_or(443)).await?;
        if let Some(inside) = addresses.iter().find(|address| !self.may_reach(address.ip())) {
            let inside = inside.ip();
            let en = format!(
                "{host} resolves to {inside}, which is not a public address; to allow it, add the host to http.allow_hosts"
            );
            let zh = format!(
                "{host} 解析为 {inside}，不是公网地址；如需放行，请将该主机加入 http.allow_hosts"
            );
            return refused(en, zh);
        }
        let pinned = builder().dns_resolver(PinnedResolver(addresses)).build();
        pinned.map_err(|error| HostBarred::Refused(no_client(words(&error))))
    }

    /// Resolves a host once, to at least one address.
    async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, HostBarred> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let found = (self.resolve)(bare.to_owned(), port).await;
        let found = found.map_err(|error| HostBarred::Unknown(format!("{host}: {error}")))?;
        if found.is_empty() {
            return Err(HostBarred::Unknown(format!("{host} does not resolve to any address")));
        }
        Ok(found.into_iter().map(|address| SocketAddr::new(address.ip(), port)).collect())
    }

    fn may_reach(&self, address: IpAddr) -> bool {
        is_public(address) || self.networks.iter().any(|network| network.holds(address))
    }
}

/// Resolves every name to the addresses that were checked.
struct PinnedResolver(Vec<SocketAddr>);

impl reqwest::dns::Resolve for PinnedResolver {
    fn resolve(&self, _name: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

fn refused<T>(en: impl Into<String>, zh: impl Into<String>) -> Result<T, HostBarred> {
    Err(HostBarred::Refused((en, zh).into()))
}

/// Describes a client that cannot be created.
pub(super) fn no_client(why: String) -> Bilingual {
    let zh = format!("无法建立连接：{why}");
    (why, zh).into()
}

/// Formats the error of a client that cannot be created, with its cause.
fn words(error: &reqwest::Error) -> String {
    use std::error::Error;
    let reason = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{reason}")
}

/// Creates a client builder without automatic redirects or environment proxies: every hop must be checked.
fn builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder().redirect(Policy::none()).no_proxy().connect_timeout(CONNECT)
}

fn system_resolver() -> Resolve {
    Arc::new(|host, port| {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    })
}
