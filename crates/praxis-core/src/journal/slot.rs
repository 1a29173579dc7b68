//! Values that were found for the parameters of a step, and where.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A value that was found for a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilledSlot {
    /// The value.
    pub value: Value,
    /// Where it was found.
    pub source: SlotSource,
    /// How sure that is, of 100.
    pub confidence: u32,
}

/// Where the value of a parameter was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum SlotSource {
    /// The schema has a default.
    Default,
    /// A variable of the frame.
    Variable {
        /// Which.
        name: String,
    },
    /// Metadata under the same name.
    Metadata {
        /// Which.
        name: String,
    },
    /// What an earlier step gave under the same name.
    Output {
        /// Which step.
        step: String,
    },
    /// Something that the task knows under nearly the same name.
    Alike,
    /// The user's words.
    Said,
    /// A model found it.
    Model,
    /// A model guessed it, as a person let it do.
    Guess,
}
