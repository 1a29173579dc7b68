//! The promise of a plan: the answer that its outputs will give, and the checks that must hold for it.

use serde::{Deserialize, Serialize};

/// The promise of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanPromise {
    /// The answer to the goal, with references to outputs.
    pub answer: String,
    /// The checks that must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<PromiseCheck>,
}

/// One check on an output. Without further conditions, the value must be present and not empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromiseCheck {
    /// The value to check: a reference to an output.
    pub value: String,
    /// The text that the value must equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<String>,
    /// The minimum number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The maximum number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
}
