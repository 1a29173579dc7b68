//! How a request relates to what was done before.

use serde::{Deserialize, Serialize};

/// How a request relates to what was done before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrategyDecision {
    /// Go on with what is not done.
    ContinuePlanning,
    /// The same goal in another way.
    Replanning,
    /// A task of its own.
    NormalPlanning,
}

/// A decision, how sure it is, and what told it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategy {
    /// The decision.
    #[serde(rename = "strategy")]
    pub decision: StrategyDecision,
    /// From 0 to 100.
    pub confidence: u8,
    /// The words that told it; none if nothing did.
    pub cue: Option<String>,
}
