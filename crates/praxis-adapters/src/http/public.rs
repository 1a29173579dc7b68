//! Tells public IP addresses from all others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns true if an address belongs to the public internet: not to this machine, a private or reserved network, the
/// internals of a provider, or an IPv6 range that embeds IPv4 addresses.
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
    let [first, second, _, _, fifth, sixth, _, _] = address.segments();
    // Global unicast is `2000::/3`; an address in it that embeds an IPv4 address could lead anywhere.
    let global = first & 0xe000 == 0x2000;
    // `2001::/23` is for protocols: Teredo, benchmarks, identifiers that are not locations.
    let protocols = first == 0x2001 && second < 0x0200;
    let six_to_four = first == 0x2002;
    let isatap = sixth == 0x5efe && matches!(fifth, 0 | 0x0200);
    let documentation =
        (first == 0x2001 && second == 0x0db8) || (first == 0x3fff && second < 0x1000);
    global && !protocols && !six_to_four && !isatap && !documentation
}

/// A range of addresses, written `10.1.0.0/16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    bits: u32,
}

impl Network {
    /// Parses a range; returns `None` if the text is not one.
    pub fn read(text: &str) -> Option<Self> {
        let (first, bits) = text.split_once('/')?;
        let (first, bits) = (first.parse().ok()?, bits.parse().ok()?);
        let most = if matches!(first, IpAddr::V4(_)) { 32 } else { 128 };
        (bits <= most).then_some(Self { first, bits })
    }

    /// Returns true if the range contains an address. An IPv4-mapped IPv6 address is not in an IPv4 range.
    pub fn holds(self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let differs = first.to_bits() ^ address.to_bits();
                differs.leading_zeros() >= self.bits
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let differs = first.to_bits() ^ address.to_bits();
                differs.leading_zeros() >= self.bits
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSIDE: &[&str] = &[
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.8.8.8",
        "127.255.255.255",
        "169.254.0.1",
        "169.254.169.254",
        "169.254.170.2",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.7",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "64:ff9b:1::1",
        "64:ff9b::7f00:1",
        "100::1",
        "2001:0:7f00:1::",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:1ff::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::",
        "2606:4700::200:5efe:7f00:1",
        "2606:4700::5efe:7f00:1",
        "3fff::1",
        "3fff:fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ];

    const OUTSIDE: &[&str] = &[
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "128.0.0.1",
        "169.253.255.255",
        "172.15.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.255.255",
        "198.17.255.255",
        "198.20.0.1",
        "223.255.255.255",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2606:4700::1",
        "2a00:1450::1",
        "3fff:1000::1",
    ];

    #[test]
    fn inside_addresses_of_every_kind_are_not_public_and_their_neighbours_are() {
        for text in INSIDE {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in OUTSIDE {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn a_network_holds_its_range_and_no_other_family() {
        let holds = |network: &str, address: &str| {
            Network::read(network).unwrap().holds(address.parse().unwrap())
        };
        assert!(holds("10.1.0.0/16", "10.1.255.255"));
        assert!(!holds("10.1.0.0/16", "10.2.0.0"));
        assert!(holds("10.1.2.3/32", "10.1.2.3"));
        assert!(!holds("10.1.2.3/32", "10.1.2.2"));
        assert!(holds("0.0.0.0/0", "255.0.0.1"));
        assert!(!holds("0.0.0.0/0", "::ffff:10.0.0.1"));
        assert!(holds("fd00::/8", "fd12::1"));
        assert!(!holds("fd00::/8", "fc00::1"));
        for bad in ["10.0.0.0", "10.0.0.0/33", "10.0/8", "::/129", "a/8", "10.0.0.0/", "/8", ""] {
            assert_eq!(Network::read(bad), None, "{bad}");
        }
    }
}
