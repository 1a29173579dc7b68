//! Sends one HTTP request to an endpoint, reads the answer and classifies a refusal.
//!
//! - in: a request body in the format of the endpoint
//! - out: the `ModelReply`, or a `ModelFault`
//! - never: waits longer or reads more than the `CallBounds` allow, or reveals a key

use super::endpoint::Endpoint;
use crate::http::{Guard, causes};
use crate::secrets::Vault;
use praxis_core::ask::classify::{HttpRefusal, classify};
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::listen::Listener;
use praxis_core::ask::raw::{RawRecorder, RawReply};
use praxis_core::ask::reply::ModelReply;
use praxis_core::problem::Bilingual;
use praxis_engine::seams::ReplyListener;
use reqwest::Response;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Bytes of a refusal's body that are read.
const REFUSAL_BYTES: usize = 64 * 1024;

/// HTTP client of one endpoint.
pub(super) struct HttpPost {
    pub(super) endpoint: Endpoint,
    pub(super) guard: Arc<Guard>,
    pub(super) vault: Arc<Vault>,
}

impl HttpPost {
    /// Sends `body` as it is and passes every delta of the answer to `said`.
    pub(super) async fn send(
        &self,
        body: String,
        prompt: u64,
        said: ReplyListener<'_>,
    ) -> Result<ModelReply, ModelFault> {
        let (sent, mut tape) = (RawRecorder::of(&body).text(), RawRecorder::default());
        let mut response = self.open(body).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let mut listener = Listener::new(prompt);
        let mut heard = 0;
        while let Some(piece) = self.piece(&mut response).await {
            heard += piece.len() as u64;
            let most = self.endpoint.bounds.answer_bytes;
            if heard > most {
                let message = format!("it is longer than {most} bytes");
                return Err(ModelFault::ModelUnreadable { message });
            }
            tape.take(&piece);
            for delta in listener.feed(&piece)? {
                said(delta);
            }
        }
        let raw = Some(RawReply { sent, received: Some(tape.text()) });
        Ok(ModelReply { raw, ..listener.end()? })
    }

    /// Hides secrets in the reply. If there were any, the raw answer is dropped, because a secret may be split
    /// between chunks.
    pub(super) fn hidden(&self, mut reply: ModelReply) -> ModelReply {
        let raw = reply.raw.take();
        let told = self.vault.hidden(reply.clone());
        let has_secret = told != reply;
        let hide = |text: String| self.vault.hide(&text).into_owned();
        let raw = raw.map(|raw| RawReply {
            sent: hide(raw.sent),
            received: raw.received.filter(|_| !has_secret).map(hide),
        });
        ModelReply { raw, ..told }
    }

    async fn open(&self, body: String) -> Result<Response, ModelFault> {
        let unreachable = |message: String| ModelFault::ModelUnreachable { message };
        let client = self.guard.trusted().map_err(unreachable)?;
        let base = self.endpoint.base_url.trim_end_matches('/');
        let mut request = client
            .post(format!("{base}/chat/completions"))
            .header("content-type", "application/json")
            .header("accept", "text/event-stream, application/json")
            .body(body);
        if let Some(authorization) = &self.endpoint.authorization {
            // The endpoint would refuse a request without the key, so it is not asked.
            let revealed = self.vault.reveal(authorization).map_err(unusable_key)?;
            request = request.header("authorization", revealed);
        }
        let first_ms = self.endpoint.bounds.first_ms;
        match timeout(Duration::from_millis(first_ms), request.send()).await {
            Ok(sent) => sent.map_err(|error| unreachable(causes(&error))),
            Err(_) => Err(ModelFault::ModelSilent { after_ms: first_ms }),
        }
    }

    /// Reads the next bytes. Returns `None` at the end, on an error and after `silence_ms`; the `Listener` decides if
    /// the answer is complete.
    async fn piece(&self, response: &mut Response) -> Option<Vec<u8>> {
        let silence = Duration::from_millis(self.endpoint.bounds.silence_ms);
        let piece = timeout(silence, response.chunk()).await.ok()?.ok()??;
        Some(piece.to_vec())
    }

    async fn refusal(&self, mut response: Response) -> ModelFault {
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let (retry_after, retry_after_ms) = (header("retry-after"), header("retry-after-ms"));
        let mut body = Vec::new();
        while body.len() < REFUSAL_BYTES
            && let Some(piece) = self.piece(&mut response).await
        {
            body.extend(piece);
        }
        let body = self.vault.hide(&String::from_utf8_lossy(&body)).into_owned();
        classify(&HttpRefusal {
            status,
            retry_after: retry_after.as_deref(),
            retry_after_ms: retry_after_ms.as_deref(),
            body: &body,
        })
    }
}

/// Returns the fault of a request that is not sent because its key is missing or cannot be sent.
pub(super) fn unusable_key(why: Bilingual) -> ModelFault {
    ModelFault::ModelDenied { status: 0, message: why.en, message_zh: why.zh }
}
