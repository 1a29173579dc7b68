//! How a scripted endpoint behaves, whatever it answers.

use super::fault::PlannedFault;
use super::latency::LatencyModel;
use super::speak::LineEnds;
use super::wire::ChunkMode;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;

/// How an endpoint behaves. By default: on a free port of this machine, at once, in good order.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RehearsalSetup {
    /// Where it listens.
    pub address: SocketAddr,
    /// The models that it lists.
    pub models: Vec<String>,
    /// How fast it is.
    pub latency: LatencyModel,
    /// How much it does at once.
    pub limits: RehearsalLimits,
    /// How a stream is cut.
    pub chunks: ChunkMode,
    /// How lines of a stream end.
    pub line_ends: LineEnds,
    /// Faults that come whatever is asked, one after the other.
    pub faults: Vec<PlannedFault>,
    /// A folder of recorded answers, which faults name as `quirk:26b`.
    pub quirks: Option<PathBuf>,
    /// Where its chance begins.
    pub seed: u64,
}

impl Default for RehearsalSetup {
    fn default() -> Self {
        Self {
            address: ([127, 0, 0, 1], 0).into(),
            models: vec!["rehearsal".to_owned()],
            latency: LatencyModel::default(),
            limits: RehearsalLimits::default(),
            chunks: ChunkMode::default(),
            line_ends: LineEnds::default(),
            faults: Vec::new(),
            quirks: None,
            seed: 0,
        }
    }
}

/// How much an endpoint does at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RehearsalLimits {
    /// Answers at the same time; further requests wait for their turn.
    pub concurrent: Option<usize>,
    /// How many may wait; the next one gets status 503. All, if none.
    pub waiting: Option<usize>,
    /// Requests in a minute; the next one gets status 429 and is told how long to wait.
    pub per_minute: Option<u32>,
}
