//! Where a request goes on to, and what it may take along.

use super::request::FilledUrl;
use reqwest::header::LOCATION;
use reqwest::{Method, Response, StatusCode, Url};

/// How many redirects are followed.
const MOST_HOPS: usize = 5;

/// A request on its way.
#[derive(Debug)]
pub(super) struct RequestInTransit {
    /// The address that is asked next.
    pub(super) here: FilledUrl,
    /// With which method.
    pub(super) method: Method,
    /// It has not left the origin that the manifest speaks to. What it says there, secrets above
    /// all, is for no other, and not for a page that another one sent it back to.
    pub(super) at_home: bool,
    /// A request that writes was taken and answered with the place of its result.
    pub(super) acted: bool,
    hops: usize,
}

/// What an answer asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RedirectStep {
    /// Nothing: it is the answer.
    Stay,
    /// Another request, which the way now holds.
    On,
    /// A request that is not made.
    Wrong(String),
}

impl RequestInTransit {
    /// A request that begins.
    pub(super) fn new(here: FilledUrl, method: Method) -> Self {
        Self { here, method, at_home: true, acted: false, hops: 0 }
    }

    /// Takes the turn that an answer asks for. What writes is never sent a second time: of its
    /// redirects only the one that says where to read the result is followed.
    pub(super) fn turn(&mut self, response: &Response) -> RedirectStep {
        let location = response.headers().get(LOCATION).and_then(|place| place.to_str().ok());
        self.turn_to(response.status(), location)
    }

    fn turn_to(&mut self, status: StatusCode, location: Option<&str>) -> RedirectStep {
        let Some(next) = target(status, location, &self.here.url) else {
            return RedirectStep::Stay;
        };
        let reads = matches!(self.method, Method::GET | Method::HEAD);
        if !reads && status != StatusCode::SEE_OTHER {
            return RedirectStep::Stay;
        }
        if !reads {
            self.method = Method::GET;
            self.acted = true;
        }
        self.hops += 1;
        if self.hops > MOST_HOPS {
            return RedirectStep::Wrong(format!("more than {MOST_HOPS} redirects"));
        }
        if self.here.url.scheme() == "https" && next.scheme() == "http" {
            return RedirectStep::Wrong("a redirect from https to http".to_owned());
        }
        self.at_home &= next.origin() == self.here.url.origin();
        let named = !next.username().is_empty() || next.password().is_some();
        let trusted = self.here.trusted && self.at_home && !named;
        self.here = FilledUrl { url: next, trusted };
        RedirectStep::On
    }
}

/// Where an answer points to, if it does and the place can be read.
fn target(status: StatusCode, location: Option<&str>, here: &Url) -> Option<Url> {
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    here.join(location?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(url: &str) -> RequestInTransit {
        RequestInTransit::new(
            FilledUrl { url: Url::parse(url).unwrap(), trusted: true },
            Method::GET,
        )
    }

    #[test]
    fn what_was_secret_on_its_way_is_not_asked_for_in_the_open() {
        let mut secret = way("https://api.test/a");
        let turn = secret.turn_to(StatusCode::FOUND, Some("http://api.test/a"));
        assert_eq!(turn, RedirectStep::Wrong("a redirect from https to http".to_owned()));
        let mut open = way("http://api.test/a");
        assert_eq!(open.turn_to(StatusCode::FOUND, Some("https://api.test/a")), RedirectStep::On);
        assert!(!open.at_home && !open.here.trusted, "another scheme is another origin");
        assert_eq!(open.turn_to(StatusCode::FOUND, Some("//other.test/")), RedirectStep::On);
        assert_eq!(open.here.url.as_str(), "https://other.test/");
    }

    #[test]
    fn a_request_stays_at_home_for_as_long_as_its_origin_is_the_same() {
        let mut here = way("https://api.test/a");
        assert_eq!(here.turn_to(StatusCode::FOUND, Some("/b")), RedirectStep::On);
        assert!(here.at_home && here.here.trusted);
        assert_eq!(
            here.turn_to(StatusCode::FOUND, Some("https://api.test:444/")),
            RedirectStep::On
        );
        assert!(!here.at_home && !here.here.trusted);
        assert_eq!(here.turn_to(StatusCode::FOUND, Some("https://api.test/")), RedirectStep::On);
        assert!(!here.at_home && !here.here.trusted, "it came back from elsewhere");
    }
}
