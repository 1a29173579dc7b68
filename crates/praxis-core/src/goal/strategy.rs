//! How a request relates to what was done before.

use serde::{Deserialize, Serialize};

/// How a request relates to what was done before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Go on with what is not done.
    ContinuePlanning,
    /// The same goal in another way.
    Replanning,
    /// A task of its own.
    NormalPlanning,
}
