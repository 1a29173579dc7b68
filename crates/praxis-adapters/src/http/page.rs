//! Fetches a page from an untrusted URL.
//!
//! - in: a URL from an argument
//! - out: the page as text
//! - never: sends a secret, a header of the caller or a body; reaches a host that is not granted or that the `Guard`
//!   bars

use super::carrier::{Carrier, OutgoingRequest};
use super::content::HttpContent;
use super::redirect::RequestInTransit;
use super::shape::AnswerShape;
use praxis_core::call::http::Success;
use praxis_engine::seams::{FailedCall, Invocation};
use praxis_toolbox::WebPage;
use reqwest::header::HeaderMap;
use reqwest::{Method, Url};

impl Carrier {
    /// Fetches one page.
    pub(super) async fn page(
        &self,
        url: Url,
        invocation: &Invocation,
    ) -> Result<WebPage, FailedCall> {
        self.short_enough(&url)?;
        let (content, headers, key) =
            (HttpContent::Nothing, HeaderMap::new(), invocation.key.clone());
        let sent = OutgoingRequest { content, headers, key, success: Success::default() };
        let mut way = RequestInTransit::new(url.into(), Method::GET);
        let asked = (&sent, AnswerShape::default());
        let answer = self.fetch(&mut way, asked, invocation.timeout_ms).await?;
        let content_type = answer.kind().to_owned();
        let text = String::from_utf8(answer.bytes).map_err(|_| {
            let kind = if content_type.is_empty() { "of no told type" } else { &content_type };
            self.failed(format!("the answer is no UTF-8 text but {kind}; only text can be read"))
        })?;
        Ok(WebPage { url: way.here.url.into(), status: answer.status, content_type, text })
    }
}
