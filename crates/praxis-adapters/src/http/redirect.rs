//! Where a request goes on to, and what it may take along.

use super::request::Address;
use reqwest::header::LOCATION;
use reqwest::{Method, Response, StatusCode, Url};

/// How many redirects are followed.
const MOST_HOPS: usize = 5;

/// A request on its way.
#[derive(Debug)]
pub(super) struct Way {
    /// The address that is asked next.
    pub(super) here: Address,
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
pub(super) enum Turn {
    /// Nothing: it is the answer.
    Stay,
    /// Another request, which the way now holds.
    On,
    /// One redirect too many.
    TooMany,
}

impl Way {
    /// A request that begins.
    pub(super) fn new(here: Address, method: Method) -> Self {
        Self { here, method, at_home: true, acted: false, hops: 0 }
    }

    /// Takes the turn that an answer asks for. What writes is never sent a second time: of its
    /// redirects only the one that says where to read the result is followed.
    pub(super) fn turn(&mut self, response: &Response) -> Turn {
        let Some(next) = target(response, &self.here.url) else { return Turn::Stay };
        let reads = matches!(self.method, Method::GET | Method::HEAD);
        if !reads && response.status() != StatusCode::SEE_OTHER {
            return Turn::Stay;
        }
        if !reads {
            self.method = Method::GET;
            self.acted = true;
        }
        self.hops += 1;
        if self.hops > MOST_HOPS {
            return Turn::TooMany;
        }
        self.at_home &= next.origin() == self.here.url.origin();
        let named = !next.username().is_empty() || next.password().is_some();
        let trusted = self.here.trusted && self.at_home && !named;
        self.here = Address { url: next, trusted };
        Turn::On
    }

    /// The words for one redirect too many.
    pub(super) fn too_many() -> String {
        format!("more than {MOST_HOPS} redirects")
    }
}

/// Where an answer points to, if it does and the place can be read.
fn target(response: &Response, here: &Url) -> Option<Url> {
    let status = response.status().as_u16();
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    here.join(location).ok()
}
