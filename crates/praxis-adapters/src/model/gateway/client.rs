//! Asks a model through a gRPC gateway and streams its reply.
//!
//! - in: a request
//! - out: a complete reply, or a fault
//! - asks: the gateway; the limiter that it shares with others
//! - never: takes a partial reply for a complete one, exceeds its timeouts, or reveals a key

use super::translate;
use super::v1::ask_piece::Piece;
use super::v1::model_gateway_client::ModelGatewayClient;
use super::v1::{AskPiece, AskRequest};
use crate::model::cards::{CardMemory, EndpointKnowledge};
use crate::model::client::cost;
use crate::model::endpoint::Endpoint;
use crate::model::limits::{EndpointLimits, Limiter, LimiterPressure, QueueTimeout, RequestPermit};
use crate::model::pool::{EndpointHealth, EndpointTry, LONGEST_WAIT_MS, PoolEndpoint, PoolRound};
use crate::model::post::unusable_key;
use crate::model::vocabulary::Vocabulary;
use crate::secret_mask::SecretMask;
use crate::secrets::Vault;
use futures::future::BoxFuture;
use praxis_core::ask::fault::{ModelFault, PartialReplyText, RetryDelay};
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::{ModelReply, TokenUsage};
use praxis_core::ask::request::ModelRequest;
use praxis_core::ask::usage::{count_request, estimate, estimate_request};
use praxis_core::time::Timestamp;
use praxis_engine::seams::{Clock, Model, ModelAnswered, ModelCallFailed, ReplyListener};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::timeout;
use tonic::transport::Channel;
use tonic::{Status, Streaming};

/// The timeout for establishing a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// A model behind a gateway.
pub struct Gateway {
    endpoint: Endpoint,
    vault: Arc<Vault>,
    clock: Arc<dyn Clock>,
    vocabulary: Vocabulary,
    memory: Arc<CardMemory>,
    limiter: Arc<Limiter>,
    health: EndpointHealth,
    /// Created when first needed: it belongs to the runtime in which it is created.
    channel: OnceLock<Result<Channel, String>>,
}

impl Gateway {
    /// Creates a client without rate limits. The base URL is `grpc://host:port`.
    pub fn new(endpoint: Endpoint, vault: Arc<Vault>, clock: Arc<dyn Clock>) -> Self {
        let known = EndpointKnowledge::of(&endpoint.base_url, &endpoint.model);
        let limiter = Limiter::new(EndpointLimits::default(), Arc::clone(&clock));
        Self {
            endpoint,
            vault,
            clock,
            vocabulary: Vocabulary::None,
            memory: Arc::new(CardMemory::nowhere(known)),
            limiter,
            health: EndpointHealth::default(),
            channel: OnceLock::new(),
        }
    }

    /// Uses what is known of the endpoint, a limiter that is shared with others, and a vocabulary for counting
    /// tokens.
    #[must_use]
    pub fn sharing(
        mut self,
        memory: Arc<CardMemory>,
        limiter: Arc<Limiter>,
        vocabulary: Vocabulary,
    ) -> Self {
        (self.memory, self.limiter, self.vocabulary) = (memory, limiter, vocabulary);
        self
    }

    async fn attempt(
        &self,
        request: &ModelRequest,
        said: ReplyListener<'_>,
        deadline: Timestamp,
    ) -> EndpointTry {
        let tokens = self.vocabulary.tokens(self.memory.calibration());
        let prompt = count_request(request, &*tokens);
        let most = prompt.saturating_add(request.max_tokens.into());
        let mut tell = |waiting| said(Delta::Waiting(waiting));
        let permit = match self.limiter.enter_telling(most, deadline, &mut tell).await {
            Ok(permit) => permit,
            Err(QueueTimeout(at)) => {
                let wait = Some(RetryDelay::Ms(at.since(self.clock.now())));
                let outcome = Err(ModelFault::ModelRateLimited { wait });
                return EndpointTry { outcome, spent: TokenUsage::default() };
            }
        };
        let outcome = self.within(request, prompt, said, (permit, deadline)).await;
        let now = self.clock.now();
        self.memory.change(|known| {
            known.note(outcome.as_ref(), now);
            if let Some(reply) = outcome.as_ref().ok().filter(|reply| !reply.usage.estimated) {
                known.calibration.reconcile(estimate_request(request), reply.usage.prompt);
            }
        });
        let spent = if outcome.is_ok() { TokenUsage::default() } else { cost(&outcome, prompt, 0) };
        EndpointTry { outcome, spent }
    }

    /// Sends a request with a permit, before the deadline.
    async fn within(
        &self,
        request: &ModelRequest,
        prompt: u64,
        said: ReplyListener<'_>,
        (mut permit, deadline): (RequestPermit, Timestamp),
    ) -> Result<ModelReply, ModelFault> {
        let left = Duration::from_millis(deadline.since(self.clock.now()));
        let mut mask = SecretMask::new(&self.vault);
        let mut hear = |delta| mask.push(delta).into_iter().for_each(&mut *said);
        let asked = timeout(left, self.exchange(request, prompt, left, &mut hear)).await;
        let after_ms = self.endpoint.bounds.total_ms;
        let outcome = match asked.unwrap_or(Err(ModelFault::ModelSilent { after_ms })) {
            Ok(reply) => Ok(self.vault.hidden(reply)),
            Err(fault) => Err(self.vault.hidden(fault)),
        };
        if outcome.is_ok() {
            mask.end().into_iter().for_each(&mut *said);
        }
        let used = cost(&outcome, prompt, 0);
        permit.settle(used.prompt.saturating_add(used.completion));
        if let Some(wait) = outcome.as_ref().err().and_then(ModelFault::wait) {
            let now = self.clock.now();
            self.limiter.rest_until(now.plus_ms(wait.ms(now).min(LONGEST_WAIT_MS)));
        }
        outcome
    }

    async fn exchange(
        &self,
        request: &ModelRequest,
        prompt: u64,
        left: Duration,
        said: ReplyListener<'_>,
    ) -> Result<ModelReply, ModelFault> {
        let mut pieces = self.open(request, left).await?;
        let mut heard = PartialReply { prompt, ..PartialReply::default() };
        let silence = Duration::from_millis(self.endpoint.bounds.silence_ms);
        loop {
            let piece = match timeout(silence, pieces.message()).await {
                Ok(Ok(Some(piece))) => piece,
                // Ended, broken or silent: without a `Reply` the answer is not complete.
                Ok(Ok(None)) | Err(_) => return Err(heard.cut()),
                Ok(Err(status)) if heard.is_nothing() => return Err(self.fault(&status)),
                Ok(Err(_)) => return Err(heard.cut()),
            };
            match piece.piece {
                Some(Piece::Words(words)) => said(heard.words(words)),
                Some(Piece::Thought(thought)) => said(heard.thought(thought)),
                Some(Piece::Reply(reply)) => return translate::reply(reply, prompt),
                Some(Piece::Fault(fault)) => return Err(translate::fault(fault)),
                None => {}
            }
            if heard.bytes() > self.endpoint.bounds.answer_bytes {
                let most = self.endpoint.bounds.answer_bytes;
                let message = format!("it is longer than {most} bytes");
                return Err(ModelFault::ModelUnreadable { message });
            }
        }
    }

    async fn open(
        &self,
        request: &ModelRequest,
        left: Duration,
    ) -> Result<Streaming<AskPiece>, ModelFault> {
        let asked = translate::request(request, &self.endpoint.model);
        let asked = self.signed(asked, left)?;
        let most = usize::try_from(self.endpoint.bounds.answer_bytes).unwrap_or(usize::MAX);
        let channel = self.channel().map_err(|message| ModelFault::ModelUnreachable { message })?;
        let mut client = ModelGatewayClient::new(channel).max_decoding_message_size(most);
        let first_ms = self.endpoint.bounds.first_ms;
        match timeout(Duration::from_millis(first_ms), client.ask(asked)).await {
            Ok(Ok(response)) => Ok(response.into_inner()),
            Ok(Err(status)) => Err(self.fault(&status)),
            Err(_) => Err(ModelFault::ModelSilent { after_ms: first_ms }),
        }
    }

    fn signed(
        &self,
        asked: AskRequest,
        left: Duration,
    ) -> Result<tonic::Request<AskRequest>, ModelFault> {
        let mut asked = tonic::Request::new(asked);
        asked.set_timeout(left);
        if let Some(authorization) = &self.endpoint.authorization {
            let revealed = self.vault.reveal(authorization).map_err(unusable_key)?;
            let bad = ("the key has characters that cannot be sent", "密钥中有无法发送的字符");
            let written = revealed.parse().map_err(|_| unusable_key(bad.into()))?;
            asked.metadata_mut().insert("authorization", written);
        }
        Ok(asked)
    }

    fn channel(&self) -> Result<Channel, String> {
        let made = || {
            let address = self.endpoint.base_url.replacen("grpc://", "http://", 1);
            let endpoint = Channel::from_shared(address).map_err(|error| error.to_string())?;
            Ok(endpoint.connect_timeout(CONNECT).connect_lazy())
        };
        self.channel.get_or_init(made).clone()
    }

    fn fault(&self, status: &Status) -> ModelFault {
        let cause = std::error::Error::source(status);
        let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
        let said = format!("{}{cause}", status.message());
        let message = self.vault.hide(&said).into_owned();
        translate::status(status, message, self.endpoint.bounds.total_ms)
    }
}

/// The part of a reply that has arrived.
#[derive(Default)]
struct PartialReply {
    text: String,
    reasoning: String,
    prompt: u64,
}

impl PartialReply {
    fn words(&mut self, words: String) -> Delta {
        self.text.push_str(&words);
        Delta::Text(words)
    }

    fn thought(&mut self, thought: String) -> Delta {
        self.reasoning.push_str(&thought);
        Delta::Reasoning(thought)
    }

    fn is_nothing(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_empty()
    }

    fn bytes(&self) -> u64 {
        (self.text.len() + self.reasoning.len()) as u64
    }

    fn cut(self) -> ModelFault {
        let completion = estimate(&self.text) + estimate(&self.reasoning);
        let usage = TokenUsage { prompt: self.prompt, completion, cached: 0, estimated: true };
        let (text, reasoning) = (self.text, self.reasoning);
        ModelFault::ModelCut {
            so_far: PartialReplyText { text, reasoning, tool_calls: Vec::new(), usage },
        }
    }
}

impl PoolEndpoint for Gateway {
    fn once<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
        deadline: Timestamp,
    ) -> BoxFuture<'a, EndpointTry> {
        Box::pin(self.attempt(request, said, deadline))
    }

    fn health(&self) -> &EndpointHealth {
        &self.health
    }

    fn pressure(&self) -> LimiterPressure {
        self.limiter.pressure()
    }
}

impl Model for Gateway {
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        said: ReplyListener<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswered, ModelCallFailed>> {
        let (bounds, clock) = (self.endpoint.bounds, Arc::clone(&self.clock));
        let round = PoolRound::new(vec![self as &dyn PoolEndpoint], 0, bounds, clock);
        Box::pin(round.answer(request, said))
    }
}
