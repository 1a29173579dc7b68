//! Which hosts may be reached, and at which addresses.

use futures::future::BoxFuture;
use reqwest::Url;
use reqwest::redirect::Policy;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
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
    allowed: BTreeSet<String>,
    /// The longest answer.
    pub(super) most: u64,
    resolve: Resolve,
    /// Made when it is first needed: it reads the system's certificates, which may not be there.
    trusted: OnceLock<Result<reqwest::Client, String>>,
}

impl Guard {
    /// A guard that lets `allowed` hosts through and looks names up as the system does.
    pub fn new(allowed: BTreeSet<String>, most: u64) -> Self {
        Self::with_resolver(allowed, most, system_resolver())
    }

    /// The same with another way to look names up.
    pub fn with_resolver(allowed: BTreeSet<String>, most: u64, resolve: Resolve) -> Self {
        // The first one wins; all are the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { allowed, most, resolve, trusted: OnceLock::new() }
    }

    /// The client for a host that stands in a manifest.
    pub(super) fn trusted(&self) -> Result<reqwest::Client, String> {
        let made = || builder().build().map_err(|error| words(&error));
        self.trusted.get_or_init(made).clone()
    }

    /// A client for a host that somebody else chose: it can reach the checked addresses only.
    pub(super) async fn checked(&self, url: &Url) -> Result<reqwest::Client, String> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("{} is not http or https", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a user name in an address is not allowed".to_owned());
        }
        let host = url.host_str().ok_or("the address has no host")?;
        if self.allowed.contains(host) {
            return self.trusted();
        }
        let port = url.port_or_known_default().unwrap_or(443);
        let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let addresses = match bare.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => (self.resolve)(bare, port).await.map_err(|error| error.to_string())?,
        };
        if addresses.is_empty() {
            return Err(format!("{host} has no address"));
        }
        if let Some(inside) = addresses.iter().find(|address| !is_public(address.ip())) {
            let advice = "set http.allow_hosts to allow it";
            return Err(format!(
                "{host} is {}, which is not a public address; {advice}",
                inside.ip()
            ));
        }
        builder().resolve_to_addrs(host, &addresses).build().map_err(|error| words(&error))
    }
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

/// Whether an address belongs to the public network: not to this machine, a private network, a
/// provider's inside, or a way around through another family.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let special =
        a == 0 || a >= 240 || (a == 192 && b == 0 && c == 0) || (a == 198 && (18..20).contains(&b));
    let relay = (a, b, c) == (192, 88, 99);
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || shared
        || special
        || relay)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // Global unicast is 2000::/3; what wraps an IPv4 address in it could lead anywhere.
    let global = first & 0xe000 == 0x2000;
    let teredo = first == 0x2001 && second == 0;
    let six_to_four = first == 0x2002;
    let documentation = first == 0x2001 && second == 0x0db8;
    let benchmarking = first == 0x2001 && second == 0x0002;
    global && !teredo && !six_to_four && !documentation && !benchmarking
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_addresses_of_every_kind_are_not_public() {
        let inside = [
            "127.0.0.1",
            "127.8.8.8",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.8",
            "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "203.0.113.7",
            "192.88.99.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:0:7f00:1::",
            "2001:db8::1",
        ];
        for text in inside {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in ["8.8.8.8", "100.63.255.255", "172.32.0.1", "2606:4700::1", "2a00:1450::1"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
