//! Which hosts may be reached, and at which addresses.

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

/// Looks a host name up.
pub type Resolve =
    Arc<dyn Fn(String, u16) -> BoxFuture<'static, std::io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// Decides who may be reached, and makes the clients that reach them.
pub struct Guard {
    /// Hosts that may be reached wherever they are.
    hosts: BTreeSet<String>,
    /// Addresses that may be reached though they are not public.
    networks: Vec<Network>,
    /// The longest answer.
    pub(crate) most: u64,
    resolve: Resolve,
    /// Made when it is first needed: it reads the system's certificates, which may not be there.
    trusted: OnceLock<Result<reqwest::Client, String>>,
}

/// Why there is no client for a host.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HostBarred {
    /// It may not be reached.
    Refused(Bilingual),
    /// Its name is none of those that are granted. It was not looked up.
    NotGranted(Bilingual),
    /// It cannot be found now.
    Unknown(String),
}

impl Guard {
    /// A guard that lets `allowed` hosts and networks through and looks names up as the system does.
    pub fn new(allowed: BTreeSet<String>, most: u64) -> Self {
        Self::with_resolver(allowed, most, system_resolver())
    }

    /// The same with another way to look names up.
    pub fn with_resolver(allowed: BTreeSet<String>, most: u64, resolve: Resolve) -> Self {
        // The first one wins; all are the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let networks = allowed.iter().filter_map(|text| Network::read(text)).collect();
        let hosts = allowed.into_iter().map(|host| host.to_lowercase()).collect();
        Self { hosts, networks, most, resolve, trusted: OnceLock::new() }
    }

    /// The client for a host that stands in a manifest.
    pub(crate) fn trusted(&self) -> Result<reqwest::Client, String> {
        let made = || builder().build().map_err(|error| words(&error));
        self.trusted.get_or_init(made).clone()
    }

    /// A client for a host that somebody else chose: it can reach the checked addresses only.
    pub(super) async fn checked(
        &self,
        url: &Url,
        granted: &Hosts,
    ) -> Result<reqwest::Client, HostBarred> {
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = url.scheme();
            let en = format!("{scheme} is not http or https");
            return refused(en, format!("{scheme} 不是 http 或 https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refused("a user name in an address is not allowed", "地址中不得含用户名");
        }
        let Some(host) = url.host_str() else {
            return refused("the address has no host", "地址没有主机");
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
                "{host} is {inside}, which is not a public address; set http.allow_hosts to allow it"
            );
            let zh = format!("{host} 是 {inside}，不是公网地址；设置 http.allow_hosts 可放行");
            return refused(en, zh);
        }
        let pinned = builder().dns_resolver(PinnedResolver(addresses)).build();
        pinned.map_err(|error| HostBarred::Refused(no_client(words(&error))))
    }

    /// The addresses of a host, looked up once. There is at least one.
    async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, HostBarred> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let found = (self.resolve)(bare.to_owned(), port).await;
        let found = found.map_err(|error| HostBarred::Unknown(format!("{host}: {error}")))?;
        if found.is_empty() {
            return Err(HostBarred::Unknown(format!("{host} has no address")));
        }
        Ok(found.into_iter().map(|address| SocketAddr::new(address.ip(), port)).collect())
    }

    fn may_reach(&self, address: IpAddr) -> bool {
        is_public(address) || self.networks.iter().any(|network| network.holds(address))
    }
}

/// Knows the addresses that were checked and no others, whatever the name.
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

/// That there is no client to ask with.
pub(super) fn no_client(why: String) -> Bilingual {
    let zh = format!("无法建立连接：{why}");
    (why, zh).into()
}

/// Why a client cannot be made, with the reason behind it.
fn words(error: &reqwest::Error) -> String {
    use std::error::Error;
    let reason = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{reason}")
}

/// No redirects by itself, no proxy of the environment: every hop is ours to check.
fn builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder().redirect(Policy::none()).no_proxy().connect_timeout(CONNECT)
}

fn system_resolver() -> Resolve {
    Arc::new(|host, port| {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    })
}
