//! Recognizes hosts that the author of a flow wrote.

use praxis_engine::seams::Invocation;
use reqwest::Url;

/// Returns true if the host and port of a URL are one of `hosts`: `api.example.org`, `127.0.0.1:8080`. A host without
/// a port means the default port of the scheme. A URL with a user name or a password never matches.
fn is_written(url: &Url, hosts: &[String]) -> bool {
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

/// The name of the parameter that holds the URL.
const URL: &str = "url";

/// Returns true if the author of the flow wrote the host of the URL that a call goes to.
pub(crate) fn is_written_in(url: &Url, invocation: &Invocation) -> bool {
    let written = invocation.written.get(URL).and_then(|text| authority(text));
    is_written(url, written.as_slice())
}

/// Returns the authority of a URL template if it ends before the first placeholder.
fn authority(url: &str) -> Option<String> {
    let url = url.trim();
    let (_, rest) =
        url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let placeholder =
        [rest.find("{{"), rest.find("${"), rest.find("\\{")].into_iter().flatten().min();
    let end = rest.find(['/', '?', '#', '\\']);
    let end = match (end, placeholder) {
        (Some(end), Some(placeholder)) if end > placeholder => return None,
        (None, Some(_)) => return None,
        (end, _) => end.unwrap_or(rest.len()),
    };
    let authority = rest.get(..end)?;
    let is_plain = !authority.is_empty() && !authority.contains('@');
    is_plain.then(|| authority.to_lowercase())
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

    #[test]
    fn only_a_host_that_stands_there_as_a_whole_is_written() {
        let written = |url: &str| authority(url);
        assert_eq!(written("https://API.example/v1/{{id}}"), Some("api.example".to_owned()));
        assert_eq!(written("http://127.0.0.1:8080"), Some("127.0.0.1:8080".to_owned()));
        assert_eq!(written("http://a.example?q={{q}}"), Some("a.example".to_owned()));
        for no in [
            "{{url}}",
            "http://{{host}}/x",
            "http://a{{b}}",
            "http://a.example{{rest}}",
            "http://a.${b}/",
            "http://u:p@a.example/",
            "ftp://a.example/",
            "a.example/x",
            "http:///x",
            "http://a.example\\{{x}}@evil/",
        ] {
            let found = written(no);
            assert!(found.is_none() || found.as_deref() == Some("a.example"), "{no}: {found:?}");
        }
        assert_eq!(written("http://a.example{{rest}}"), None);
    }
}
