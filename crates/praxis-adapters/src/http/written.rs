//! Which hosts the author of a flow wrote.

use reqwest::Url;

/// Whether the host of an address, with its port, is one of these: `api.example.org`, `127.0.0.1:8080`. Without
/// a port the usual one of the scheme is meant. A user name in the address makes it another one's.
pub(crate) fn is_written(url: &Url, hosts: &[String]) -> bool {
    let named = !url.username().is_empty() || url.password().is_some();
    !named && hosts.iter().any(|host| same(url, host))
}

fn same(url: &Url, host: &str) -> bool {
    if host.contains(['/', '\\', '?', '#', '@']) {
        return false;
    }
    let Ok(written) = Url::parse(&format!("{}://{host}/", url.scheme())) else { return false };
    matches!(url.scheme(), "http" | "https") && written.origin() == url.origin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_written_with_its_port_and_nothing_else_is() {
        let hosts: Vec<String> =
            ["api.test", "127.0.0.1:8080", "[::1]:81", "Bücher.example", "evil.test/@good.test"]
                .map(str::to_owned)
                .into();
        for url in [
            "http://api.test/x",
            "https://API.test:443/",
            "http://127.0.0.1:8080/",
            "http://2130706433:8080/",
            "http://[0::1]:81/",
            "https://xn--bcher-kva.example/",
        ] {
            assert!(is_written(&Url::parse(url).unwrap(), &hosts), "{url}");
        }
        for url in [
            "http://api.test:8080/",
            "http://a.api.test/",
            "http://api.test./",
            "http://user@api.test/",
            "http://127.0.0.1/",
            "http://127.0.0.1:8081/",
            "http://127.0.0.2:8080/",
            "ftp://api.test/",
            "http://evil.test/",
            "http://good.test/",
        ] {
            assert!(!is_written(&Url::parse(url).unwrap(), &hosts), "{url}");
        }
        assert!(!is_written(&Url::parse("http://api.test/").unwrap(), &[]));
    }
}
