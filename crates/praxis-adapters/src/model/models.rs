//! The models of a catalogue, ready to be asked.
//!
//! - in: a `Catalogue` and a `ModelEnvironment`
//! - out: a `Model` by name, the model name of a role, and the known facts about a model
//! - never: creates two limiters for one account at one endpoint

use super::cards::{CardMemory, EndpointKnowledge};
use super::catalogue::{Catalogue, CatalogueEntry, ModelEndpoint};
use super::client::OpenAi;
use super::endpoint::Endpoint;
use super::limits::{EndpointLimits, Limiter, LimiterPressure};
use super::pool::{EndpointPool, PoolEndpoint};
use super::probe::ProbeResult;
use super::vocabulary::Vocabulary;
use crate::http::Guard;
use crate::secrets::Vault;
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::price::Price;
use praxis_core::ask::tokens::TokenCounter;
use praxis_core::time::Timestamp;
use praxis_engine::seams::{Clock, Model};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Services that models depend on.
pub struct ModelEnvironment {
    /// Network policy for outgoing connections.
    pub guard: Arc<Guard>,
    /// The values behind `secret:NAME`.
    pub vault: Arc<Vault>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Folder in which `EndpointKnowledge` is stored.
    pub cards: PathBuf,
}

/// Facts about a model from its catalogue entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelFacts {
    /// Name of the model at its endpoints.
    pub model: String,
    /// Context window in tokens, input and output together, if known.
    pub context: Option<u64>,
    /// Maximum output tokens, if known.
    pub max_output: Option<u64>,
    /// Price, if configured.
    pub price: Option<Price>,
    /// Tokenizer vocabulary.
    pub vocabulary: Vocabulary,
}

/// Current condition of one endpoint of a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndpointStanding {
    /// Base URL of the endpoint.
    pub base_url: String,
    /// Load that this process puts on it.
    pub pressure: LimiterPressure,
    /// End of its backoff after failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rests_until: Option<Timestamp>,
}

/// All models of a catalogue.
pub struct CatalogueModels {
    catalogue: Catalogue,
    clock: Arc<dyn Clock>,
    ready: BTreeMap<String, ReadyModel>,
}

struct ReadyModel {
    pool: Arc<EndpointPool>,
    members: Vec<PoolMember>,
}

struct PoolMember {
    place: ModelEndpoint,
    hand: Arc<dyn PoolEndpoint>,
    memory: Arc<CardMemory>,
}

impl CatalogueModels {
    /// Builds the models of a catalogue. Sends no request.
    pub fn new(catalogue: Catalogue, around: &ModelEnvironment) -> Self {
        let limiters = limiters(&catalogue, &around.clock);
        let ready = |(name, entry): (&String, &CatalogueEntry)| {
            let members = entry.endpoints.iter().filter_map(|place| {
                let limiter = limiters.get(place).map(Arc::clone)?;
                Some(member(entry, place, limiter, around))
            });
            let members: Vec<PoolMember> = members.collect();
            let hands = members.iter().map(|member| Arc::clone(&member.hand)).collect();
            let pool = Arc::new(EndpointPool::new(hands, entry.bounds, Arc::clone(&around.clock)));
            (name.clone(), ReadyModel { pool, members })
        };
        let ready = catalogue.models.iter().map(ready).collect();
        Self { catalogue, clock: Arc::clone(&around.clock), ready }
    }

    /// Returns the model with this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Model>> {
        self.ready.get(name).map(|ready| Arc::clone(&ready.pool) as Arc<dyn Model>)
    }

    /// Returns the model name for a role of [`super::ROLES`]: the role's own model, else the default model.
    pub fn role(&self, role: &str) -> Option<&str> {
        self.catalogue.role(role)
    }

    /// Returns the facts about a model.
    pub fn facts(&self, name: &str) -> Option<ModelFacts> {
        let entry = self.catalogue.models.get(name)?;
        Some(ModelFacts {
            model: entry.model.clone(),
            context: entry.context,
            max_output: entry.max_output,
            price: entry.price.clone(),
            vocabulary: entry.vocabulary,
        })
    }

    /// Returns the token counter of a model. Without a vocabulary it is an estimate that learns from the model's
    /// replies.
    pub fn tokens(&self, name: &str) -> Option<Arc<dyn TokenCounter>> {
        let vocabulary = self.catalogue.models.get(name)?.vocabulary;
        let memory = &self.ready.get(name)?.members.first()?.memory;
        if vocabulary == Vocabulary::None {
            return Some(Arc::new(LearningCounter(Arc::clone(memory))));
        }
        Some(vocabulary.tokens(memory.calibration()))
    }

    /// Returns the condition of each endpoint of a model.
    pub fn standing(&self, name: &str) -> Vec<EndpointStanding> {
        let now = self.clock.now();
        let members = self.ready.get(name).map(|ready| ready.members.iter());
        let standing = |member: &PoolMember| EndpointStanding {
            base_url: member.place.base_url.clone(),
            pressure: member.hand.pressure(),
            rests_until: Some(member.hand.health().rests_until()).filter(|until| *until > now),
        };
        members.into_iter().flatten().map(standing).collect()
    }

    /// Returns the stored knowledge about each endpoint of a model.
    pub fn known(&self, name: &str) -> Vec<EndpointKnowledge> {
        let members = self.ready.get(name).map(|ready| ready.members.iter());
        members.into_iter().flatten().map(|member| member.memory.known()).collect()
    }

    /// Probes the endpoints of a model one after the other. `None` stands for an endpoint that cannot be probed.
    pub async fn probe(
        &self,
        name: &str,
    ) -> Vec<(String, Option<Result<ProbeResult, ModelFault>>)> {
        let mut measured = Vec::new();
        for member in self.ready.get(name).map(|ready| ready.members.iter()).into_iter().flatten() {
            measured.push((member.place.base_url.clone(), member.hand.probed().await));
        }
        measured
    }

    /// Returns the catalogue that the models were built from.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }
}

impl praxis_engine::seams::Models for CatalogueModels {
    fn get(&self, name: &str) -> Option<Arc<dyn Model>> {
        Self::get(self, name)
    }
}

/// Token estimate that uses the latest calibration.
struct LearningCounter(Arc<CardMemory>);

impl TokenCounter for LearningCounter {
    fn count(&self, text: &str) -> u64 {
        Vocabulary::None.tokens(self.0.calibration()).count(text)
    }
}

/// Creates one limiter per account and endpoint, with the strictest of the configured limits.
fn limiters(
    catalogue: &Catalogue,
    clock: &Arc<dyn Clock>,
) -> BTreeMap<ModelEndpoint, Arc<Limiter>> {
    let mut limits: BTreeMap<ModelEndpoint, EndpointLimits> = BTreeMap::new();
    for entry in catalogue.models.values() {
        for place in &entry.endpoints {
            let known = limits.entry(place.clone()).or_default();
            *known = known.stricter(entry.limits);
        }
    }
    let limiter = |(place, limits)| (place, Limiter::new(limits, Arc::clone(clock)));
    limits.into_iter().map(limiter).collect()
}

fn member(
    entry: &CatalogueEntry,
    place: &ModelEndpoint,
    limiter: Arc<Limiter>,
    around: &ModelEnvironment,
) -> PoolMember {
    let known = EndpointKnowledge {
        card: entry.card.clone(),
        ..EndpointKnowledge::of(&place.base_url, &entry.model)
    };
    let memory = Arc::new(CardMemory::open(&around.cards, known));
    let endpoint = Endpoint {
        model: entry.model.clone(),
        base_url: place.base_url.clone(),
        authorization: place.key.as_ref().map(|key| format!("Bearer secret:{key}")),
        bounds: entry.bounds,
    };
    let shared = (Arc::clone(&memory), limiter);
    let hand = if place.base_url.starts_with("grpc://") {
        gateway(endpoint, entry, shared, around)
    } else {
        open_ai(endpoint, entry, shared, around)
    };
    PoolMember { place: place.clone(), hand, memory }
}

/// Memory and limiter that an endpoint shares with others.
type SharedEndpoint = (Arc<CardMemory>, Arc<Limiter>);

fn open_ai(
    endpoint: Endpoint,
    entry: &CatalogueEntry,
    shared: SharedEndpoint,
    around: &ModelEnvironment,
) -> Arc<dyn PoolEndpoint> {
    let (guard, vault) = (Arc::clone(&around.guard), Arc::clone(&around.vault));
    let client = OpenAi::new(endpoint, guard, vault, Arc::clone(&around.clock));
    let client = client.remembering(shared.0).within(shared.1);
    Arc::new(client.saying(entry.extra.clone(), entry.vocabulary))
}

#[cfg(feature = "gateway")]
fn gateway(
    endpoint: Endpoint,
    entry: &CatalogueEntry,
    shared: SharedEndpoint,
    around: &ModelEnvironment,
) -> Arc<dyn PoolEndpoint> {
    let (vault, clock) = (Arc::clone(&around.vault), Arc::clone(&around.clock));
    let gateway = super::gateway::Gateway::new(endpoint, vault, clock);
    Arc::new(gateway.sharing(shared.0, shared.1, entry.vocabulary))
}

#[cfg(not(feature = "gateway"))]
fn gateway(
    _: Endpoint,
    _: &CatalogueEntry,
    (_, limiter): SharedEndpoint,
    _: &ModelEnvironment,
) -> Arc<dyn PoolEndpoint> {
    Arc::new(NoGateway { limiter, health: super::pool::EndpointHealth::default() })
}

/// Placeholder for a gateway in a binary built without the `gateway` feature.
#[cfg(not(feature = "gateway"))]
struct NoGateway {
    limiter: Arc<Limiter>,
    health: super::pool::EndpointHealth,
}

#[cfg(not(feature = "gateway"))]
impl PoolEndpoint for NoGateway {
    fn once<'a>(
        &'a self,
        _: &'a praxis_core::ask::request::ModelRequest,
        _: praxis_engine::seams::ReplyListener<'a>,
        _: Timestamp,
    ) -> futures::future::BoxFuture<'a, super::pool::EndpointTry> {
        let message = "this praxis was built without gateways".to_owned();
        let outcome = Err(ModelFault::ModelRefused { status: 400, message });
        let spent = praxis_core::ask::reply::TokenUsage::default();
        Box::pin(std::future::ready(super::pool::EndpointTry { outcome, spent }))
    }

    fn health(&self) -> &super::pool::EndpointHealth {
        &self.health
    }

    fn pressure(&self) -> LimiterPressure {
        self.limiter.pressure()
    }
}
