//! The hosts that tools may reach, by name.
//!
//! - in: host names and patterns from the settings, and a URL
//! - out: true if the host of the URL is granted
//! - never: resolves a name, since a DNS query alone discloses it, or guesses what an entry means

use praxis_core::problem::Bilingual;
use reqwest::Url;

/// The granted hosts; empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Vec<Grant>);

/// One entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Grant {
    /// `*`: every host.
    Any,
    /// `example.org`, `192.0.2.1`, `[2001:db8::1]`: this host.
    Host(String),
    /// `*.example.org`: every subdomain, but not the domain itself.
    Below(String),
}

impl Hosts {
    /// Grants every host.
    pub fn any() -> Self {
        Self(vec![Grant::Any])
    }

    /// Parses a list; returns the first entry that is neither a host nor a pattern as an error.
    pub fn read(entries: &[String]) -> Result<Self, String> {
        let grant = |entry: &String| Grant::read(entry).ok_or_else(|| entry.clone());
        entries.iter().map(grant).collect::<Result<_, _>>().map(Self)
    }

    /// Returns true if the host of a URL is granted.
    pub fn grant(&self, url: &Url) -> bool {
        self.0.iter().any(|grant| match grant {
            Grant::Any => true,
            Grant::Host(host) => url.host_str() == Some(host),
            // `domain()` is `None` for an IP address, which has no parent domain.
            Grant::Below(domain) => url.domain().is_some_and(|name| {
                let above = name.strip_suffix(domain.as_str());
                above.and_then(|rest| rest.strip_suffix('.')).is_some_and(|rest| !rest.is_empty())
            }),
        })
    }

    /// Returns the message for a host that is not granted.
    pub(super) fn lack(&self, host: &str) -> Bilingual {
        let granted: Vec<String> = self.0.iter().map(Grant::shown).collect();
        let granted = granted.join(", ");
        let or = |none: &'static str| if granted.is_empty() { none } else { granted.as_str() };
        let en = format!(
            "tools may not reach host `{host}` (allowed by the setting tools.hosts: {})",
            or("none")
        );
        let zh = format!("工具不得访问主机 `{host}`；设置项 `tools.hosts` 目前允许：{}", or("无"));
        (en, zh).into()
    }
}

impl Grant {
    fn read(entry: &str) -> Option<Self> {
        if entry == "*" {
            return Some(Self::Any);
        }
        let Some(domain) = entry.strip_prefix("*.") else { return plain(entry).map(Self::Host) };
        let host = plain(domain)?;
        let is_name = Url::parse(&format!("http://{host}/")).ok()?.domain().is_some();
        is_name.then_some(Self::Below(host))
    }

    fn shown(&self) -> String {
        match self {
            Self::Any => "`*`".to_owned(),
            Self::Host(host) => format!("`{host}`"),
            Self::Below(domain) => format!("`*.{domain}`"),
        }
    }
}

/// Normalizes a bare host as URLs do: lower case, `xn--` for non-ASCII names. Returns `None` for anything else.
fn plain(text: &str) -> Option<String> {
    let odd = |c: char| "/\\:@?#*%".contains(c) || c.is_whitespace();
    let bracketed = text.starts_with('[') && text.ends_with(']');
    if !bracketed && text.contains(odd) {
        return None;
    }
    let url = Url::parse(&format!("http://{text}/")).ok()?;
    url.host_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(entries: &[&str]) -> Hosts {
        Hosts::read(&entries.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
    }

    fn granted(entries: &[&str], url: &str) -> bool {
        hosts(entries).grant(&Url::parse(url).unwrap())
    }

    #[test]
    fn a_host_is_granted_by_its_name_or_by_a_pattern_above_it_and_by_nothing_else() {
        let list = ["api.example.org", "*.data.cn", "Bücher.example", "192.0.2.1", "[2001:DB8::1]"];
        for url in [
            "https://api.example.org/x",
            "http://API.EXAMPLE.ORG:8080/",
            "https://a.data.cn/",
            "https://a.b.data.cn/",
            "https://bücher.example/",
            "http://192.0.2.1/",
            "http://3221225985/",
            "http://[2001:db8:0::1]/",
        ] {
            assert!(granted(&list, url), "{url}");
        }
        for url in [
            "https://example.org/",
            "https://evil.api.example.org/",
            "https://api.example.org.evil.com/",
            "https://xapi.example.org/",
            "https://data.cn/",
            "https://evildata.cn/",
            "https://data.cn.evil.com/",
            "https://a.data.cn./",
            "https://evil.com/api.example.org",
            "https://evil.com/?x=.data.cn",
            "https://evil.com#a.data.cn",
            "http://192.0.2.2/",
            "http://[2001:db8::2]/",
            "data:text/plain,x",
        ] {
            assert!(!granted(&list, url), "{url}");
        }
        assert!(!granted(&[], "https://example.org/"));
        assert!(granted(&["*"], "https://example.org/"));
    }

    #[test]
    fn what_is_no_host_is_given_back_and_not_guessed_at() {
        for bad in [
            "",
            "https://example.org",
            "example.org/path",
            "example.org:443",
            "user@example.org",
            "a b",
            "*.*.org",
            "a.*.org",
            "*.",
            "**",
            "*.192.0.2.1",
            "*.[::1]",
            "[::1]:80",
            "[::1",
            "%2e",
        ] {
            let list = vec!["example.org".to_owned(), bad.to_owned()];
            assert_eq!(Hosts::read(&list), Err(bad.to_owned()), "{bad}");
        }
    }

    #[test]
    fn the_refusal_names_the_host_what_is_granted_and_the_setting() {
        let words = hosts(&["a.cn", "*.b.cn"]).lack("evil.com").en;
        let expected = "tools may not reach host `evil.com` (allowed by the setting tools.hosts: \
                        `a.cn`, `*.b.cn`)";
        assert_eq!(words, expected);
        assert!(hosts(&[]).lack("evil.com").en.contains("tools.hosts: none)"));
    }
}
