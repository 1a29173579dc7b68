//! Success rule: a field of the answer that must have a given value.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A field of the answer and its required value. Strings are compared without regard to case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuccessRule {
    /// The top-level field.
    pub field: String,
    /// The required value.
    pub equals: Value,
}

impl SuccessRule {
    /// Returns true if the answer has the required value.
    pub fn holds(&self, answer: &Value) -> bool {
        match (answer.get(&self.field), &self.equals) {
            (Some(Value::String(said)), Value::String(wanted)) => {
                said.to_lowercase() == wanted.to_lowercase()
            }
            (Some(said), wanted) => said == wanted,
            (None, _) => false,
        }
    }
}
