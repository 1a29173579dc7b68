//! The relation of a request to earlier work.

use serde::{Deserialize, Serialize};

/// The relation of a request to earlier work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrategyDecision {
    /// A continuation with the steps that are not done.
    ContinuePlanning,
    /// The same goal, planned in another way.
    Replanning,
    /// An independent task.
    NormalPlanning,
}

/// A decision with its confidence and cue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategy {
    /// The decision.
    #[serde(rename = "strategy")]
    pub decision: StrategyDecision,
    /// The confidence, from 0 to 100.
    pub confidence: u8,
    /// The words of the request that led to the decision; `None` if there were none.
    pub cue: Option<String>,
}
