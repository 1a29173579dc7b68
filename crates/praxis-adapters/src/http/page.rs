//! Gets a page whose whole address somebody else chose.
//!
//! - in: an address from an argument
//! - out: the page, in full and as text
//! - never: sends a secret, a header of the caller or a body, reaches a host that is not
//!   granted, or one that the guard bars

use super::call::{HttpCall, Sent};
use super::guard::Guard;
use super::hosts::Hosts;
use super::redirect::Way;
use super::request::Address;
use crate::secrets::Vault;
use praxis_core::call::tool::Http;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_engine::seams::Invocation;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Method, Url};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest address.
const MOST_ADDRESS: usize = 8192;

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
pub(crate) struct Pages(HttpCall);

impl Pages {
    /// Pages of these hosts that this guard lets through.
    pub(crate) fn new(
        tool: &ToolId,
        hosts: &Hosts,
        guard: &Arc<Guard>,
        vault: &Arc<Vault>,
    ) -> Self {
        let http = Http {
            method: Method::GET.to_string(),
            url: String::new(),
            headers: BTreeMap::new(),
            body: None,
            success: None,
        };
        let (guard, vault) = (Arc::clone(guard), Arc::clone(vault));
        Self(HttpCall::to_hosts(tool, http, hosts.clone(), guard, vault))
    }

    /// Gets one page.
    pub(crate) async fn get(&self, url: Url, invocation: &Invocation) -> Result<Page, Fault> {
        if url.as_str().len() > MOST_ADDRESS {
            let en = format!("the address is longer than {MOST_ADDRESS} bytes");
            return Err(self.0.refused((en, format!("地址超过 {MOST_ADDRESS} 字节"))));
        }
        let (key, timeout_ms) = (invocation.key.clone(), invocation.timeout_ms);
        let sent = Sent { body: None, headers: HeaderMap::new(), key, timeout_ms };
        let mut way = Way::new(Address { url, trusted: false }, Method::GET);
        let response = self.0.arrive(&mut way, &sent).await?;
        let status = response.status().as_u16();
        let said = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let content_type = said.unwrap_or_default().to_owned();
        let bytes = self.0.read(response).await?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let kind = if content_type.is_empty() { "of no told type" } else { &content_type };
            self.0.failed(format!("the answer is no UTF-8 text but {kind}; only text can be read"))
        })?;
        Ok(Page { url: way.here.url.into(), status, content_type, text })
    }
}
