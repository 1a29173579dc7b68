//! Language models: the catalogue, their endpoints, and the clients that ask them.

mod fields;

mod presets;

mod entry;

mod catalogue;

mod vocabulary;

mod endpoint;

mod schema;

mod card;

mod cards;

mod lesson;

mod limits;

mod order;

mod wire;

mod post;

mod client;

mod pool;

mod probe_words;

mod probe_asks;

mod probe;

#[cfg(feature = "gateway")]
pub mod gateway;

mod models;

pub use card::{CapabilityCard, JsonMode, ReasoningStyle, ToolCallStyle};
pub use cards::{CallCounts, CardMemory, EndpointKnowledge, LastRequest, kept};
pub use catalogue::{Catalogue, CatalogueEntry, CatalogueFile, ModelEndpoint, OFFLINE, ROLES};
pub use client::OpenAi;
pub use endpoint::{CallBounds, Endpoint};
pub use entry::{is_name, name_words, plain_key, unknown_preset};
pub use limits::{EndpointLimits, Limiter, LimiterPressure, QueueTimeout, RequestPermit};
pub use models::{CatalogueModels, EndpointStanding, ModelEnvironment, ModelFacts};
pub use pool::EndpointPool;
pub use presets::{Preset, presets};
pub use probe::{ProbeResult, ProbeRow};
pub use probe_words::{Feature, Grade};
pub use vocabulary::Vocabulary;
