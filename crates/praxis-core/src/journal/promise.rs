//! What a plan says of its own outcome: the answer that its outputs will give, and what must hold for it.

use serde::{Deserialize, Serialize};

/// What a plan promises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanPromise {
    /// The answer to the goal, with references to outputs.
    pub answer: String,
    /// What must hold for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<PromiseCheck>,
}

/// One thing that must hold. Alone, the value must be there and not empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromiseCheck {
    /// What is looked at: a reference to an output.
    pub value: String,
    /// The text that it must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<String>,
    /// The least number that it may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The greatest number that it may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}
