//! Gets a page whose whole address somebody else chose.
//!
//! - in: an address from an argument
//! - out: the page, in full and as text
//! - never: sends a secret, a header of the caller or a body, reaches a host that is not
//!   granted, or one that the guard bars

use super::carrier::{Carrier, Sent};
use super::content::Content;
use super::guard::Guard;
use super::hosts::Hosts;
use super::redirect::Way;
use super::shape::Shape;
use crate::secrets::Vault;
use praxis_core::call::http::Success;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Failed, Invocation};
use reqwest::header::HeaderMap;
use reqwest::{Method, Url};
use std::sync::Arc;

/// What was got.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Where it was at last, after redirects.
    pub(crate) url: String,
    /// The status of the answer, a success.
    pub(crate) status: u16,
    /// What the server says that it is; empty if it says nothing.
    pub(crate) content_type: String,
    /// The text.
    pub(crate) text: String,
}

/// Gets pages for a tool.
pub(crate) struct Pages(Carrier);

impl Pages {
    /// Pages of these hosts that this guard lets through.
    pub(crate) fn new(
        tool: &ToolId,
        hosts: &Hosts,
        guard: &Arc<Guard>,
        vault: &Arc<Vault>,
    ) -> Self {
        let (guard, vault) = (Arc::clone(guard), Arc::clone(vault));
        let (tool, most, hosts) = (tool.clone(), guard.most, hosts.clone());
        Self(Carrier { tool, most, hosts, guard, vault })
    }

    /// Gets one page.
    pub(crate) async fn get(&self, url: Url, invocation: &Invocation) -> Result<Page, Failed> {
        self.0.short_enough(&url)?;
        let (content, headers, key) = (Content::Nothing, HeaderMap::new(), invocation.key.clone());
        let sent = Sent { content, headers, key, success: Success::default() };
        let mut way = Way::new(url.into(), Method::GET);
        let asked = (&sent, Shape::default());
        let answer = self.0.fetch(&mut way, asked, invocation.timeout_ms).await?;
        let content_type = answer.kind().to_owned();
        let text = String::from_utf8(answer.bytes).map_err(|_| {
            let kind = if content_type.is_empty() { "of no told type" } else { &content_type };
            self.0.failed(format!("the answer is no UTF-8 text but {kind}; only text can be read"))
        })?;
        Ok(Page { url: way.here.url.into(), status: answer.status, content_type, text })
    }
}
