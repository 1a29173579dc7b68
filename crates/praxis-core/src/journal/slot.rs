//! Values that were found for the parameters of a step, with their source.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A value that was found for a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilledSlot {
    /// The value.
    pub value: Value,
    /// The source of the value.
    pub source: SlotSource,
    /// The confidence, from 0 to 100.
    pub confidence: u32,
}

/// The source of a parameter value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum SlotSource {
    /// The default in the schema.
    Default,
    /// A variable of the frame.
    Variable {
        /// The name of the variable.
        name: String,
    },
    /// Metadata with the name of the parameter.
    Metadata {
        /// The key in the metadata.
        name: String,
    },
    /// The output field of an earlier step with the name of the parameter.
    Output {
        /// The id of that step.
        step: String,
    },
    /// A value that the task knows under a similar name.
    Alike,
    /// The words of the user.
    Said,
    /// A value that a model found.
    Model,
    /// A guess of a model that a person permitted.
    Guess,
}
