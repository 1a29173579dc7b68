//! A scripted model endpoint for tests, and for rehearsals without a model.
//!
//! Its answers come from a [`Voice`]: a [`RehearsalScript`], a [`Cassette`] of recorded calls, or an [`Oracle`] with
//! injected errors. Their delivery (latency, chunks, limits, faults) is configured by its [`RehearsalSetup`].

pub mod asked;

pub mod answer;

pub mod voice;

pub mod script;

pub mod cassette;

pub mod record;

pub mod oracle;

pub mod degrade;

pub mod spoil;

pub mod chance;

pub mod latency;

pub mod profiles;

pub mod fault;

pub mod damage;

pub mod speak;

pub mod wire;

pub mod setup;

mod http;

mod proxy;

pub mod log;

mod mind;

pub mod serve;

pub use answer::{AnswerCall, ScriptedAnswer, TokenCounts};
pub use asked::ChatRequest;
pub use cassette::Cassette;
pub use degrade::{Degrader, ErrorRates, Injected};
pub use fault::{FaultLibrary, PlannedFault, RehearsalFault};
pub use log::{EndpointReport, LoggedCall};
pub use oracle::{DegradedOracle, Oracle};
pub use proxy::Upstream;
pub use record::Recorder;
pub use script::RehearsalScript;
pub use serve::RehearsalServer;
pub use setup::{RehearsalLimits, RehearsalSetup};
pub use spoil::DegradedVoice;
pub use voice::{Voice, VoiceDecision, VoiceReport};
pub use wire::ChunkMode;
