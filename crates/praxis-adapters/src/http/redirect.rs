//! Redirects: the next URL of a request, and what may be sent to it.

use super::request::FilledUrl;
use reqwest::header::LOCATION;
use reqwest::{Method, Response, StatusCode, Url};

/// The maximum number of redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// A request between two hops.
#[derive(Debug)]
pub(super) struct RequestInTransit {
    /// The URL of the next request.
    pub(super) here: FilledUrl,
    /// The method of the next request.
    pub(super) method: Method,
    /// True as long as every hop had the origin of the first URL. Only then are the body and the headers, with their
    /// secrets, sent. A redirect back to that origin does not restore it.
    pub(super) at_home: bool,
    /// True if a writing request was accepted and answered with the location of its result.
    pub(super) acted: bool,
    hops: usize,
}

/// The next action after a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RedirectStep {
    /// The response is the final one.
    Stay,
    /// Another request follows, which the `RequestInTransit` now holds.
    On,
    /// The redirect is refused.
    Wrong(String),
}

impl RequestInTransit {
    /// Creates the request to the first URL.
    pub(super) fn new(here: FilledUrl, method: Method) -> Self {
        Self { here, method, at_home: true, acted: false, hops: 0 }
    }

    /// Prepares the next hop if the response is a redirect. A writing request is never sent twice: of its redirects,
    /// only `303 See Other`, which tells where to read the result, is followed.
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
        if self.hops > MAX_REDIRECTS {
            return RedirectStep::Wrong(format!("more than {MAX_REDIRECTS} redirects"));
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

/// Returns the target of a redirect, if the status is one and the location can be parsed.
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
