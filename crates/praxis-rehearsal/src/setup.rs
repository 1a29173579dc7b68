//! The behaviour of a scripted endpoint, independent of its answers.

use super::fault::PlannedFault;
use super::latency::LatencyModel;
use super::speak::LineEnds;
use super::wire::ChunkMode;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The configuration of an endpoint. By default it listens on a free local port and answers at once without faults.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RehearsalSetup {
    /// The address to listen on.
    pub address: SocketAddr,
    /// The models that it lists.
    pub models: Vec<String>,
    /// The latency of its answers.
    pub latency: LatencyModel,
    /// The limits on concurrency and rate.
    pub limits: RehearsalLimits,
    /// The way in which a stream is cut into chunks.
    pub chunks: ChunkMode,
    /// The line ending of a stream.
    pub line_ends: LineEnds,
    /// Faults that hit calls whatever they ask, one after the other.
    pub faults: Vec<PlannedFault>,
    /// A folder of recorded answers, which faults name as `quirk:26b`.
    pub quirks: Option<PathBuf>,
    /// The seed of its random numbers.
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

/// The limits of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RehearsalLimits {
    /// Concurrent answers; further requests wait.
    pub concurrent: Option<usize>,
    /// Waiting requests; the next one gets status 503. Unlimited if `None`.
    pub waiting: Option<usize>,
    /// Requests per minute; the next one gets status 429 with `retry-after`.
    pub per_minute: Option<u32>,
}
