//! The web as the settings open it to the built-in tools.
//!
//! - in: a request built from the arguments of a call, or a URL
//! - out: the response to the request, or the page at the URL
//! - never: reaches a host that is not written in the flow unless it is granted and the `Guard` allows its addresses;
//!   sends a secret to a host that is not written in the flow; sets a header that concerns the connection

use super::call::{append, method};
use super::carrier::{Carrier, HttpRequest, OutgoingRequest};
use super::content::HttpContent;
use super::credentials::Credentials;
use super::guard::Guard;
use super::hosts::Hosts;
use super::pairs::plain;
use super::request::FilledUrl;
use super::shape::AnswerShape;
use super::upload::{AttachedFile, MultipartUpload};
use super::written::is_written_in;
use crate::secrets::Vault;
use futures::FutureExt;
use futures::future::BoxFuture;
use praxis_core::call::http::HttpOutput;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::ToolId;
use praxis_core::problem::Bilingual;
use praxis_engine::seams::{FailedCall, Invocation};
use praxis_fence::FencedPath;
use praxis_toolbox::{WebBody, WebClient, WebFile, WebPage, WebRequest};
use reqwest::Url;
use serde_json::Value;
use std::sync::Arc;

/// Access to the granted hosts, at addresses that the `Guard` allows.
pub struct GuardedWeb {
    /// The hosts that tools may reach.
    pub hosts: Hosts,
    /// The rules for the addresses that hosts may have.
    pub guard: Arc<Guard>,
    /// The secrets that no response may show.
    pub vault: Arc<Vault>,
}

impl GuardedWeb {
    /// Creates the `Carrier` for the requests of a tool.
    pub(super) fn carrier(&self, tool: &ToolId) -> Carrier {
        Carrier {
            tool: tool.clone(),
            most: self.guard.most,
            hosts: self.hosts.clone(),
            guard: Arc::clone(&self.guard),
            vault: Arc::clone(&self.vault),
        }
    }

    async fn carry(
        &self,
        tool: &ToolId,
        request: WebRequest,
        invocation: &Invocation,
    ) -> Result<Value, FailedCall> {
        let carrier = self.carrier(tool);
        let method = method(&request.method)
            .map_err(|why| wrong("/method", Bilingual::untranslated(why)))?;
        let trusted = is_written_in(&request.url, invocation);
        let told = credentials(&carrier, &request, trusted)?;
        let query = plain(&request.query).map_err(|why| wrong("/query", why))?;
        let mut first = FilledUrl { url: request.url, trusted };
        append(&mut first.url, query.iter().chain(&told.query));
        carrier.short_enough(&first.url)?;
        let content = content(request.body, tool, &invocation.key).await?;
        let (key, success) = (invocation.key.clone(), request.success);
        let sent = OutgoingRequest { content, headers: told.headers, key, success };
        let shape = AnswerShape { expect: request.expect, output: HttpOutput::Response };
        let timeout_ms = invocation.timeout_ms;
        carrier.carry(HttpRequest { first, method, sent, shape, timeout_ms }).await
    }
}

impl WebClient for GuardedWeb {
    fn send<'a>(
        &'a self,
        tool: &'a ToolId,
        request: WebRequest,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<Value, FailedCall>> {
        self.carry(tool, request, invocation).boxed()
    }

    fn get<'a>(
        &'a self,
        tool: &'a ToolId,
        url: Url,
        invocation: &'a Invocation,
    ) -> BoxFuture<'a, Result<WebPage, FailedCall>> {
        async move { self.carrier(tool).page(url, invocation).await }.boxed()
    }
}

/// Builds the headers, cookies and authentication. A secret goes only to a host that the author of the flow wrote:
/// an untrusted URL must not decide who receives a secret.
fn credentials(
    carrier: &Carrier,
    request: &WebRequest,
    trusted: bool,
) -> Result<Credentials, Fault> {
    let mut told = Credentials::default();
    for (name, value) in &request.headers {
        told.header(name, value).map_err(|why| wrong("/headers", why))?;
    }
    for (name, value) in &request.cookies {
        told.cookie(name, value).map_err(|why| wrong("/cookies", why))?;
    }
    if let Some(auth) = &request.auth {
        if !trusted {
            return Err(carrier.refused(not_written()));
        }
        told.auth(auth, &carrier.vault).map_err(|why| carrier.refused(why))?;
    }
    Ok(told)
}

async fn content(body: WebBody, tool: &ToolId, key: &str) -> Result<HttpContent, Fault> {
    let pairs = |form| plain(&form).map_err(|why| wrong("/form", why));
    match body {
        WebBody::Nothing => Ok(HttpContent::Nothing),
        WebBody::Value { value, content_type } => {
            HttpContent::value(value, content_type.as_deref()).map_err(|why| wrong("/body", why))
        }
        WebBody::Form(form) => Ok(HttpContent::form(&pairs(form)?)),
        WebBody::Upload { form, files } => {
            let files = files.into_iter().map(attached).collect();
            let upload = MultipartUpload::new(pairs(form)?, files, key).await;
            upload.map(HttpContent::Upload).map_err(|why| why.into_fault(tool))
        }
    }
}

fn attached(file: WebFile) -> (AttachedFile, FencedPath) {
    let WebFile { field, path, place } = file;
    (AttachedFile { field, path, filename: None, kind: None }, place)
}

/// Creates a `ParamsInvalid` fault for one part of a request.
fn wrong(at: &str, detail: Bilingual) -> Fault {
    Fault::ParamsInvalid { errors: vec![FieldError::new(at, detail)] }
}

fn not_written() -> Bilingual {
    let en = "`auth` is sent only to hosts written in the flow, and the URL of this call is not; write it in the flow, or remove `auth`";
    (en, "`auth` 只会发送到流程中写明的主机，而本次调用的 URL 未在流程中写明；请写明该 URL，或去掉 `auth`").into()
}
