//! The models of a catalogue, ready to be asked.
//!
//! - in: a catalogue; who may be reached, the secrets, the clock, and where cards are kept
//! - out: a model by its name, the name for a role, and what is known of a model
//! - never: two limiters for one account at one endpoint

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

/// What models need of their surroundings.
pub struct ModelEnvironment {
    /// Who may be reached.
    pub guard: Arc<Guard>,
    /// The values behind `secret:NAME`.
    pub vault: Arc<Vault>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The folder of what was learnt of endpoints.
    pub cards: PathBuf,
}

/// What is known of a model before it is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelFacts {
    /// As its endpoints call it.
    pub model: String,
    /// How many tokens it reads and writes together, if that is known.
    pub context: Option<u64>,
    /// How many tokens it writes at most, if that is known.
    pub max_output: Option<u64>,
    /// What it costs, if somebody said.
    pub price: Option<Price>,
    /// Which tokens it reads.
    pub vocabulary: Vocabulary,
}

/// How one endpoint of a model fares.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndpointStanding {
    /// The endpoint.
    pub base_url: String,
    /// How busy it is kept from here.
    pub pressure: LimiterPressure,
    /// Until when it rests because it failed.
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
    /// The models of a catalogue. Nobody is asked anything yet.
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

    /// The model of this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Model>> {
        self.ready.get(name).map(|ready| Arc::clone(&ready.pool) as Arc<dyn Model>)
    }

    /// The name of the model for a role of [`super::ROLES`]: its own, else the one by default.
    pub fn role(&self, role: &str) -> Option<&str> {
        self.catalogue.role(role)
    }

    /// What is known of a model.
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

    /// Who counts the tokens of a model; a guess learns while the model is asked.
    pub fn tokens(&self, name: &str) -> Option<Arc<dyn TokenCounter>> {
        let vocabulary = self.catalogue.models.get(name)?.vocabulary;
        let memory = &self.ready.get(name)?.members.first()?.memory;
        if vocabulary == Vocabulary::None {
            return Some(Arc::new(LearningModel(Arc::clone(memory))));
        }
        Some(vocabulary.tokens(memory.calibration()))
    }

    /// How the endpoints of a model fare.
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

    /// What was learnt of the endpoints of a model.
    pub fn known(&self, name: &str) -> Vec<EndpointKnowledge> {
        let members = self.ready.get(name).map(|ready| ready.members.iter());
        members.into_iter().flatten().map(|member| member.memory.known()).collect()
    }

    /// Measures what the endpoints of a model take, one after the other. None for one that has nothing
    /// to be measured.
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

    /// What the models were built from.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }
}

impl praxis_engine::seams::Models for CatalogueModels {
    fn get(&self, name: &str) -> Option<Arc<dyn Model>> {
        Self::get(self, name)
    }
}

/// A guess that uses what was learnt by now.
struct LearningModel(Arc<CardMemory>);

impl TokenCounter for LearningModel {
    fn count(&self, text: &str) -> u64 {
        Vocabulary::None.tokens(self.0.calibration()).count(text)
    }
}

/// One limiter for each account at each endpoint, with the strictest of the limits that were given.
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

/// What a hand shares with others: its memory and its limits.
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

/// Stands where a gateway would be, in a binary without that part.
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
