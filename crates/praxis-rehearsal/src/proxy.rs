//! Forwards calls to a real endpoint and records its answers.
//!
//! - in: a request of a client
//! - out: the same answer, chunk by chunk, to the client and to a [`Recorder`]
//! - never: records the `authorization` header of the client

use super::http::{self, RehearsalRequest};
use super::record::{CallRecording, Recorder};
use super::wire::{AnswerHead, Framing, WireAnswer};
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::iter::successors;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

/// A real endpoint, and the recorder of its answers.
pub struct Upstream {
    client: Client,
    base: String,
    recorder: Recorder,
}

impl Upstream {
    /// Creates the endpoint at `base`, the address without `/chat/completions`. `client` must not follow redirects,
    /// so that they are passed back and recorded as well.
    pub fn new(client: Client, base: &str, recorder: Recorder) -> Self {
        Self { client, base: base.trim_end_matches('/').to_owned(), recorder }
    }

    /// Forwards a request and returns its answer to the client.
    pub(super) async fn hand_on(
        &self,
        stream: &mut TcpStream,
        request: &RehearsalRequest,
    ) -> io::Result<()> {
        let begin = Instant::now();
        let response = match self.send(request).await {
            Ok(response) => response,
            Err(why) => {
                let error = json!({"error": {"message": why, "code": "upstream_unreachable"}});
                return http::write(stream, &WireAnswer::json(502, &error), begin).await;
            }
        };
        let status = response.status().as_u16();
        let text = |value: &reqwest::header::HeaderValue| value.to_str().ok().map(str::to_owned);
        let headers = response.headers().iter();
        let headers: BTreeMap<String, String> =
            headers.filter_map(|(name, value)| Some((name.to_string(), text(value)?))).collect();
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let take = CallRecording::new(&body, status, headers, &request.authorization);
        let head = AnswerHead { status, headers: take.headers() };
        stream.write_all(&http::head_bytes(&head, Framing::Chunked)).await?;
        let (take, whole) = copy(response, stream, take, begin).await;
        if request.method == "POST" {
            self.recorder.append(&take.end(!whole))?;
        }
        if whole { http::end(stream, Framing::Chunked).await } else { stream.shutdown().await }
    }

    async fn send(&self, request: &RehearsalRequest) -> Result<Response, String> {
        let method = if request.method == "GET" { Method::GET } else { Method::POST };
        let path = request.path.strip_prefix("/v1").unwrap_or(&request.path);
        let mut sent = self
            .client
            .request(method, format!("{}{path}", self.base))
            .header("content-type", "application/json")
            .body(request.body.clone());
        if !request.authorization.is_empty() {
            sent = sent.header("authorization", &request.authorization);
        }
        sent.send().await.map_err(|error| causes(&error.without_url()))
    }
}

/// Joins the messages of an error and all its sources.
fn causes(error: &(dyn Error + 'static)) -> String {
    let chain = successors(Some(error), |&error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Copies an answer chunk by chunk; returns false if it broke off. If the client leaves, the rest of the answer is
/// still recorded.
async fn copy(
    mut response: Response,
    stream: &mut TcpStream,
    mut take: CallRecording,
    begin: Instant,
) -> (CallRecording, bool) {
    let mut last = begin;
    loop {
        match response.chunk().await {
            Ok(Some(piece)) => {
                let now = Instant::now();
                let after = u64::try_from((now - last).as_millis()).unwrap_or(u64::MAX);
                last = now;
                take.chunk(after, &piece);
                let _ = stream.write_all(&http::framed(&piece, Framing::Chunked)).await;
            }
            Ok(None) => return (take, true),
            Err(_) => return (take, false),
        }
    }
}
